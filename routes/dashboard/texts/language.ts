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

/** Returns the language that the reader has chosen, or the best of their browser's languages. */
export function languageOf(headers: Headers, cookies: Cookies): Language {
  const chosen = cookies.read(headers.get("cookie"), COOKIE);
  if (isLanguage(chosen)) return chosen;
  const wished = acceptedLanguages(headers.get("accept-language"));
  return bestLanguage(Object.keys(LANGUAGES), wished) as Language; // One of these.
}

/** Returns the cookie that stores a choice. Null restores the browser's choice. */
export const languageCookie = (cookies: Cookies, language: Language | null) =>
  cookies.write(COOKIE, language ?? "", {
    sameSite: "Lax",
    maxAge: language === null ? 0 : YEAR_SECONDS,
  });

const current = new AsyncLocalStorage<Language>();

export const language = (): Language => current.getStore() ?? "en";

export const inLanguage = <T>(language: Language, work: () => T): T => current.run(language, work);
