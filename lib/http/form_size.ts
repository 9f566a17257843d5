import { FORM_TEXT_LENGTH_MAX, PATH_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

const AMPERSAND = 0x26;
const PERCENT = 0x25;
const EQUALS = 0x3d;

/** A dotted path, and what a form puts before it. */
const NAME_LENGTH_MAX = PATH_LENGTH_MAX + 20;

/**
 * Refuses a form before it is parsed if it has more fields, longer names of them, or more text in
 * them than allowed. Throws `BODY_TOO_LARGE`.
 */
export function refuseLargeForm(bytes: Uint8Array, fieldsMax: number): void {
  let [fields, length, fieldLength] = [0, 0, 0];
  let [nameLength, inName] = [0, true];
  for (const byte of bytes) {
    if (byte === AMPERSAND) {
      if (fieldLength > 0) fields++;
      [fieldLength, nameLength, inName] = [0, 0, true];
      continue;
    }
    fieldLength++;
    // Of an encoded character its two digits come behind it.
    const characters = byte === PERCENT ? -1 : 1;
    length += characters;
    if (byte === EQUALS) inName = false;
    if (inName && (nameLength += characters) > NAME_LENGTH_MAX) throw longName();
  }
  if (fieldLength > 0) fields++;
  if (fields > fieldsMax) {
    throw new Problem("BODY_TOO_LARGE", {
      message: `The form has ${fields} fields: send at most ${fieldsMax}.`,
    });
  }
  if (length > FORM_TEXT_LENGTH_MAX) {
    throw new Problem("BODY_TOO_LARGE", {
      message: `The form has more than ${FORM_TEXT_LENGTH_MAX} characters: send less at once.`,
    });
  }
}

const longName = () =>
  new Problem("BODY_TOO_LARGE", {
    message: `The form has a field whose name is longer than ${NAME_LENGTH_MAX} characters.`,
  });
