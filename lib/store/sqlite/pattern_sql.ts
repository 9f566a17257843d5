import { type Fragment, sql } from "./fragment.ts";

/** Longer texts are left to the matcher of patterns, whose cost is bounded for each text. */
const LIKE_BYTES_MAX = 2_000;

/** A pattern that is a text, of ASCII alone. */
export interface Literal {
  readonly text: string;
  /** Whether it must stand at the beginning. */
  readonly isAnchored: boolean;
}

const LITERAL = /^(\^?)((?:[A-Za-z0-9 _,;:!@#%&=<>~"'`\/-]|\\[!-\/:-@[-`{-~])+)$/;

export function literalOf(pattern: string): Literal | null {
  const [, anchor, text] = LITERAL.exec(pattern) ?? [];
  if (text === undefined) return null;
  return { text: text.replaceAll(/\\(.)/g, "$1"), isAnchored: anchor !== "" };
}

/**
 * Whether a pattern occurs in a text, in any letter case. What is a text itself is looked for by
 * `like`, ten times as fast, which knows letters of ASCII alone: two others, of which one is the
 * other case of k and one of s, are left to the matcher.
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
