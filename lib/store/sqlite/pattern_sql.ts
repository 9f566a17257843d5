import { type Fragment, sql } from "./fragment.ts";

/** Maximum size in bytes of texts searched by `like`, whose cost is not bounded. */
const LIKE_BYTES_MAX = 2_000;

export interface LiteralPattern {
  readonly text: string;
  readonly isAnchored: boolean;
}

const LITERAL = /^(\^?)((?:[A-Za-z0-9 _,;:!@#%&=<>~"'`\/-]|\\[!-\/:-@[-`{-~])+)$/;

export function literalOf(pattern: string): LiteralPattern | null {
  const [, anchor, text] = LITERAL.exec(pattern) ?? [];
  if (text === undefined) return null;
  return { text: text.replaceAll(/\\(.)/g, "$1"), isAnchored: anchor !== "" };
}

/**
 * Returns a condition that is true if a pattern occurs in a text, ignoring letter case. Plain ASCII
 * texts are searched by `like`, which is ten times as fast. It only knows the case of ASCII
 * letters, so the two non-ASCII variants of k and s are left to the matcher.
 */
export function patternSql(value: string, pattern: string): Fragment {
  const matches = sql(`re2(?,${value})`, pattern);
  const literal = literalOf(pattern);
  if (literal === null) return matches;
  const { text, isAnchored } = literal;
  const like = `${isAnchored ? "" : "%"}${text.replaceAll(/[%_\\]/g, "\\$&")}%`;
  const others = /[ks]/i.test(text)
    ? ` or ((instr(${value},'\u212A') or instr(${value},'\u017F')) and ${matches.sql})`
    : "";
  const more = others === "" ? [] : [pattern];
  return sql(
    `case when octet_length(${value}) <= ${LIKE_BYTES_MAX} ` +
      `then ${value} like ? escape '\\'${others} else ${matches.sql} end`,
    like,
    ...more,
    pattern,
  );
}
