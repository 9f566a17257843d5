/** Formatting of numbers and sizes for people. */

const UNITS = ["KB", "MB", "GB", "TB"] as const;

/** Formats for one language. */
export interface Amounts {
  /** Formats a number, such as `8,310`. */
  countText(count: number): string;
  /** Formats a size with multiples of 1024, such as `14.2 MB`. */
  bytesText(bytes: number): string;
  /** Formats a limit exactly and readably, such as `10485760 bytes (10 MB)`. */
  exactBytesText(bytes: number): string;
}

/** @param names Words for a single byte and for several bytes. */
export function createAmounts(language: string, names: { one: string; many: string }): Amounts {
  const number = new Intl.NumberFormat(language);
  const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const bytesText = (bytes: number): string => {
    if (bytes < 1024) return `${number.format(bytes)} ${bytes === 1 ? names.one : names.many}`;
    let unit = 0;
    let amount = bytes / 1024;
    for (; amount >= 1024 && unit < UNITS.length - 1; unit++) amount /= 1024;
    return `${oneDigit.format(amount)} ${UNITS[unit]}`;
  };
  return {
    countText: (count) => number.format(count),
    bytesText,
    exactBytesText: (bytes) =>
      `${bytes} ${names.many}` + (bytes < 1024 ? "" : ` (${bytesText(bytes)})`),
  };
}

export const { countText, bytesText, exactBytesText } = createAmounts("en", {
  one: "byte",
  many: "bytes",
});

/** Formats a number with its noun, such as `1 row` or `2 rows`. */
export const countWithNoun = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;
