import { USER_ROLE_LENGTH_MAX, USER_ROLES_MAX } from "../limits.ts";
import { textProblem } from "../text/input_text.ts";

const CONTROL = /\p{Cc}/u;

/** Returns why a text cannot be a name or an address of a user, or null. */
export function lineProblem(text: string, lengthMax: number): string | null {
  if (text.trim() === "" || text.length > lengthMax) {
    return `must have 1 to ${lengthMax} characters`;
  }
  return textProblem(text) ?? (CONTROL.test(text) ? "contains a control character" : null);
}

export const WEB_ADDRESS_PATTERN = "^https://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$";
const WEB_ADDRESS = new RegExp(WEB_ADDRESS_PATTERN);

export const isWebAddress = (text: string): boolean =>
  WEB_ADDRESS.test(text) && URL.parse(text)?.protocol === "https:";

export const ROLE_PATTERN = `^[A-Za-z0-9_.:-]{1,${USER_ROLE_LENGTH_MAX}}$`;
const ROLE = new RegExp(ROLE_PATTERN);

export const isRoles = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= USER_ROLES_MAX &&
  value.every((role) => typeof role === "string" && ROLE.test(role));
