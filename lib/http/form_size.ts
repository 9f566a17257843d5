import { FORM_TEXT_LENGTH_MAX, PATH_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

const AMPERSAND = 0x26;
const PERCENT = 0x25;
const EQUALS = 0x3d;

/** Maximum length of a field name: a dotted path with the prefix that forms add. */
const NAME_LENGTH_MAX = PATH_LENGTH_MAX + 20;

/** Refuses too many fields, too long names and too much text. Throws `BODY_TOO_LARGE`. */
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
    // The percent sign cancels one of the two digits that follow it.
    const characters = byte === PERCENT ? -1 : 1;
    length += characters;
    if (byte === EQUALS) inName = false;
    if (inName && (nameLength += characters) > NAME_LENGTH_MAX) throw longNameProblem();
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

const longNameProblem = () =>
  new Problem("BODY_TOO_LARGE", {
    message: `The form has a field whose name is longer than ${NAME_LENGTH_MAX} characters.`,
  });
