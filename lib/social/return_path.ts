import { RETURN_TO_LENGTH_MAX } from "../limits.ts";

/** How often a page may decode what comes back to it before it goes there. */
const DECODINGS = 3;

/**
 * Whether a text is a path on a site, also after a page has decoded and normalised it: browsers take
 * a second slash or a backslash for the beginning of a host, with or without what they drop between.
 * @param origin Of the site.
 */
export function isReturnPath(text: string, origin: string): boolean {
  if (text.length > RETURN_TO_LENGTH_MAX || !text.startsWith("/") || /\p{Cc}/u.test(text)) {
    return false;
  }
  if (URL.parse(text, origin)?.origin !== origin) return false;
  let path = text.split(/[?#]/, 1)[0]!;
  for (let decoded = 0; decoded <= DECODINGS; decoded++) {
    const normal = URL.parse(origin + path.replaceAll(/[\s\p{C}]/gu, ""))?.pathname;
    if (normal === undefined || normal.startsWith("//")) return false;
    path = path.replaceAll(ENCODED_ASCII, (code) => decodeURIComponent(code));
  }
  return true;
}

const ENCODED_ASCII = /%[0-7][0-9a-f]/gi;
