const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;
const LANGUAGE_DEFAULT = "en";

/** Returns the spelling `pt-BR` for `pt-br`, and null for an invalid language tag. */
export function canonicalLanguage(text: string): string | null {
  if (!LANGUAGE.test(text)) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

/** Returns the first wanted language or a variant of it, else English, else any, else null. */
export function bestLanguage(
  languages: readonly string[],
  wanted: readonly string[],
): string | null {
  for (const one of [...wanted, LANGUAGE_DEFAULT]) {
    const found = languages.find((language) => isSameLanguage(language, one)) ??
      languages.find((language) => isSameLanguage(language, baseLanguage(one))) ??
      languages.find((language) => isSameLanguage(baseLanguage(language), baseLanguage(one)));
    if (found !== undefined) return found;
  }
  return languages[0] ?? null;
}

const baseLanguage = (language: string): string => language.split("-")[0]!;

const isSameLanguage = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

const HEADER_LENGTH_MAX = 500;
const LANGUAGES_MAX = 20;
const ACCEPTED =
  /^\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/;

/** Returns the valid languages of an `Accept-Language` header, the preferred language first. */
export function acceptedLanguages(header: string | null): string[] {
  if (header === null || header.length > HEADER_LENGTH_MAX) return [];
  return header.split(",").slice(0, LANGUAGES_MAX).flatMap((part) => {
    const [, language, quality = "1"] = ACCEPTED.exec(part) ?? [];
    return language === undefined ? [] : [{ language, quality: Number(quality) }];
  }).filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ language }) => language);
}
