import { type Amounts, createAmounts } from "@/lib/text/amounts.ts";
import { type Language, language } from "./language.ts";

const AMOUNTS: Readonly<Record<Language, Amounts>> = {
  en: createAmounts("en", { one: "byte", many: "bytes" }),
  de: createAmounts("de", { one: "Byte", many: "Bytes" }),
};

/** A number as the reader's language writes it. */
export const countText = (count: number): string => AMOUNTS[language()].countText(count);

/** A size, by 1024. */
export const bytesText = (bytes: number): string => AMOUNTS[language()].bytesText(bytes);

/** In all bytes, and as people read it. */
export const exactBytesText = (bytes: number): string => AMOUNTS[language()].exactBytesText(bytes);

/** `1 row`, `2 rows`. */
export const counted = (count: number, one: string, many: string): string =>
  `${countText(count)} ${count === 1 ? one : many}`;
