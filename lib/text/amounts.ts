/** Numbers and sizes as people read them. */

const UNITS = ["KB", "MB", "GB", "TB"] as const;

/** Of one language. */
export interface Amounts {
  /** `8,310`. */
  countText(count: number): string;
  /** `14.2 MB`, by 1024. */
  bytesText(bytes: number): string;
  /** `10485760 bytes (10 MB)`: for limits, which are exact and are to be understood. */
  exactBytesText(bytes: number): string;
}

/** @param names What one byte and several are called. */
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

/** `1 row`, `2 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;
