import { de } from "./de/mod.ts";
import { en, type Texts } from "./en/mod.ts";
import { language } from "./language.ts";

export type { Texts };

/** A language that lacks a text does not compile. */
const CATALOGUES = { en, de } satisfies Record<string, Texts>;

/** All words of the dashboard, in the language of whoever looks. Only where a page is made. */
export const texts = (): Texts => CATALOGUES[language()];
