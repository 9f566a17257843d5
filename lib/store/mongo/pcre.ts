/**
 * Spells a pattern of RE2 so that PCRE reads the same: there `$` also stands before a last line
 * break, and the classes `\w`, `\d` and `\s` depend on how the server was built. Takes only what
 * `patternProblem` lets through.
 */
export function pcre(pattern: string): string {
  let spelt = "";
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === "\\") {
      const name = pattern[++i]!;
      spelt += (inClass ? WITHIN_CLASS : ALONE)[name] ?? `\\${name}`;
      continue;
    }
    if (char === "[" && !inClass) inClass = true;
    else if (char === "]") inClass = false;
    spelt += char === "$" && !inClass ? "\\z" : char;
  }
  return spelt;
}

const DIGITS = "0-9";
const WORD = "0-9A-Za-z_";
const SPACE = "\\t\\n\\f\\r ";

const ALONE: Readonly<Record<string, string>> = {
  d: `[${DIGITS}]`,
  D: `[^${DIGITS}]`,
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
  s: `[${SPACE}]`,
  S: `[^${SPACE}]`,
};

/** A class cannot be negated within another, so the complements are spelt out. */
const WITHIN_CLASS: Readonly<Record<string, string>> = {
  d: DIGITS,
  D: "\\x00-/:-\\x{10ffff}",
  w: WORD,
  W: "\\x00-/:-@\\[-\\^`{-\\x{10ffff}",
  s: SPACE,
  S: "\\x00-\\x08\\x0b\\x0e-\\x1f!-\\x{10ffff}",
};
