import { AsyncLocalStorage } from "node:async_hooks";
import type { Cookies } from "@/lib/http/cookies.ts";
import { acceptedLanguages, bestLanguage } from "@/lib/text/languages.ts";

/** Languages of the dashboard, each by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;

export type Language = keyof typeof LANGUAGES;

export const isLanguage = (text: string | null): text is Language =>
  text !== null && Object.hasOwn(LANGUAGES, text);

const COOKIE = "corbel_language";
const YEAR_SECONDS = 366 * 86_400;

/** The language that the reader has chosen, or the best of those that their browser wishes for. */
export function languageOf(headers: Headers, cookies: Cookies): Language {
  const chosen = cookies.read(headers.get("cookie"), COOKIE);
  if (isLanguage(chosen)) return chosen;
  const wished = acceptedLanguages(headers.get("accept-language"));
  return bestLanguage(Object.keys(LANGUAGES), wished) as Language; // One of these.
}

/** Remembers a choice; null goes by the browser's wish again. */
export const languageCookie = (cookies: Cookies, language: Language | null) =>
  cookies.write(COOKIE, language ?? "", {
    sameSite: "Lax",
    maxAge: language === null ? 0 : YEAR_SECONDS,
  });

const current = new AsyncLocalStorage<Language>();

/** Of the request that is being answered. */
export const language = (): Language => current.getStore() ?? "en";

/** Whatever `work` writes is in this language. */
export const inLanguage = <T>(language: Language, work: () => T): T => current.run(language, work);
