import { RETURN_TO_LENGTH_MAX } from "../limits.ts";

/** Number of times that a page may decode the path before it navigates there. */
const DECODINGS_MAX = 3;

/** Whether a text stays on the site, even after a page has decoded and normalized it. */
export function isReturnPath(text: string, origin: string): boolean {
  if (text.length > RETURN_TO_LENGTH_MAX || !text.startsWith("/") || /\p{Cc}/u.test(text)) {
    return false;
  }
  if (URL.parse(text, origin)?.origin !== origin) return false;
  let path = text.split(/[?#]/, 1)[0]!;
  for (let decoded = 0; decoded <= DECODINGS_MAX; decoded++) {
    const normal = URL.parse(origin + path.replaceAll(/[\s\p{C}]/gu, ""))?.pathname;
    if (normal === undefined || normal.startsWith("//")) return false;
    path = path.replaceAll(ENCODED_ASCII, (code) => decodeURIComponent(code));
  }
  return true;
}

const ENCODED_ASCII = /%[0-7][0-9a-f]/gi;
