import { type Amounts, createAmounts } from "@/lib/text/amounts.ts";
import { type Language, language } from "./language.ts";

const AMOUNTS: Readonly<Record<Language, Amounts>> = {
  en: createAmounts("en", { one: "byte", many: "bytes" }),
  de: createAmounts("de", { one: "Byte", many: "Bytes" }),
};

export const countText = (count: number): string => AMOUNTS[language()].countText(count);

/** A size, by 1024. */
export const bytesText = (bytes: number): string => AMOUNTS[language()].bytesText(bytes);

export const exactBytesText = (bytes: number): string => AMOUNTS[language()].exactBytesText(bytes);

/** `1 row`, `2 rows`. */
export const counted = (count: number, one: string, many: string): string =>
  `${countText(count)} ${count === 1 ? one : many}`;
