/**
 * Converts an RE2 pattern to an equivalent PCRE pattern for MongoDB, which matches it ignoring
 * case. In PCRE, `$` also matches before a final line break, an assertion cannot be repeated, and
 * the classes `\w`, `\d` and `\s` depend on the server's build. Accepts only patterns that
 * `patternProblem` allows.
 */
export function pcre(pattern: string): string {
  let converted = "";
  let inClass = false;
  for (const { 0: item, index } of pattern.matchAll(/\\?./gsu)) {
    if (item === "[") inClass = true;
    else if (item === "]") inClass = false;
    const one = (inClass ? WITHIN_CLASS : OUTSIDE_CLASS)[item] ?? item;
    const repeats = !inClass && /[*+?{]/.test(pattern[index + item.length] ?? "");
    converted += repeats && ASSERTIONS.has(item) ? `(?:${one})` : one;
  }
  return converted;
}

const ASSERTIONS = new Set(["^", "$", "\\b", "\\B"]);

// In a character class, each of these ends with a range, so that a following hyphen is literal.
const DIGITS = "0-9";
const WORD = "_0-9A-Za-z";
const SPACE = " \\t-\\n\\f-\\r";

const OUTSIDE_CLASS: Readonly<Record<string, string>> = {
  "$": "\\z",
  "\\d": `[${DIGITS}]`,
  "\\D": `[^${DIGITS}]`,
  "\\w": `[${WORD}]`,
  "\\W": `[^${WORD}]`,
  "\\s": `[${SPACE}]`,
  "\\S": `[^${SPACE}]`,
};

/**
 * Replacements within a character class. Classes cannot be nested, so complements are spelled out.
 * U+017F and U+212A count as word characters, because they are case variants of s and k. `[.`, `[:`
 * and `[=` would start POSIX names.
 */
const WITHIN_CLASS: Readonly<Record<string, string>> = {
  ".": "\\.",
  ":": "\\:",
  "=": "\\=",
  "\\d": DIGITS,
  "\\D": "\\x00-/:-\\x{10ffff}",
  "\\w": WORD,
  "\\W": "\\x00-/:-@\\[-\\^`{-\\x{17e}\\x{180}-\\x{2129}\\x{212b}-\\x{10ffff}",
  "\\s": SPACE,
  "\\S": "\\x00-\\x08\\x0b\\x0e-\\x1f!-\\x{10ffff}",
};
