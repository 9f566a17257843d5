/**
 * Spells a pattern of RE2 so that PCRE, which MongoDB asks without regard to letter case, reads the
 * same: there `$` also stands before a last line break, a place cannot be repeated, and the classes
 * `\w`, `\d` and `\s` depend on how the server was built. Takes only what `patternProblem` lets
 * through.
 */
export function pcre(pattern: string): string {
  let spelt = "";
  let inClass = false;
  for (const { 0: item, index } of pattern.matchAll(/\\?./gsu)) {
    if (item === "[") inClass = true;
    else if (item === "]") inClass = false;
    const one = (inClass ? WITHIN_CLASS : ALONE)[item] ?? item;
    const repeats = !inClass && /[*+?{]/.test(pattern[index + item.length] ?? "");
    spelt += repeats && PLACES.has(item) ? `(?:${one})` : one;
  }
  return spelt;
}

const PLACES = new Set(["^", "$", "\\b", "\\B"]);

// Within a class each ends with a range, so that a hyphen behind it stands for itself.
const DIGITS = "0-9";
const WORD = "_0-9A-Za-z";
const SPACE = " \\t-\\n\\f-\\r";

const ALONE: Readonly<Record<string, string>> = {
  "$": "\\z",
  "\\d": `[${DIGITS}]`,
  "\\D": `[^${DIGITS}]`,
  "\\w": `[${WORD}]`,
  "\\W": `[^${WORD}]`,
  "\\s": `[${SPACE}]`,
  "\\S": `[^${SPACE}]`,
};

/**
 * A class cannot be negated within another, so the complements are spelt out. U+017F and U+212A are
 * letters of words, because they are other cases of s and k. `[.`, `[:` and `[=` open names of
 * POSIX.
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
