/** Numbers and sizes as people read them. */

const NUMBER = new Intl.NumberFormat("en");
const ONE_DIGIT = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** `8,310`. */
export const countText = (count: number): string => NUMBER.format(count);

/** `14.2 MB`, by 1024. */
export function bytesText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let unit = 0;
  let amount = bytes;
  for (; amount >= 1024 && unit < UNITS.length - 1; unit++) amount /= 1024;
  return `${ONE_DIGIT.format(amount)} ${UNITS[unit]}`;
}

/** `10485760 bytes (10 MB)`: for limits, which are exact and are to be understood. */
export const exactBytesText = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${bytes} bytes (${bytesText(bytes)})`;

/** `1 row`, `2 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;
