import { Problem } from "../problems.ts";
import { textProblem } from "../documents/names.ts";
import type { Json } from "../store/port.ts";
import { own } from "../store/shape.ts";

type Members = { readonly [name: string]: Json };

const refuse = (message: string) => new Problem("INVALID_BODY", { message });

/** A text of a body that must be there and say something. Throws `INVALID_BODY`. */
export function requiredText(members: Members, name: string, lengthMax: number): string {
  const value = own(members, name);
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
export function optionalText(members: Members, name: string): string | null {
  const value = own(members, name);
  if (value === undefined || typeof value === "string") return value ?? null;
  throw refuse(`"${name}" must be a text.`);
}

/** The same for what is true or false. */
export function optionalFlag(members: Members, name: string): boolean | null {
  const value = own(members, name);
  if (value === undefined || typeof value === "boolean") return value ?? null;
  throw refuse(`"${name}" must be true or false.`);
}
