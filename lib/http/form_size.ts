import { FORM_TEXT_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

const AMPERSAND = 0x26;
const PERCENT = 0x25;

/**
 * Refuses a form before it is parsed if it has more fields, or more text in them, than allowed.
 * Throws `BODY_TOO_LARGE`.
 */
export function refuseLargeForm(bytes: Uint8Array, fieldsMax: number): void {
  let [fields, length, fieldLength] = [0, 0, 0];
  for (const byte of bytes) {
    if (byte === AMPERSAND) {
      if (fieldLength > 0) fields++;
      fieldLength = 0;
      continue;
    }
    fieldLength++;
    // Of an encoded character its two digits come behind it.
    length += byte === PERCENT ? -1 : 1;
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
