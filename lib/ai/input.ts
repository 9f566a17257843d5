import { Problem } from "../problems.ts";
import { textProblem } from "../documents/names.ts";
import type { Json } from "../store/port.ts";

type Members = { readonly [name: string]: Json };

const refuse = (message: string) => new Problem("INVALID_BODY", { message });

/** A text of a body that must be there and say something. Throws `INVALID_BODY`. */
export function requiredText(members: Members, name: string, lengthMax: number): string {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (typeof value !== "string" || value.trim() === "") {
    throw refuse(`"${name}" must be a text.`);
  }
  if (value.length > lengthMax) {
    throw refuse(`"${name}" must have up to ${lengthMax} characters.`);
  }
  const problem = textProblem(value);
  if (problem !== null) throw refuse(`"${name}" ${problem}.`);
  return value;
}

/** Null where it is left out. Throws `INVALID_BODY`. */
export function optionalMember<T extends "string" | "boolean">(
  members: Members,
  name: string,
  type: T,
): (T extends "string" ? string : boolean) | null {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (value === undefined) return null;
  if (typeof value === type) return value as T extends "string" ? string : boolean; // As it says.
  throw refuse(`"${name}" must be a ${type === "string" ? "text" : "boolean"}.`);
}
