import { CONTENT_TYPE_LENGTH_MAX } from "../limits.ts";

/** A content type without its parameters, in lower case: `Image/PNG; q=1` is `image/png`. */
export const essenceOf = (contentType: string): string =>
  contentType.split(";", 1)[0]!.trim().toLowerCase();

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** Chromium's MediaRecorder lists codecs without quotes: `video/webm;codecs=vp8,opus`. */
const LISTED = `${TOKEN}(?:, *${TOKEN})*`;
const QUOTED = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*"';

/** `type/subtype` and parameters, in characters that a header can carry. */
export const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${LISTED}|${QUOTED}))*$`,
);

/** Whether a file can have the content type. */
export const isMediaType = (text: string): boolean =>
  text.length <= CONTENT_TYPE_LENGTH_MAX && MEDIA_TYPE.test(text);
