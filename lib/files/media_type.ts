import { CONTENT_TYPE_LENGTH_MAX } from "../limits.ts";

/** Returns a content type without parameters, in lower case: `image/png` for `Image/PNG; q=1`. */
export const essenceOf = (contentType: string): string =>
  contentType.split(";", 1)[0]!.trim().toLowerCase();

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** Chromium's MediaRecorder lists codecs without quotes: `video/webm;codecs=vp8,opus`. */
const LISTED = `${TOKEN}(?:, *${TOKEN})*`;
const QUOTED = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*"';

/** Matches `type/subtype` with parameters, in characters that are valid in a header. */
export const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${LISTED}|${QUOTED}))*$`,
);

export const isMediaType = (text: string): boolean =>
  text.length <= CONTENT_TYPE_LENGTH_MAX && MEDIA_TYPE.test(text);
