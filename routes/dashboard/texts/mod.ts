import { de } from "./de/mod.ts";
import { en, type Texts } from "./en/mod.ts";
import { language } from "./language.ts";

export type { Texts };

/** A language that lacks a text does not compile. */
const CATALOGUES = { en, de } satisfies Record<string, Texts>;

export const texts = (): Texts => CATALOGUES[language()];
