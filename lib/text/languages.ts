const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;
const LANGUAGE_DEFAULT = "en";

/** `pt-br` as `pt-BR`; null for what names no language. */
export function canonicalLanguage(text: string): string | null {
  if (!LANGUAGE.test(text)) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * Which of the languages that there are fits best: itself, or another of the same kind, as `pt` for
 * `pt-BR`. Where none fits any is as good. Null where there are none.
 */
export function bestLanguage(
  languages: readonly string[],
  wanted: readonly string[],
): string | null {
  for (const one of [...wanted, LANGUAGE_DEFAULT]) {
    const found = languages.find((language) => isSame(language, one)) ??
      languages.find((language) => isSame(language, baseOf(one))) ??
      languages.find((language) => isSame(baseOf(language), baseOf(one)));
    if (found !== undefined) return found;
  }
  return languages[0] ?? null;
}

const baseOf = (language: string): string => language.split("-")[0]!;

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const HEADER_LENGTH_MAX = 500;
const LANGUAGES_MAX = 20;
const ACCEPTED =
  /^\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/;

/** Languages of an `Accept-Language` header, the best first; what cannot be read is left out. */
export function acceptedLanguages(header: string | null): string[] {
  if (header === null || header.length > HEADER_LENGTH_MAX) return [];
  return header.split(",").slice(0, LANGUAGES_MAX).flatMap((part) => {
    const [, language, quality = "1"] = ACCEPTED.exec(part) ?? [];
    return language === undefined ? [] : [{ language, quality: Number(quality) }];
  }).filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ language }) => language);
}
