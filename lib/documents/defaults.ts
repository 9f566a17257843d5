import { DEFAULTS_BYTES_MAX } from "../limits.ts";
import type { Json } from "../store/port.ts";
import { isObject, ownMember } from "../store/shape.ts";
import type { FieldDefinition, ItemDefinition } from "./fields.ts";

type Members = { [name: string]: Json };

export class DefaultsTooLarge extends Error {
  override readonly name = "DefaultsTooLarge";
}

/** Limits the bytes that defaults add to a request, which could otherwise grow a thousandfold. */
export class DefaultsBudget {
  #left = DEFAULTS_BYTES_MAX;

  /** Throws {@linkcode DefaultsTooLarge}. */
  spend(value: Json): void {
    this.#left -= typeof value === "object" ? JSON.stringify(value).length : `${value}`.length;
    if (this.#left < 0) throw new DefaultsTooLarge();
  }
}

/** Null is not missing. Complete objects are not copied. Throws {@linkcode DefaultsTooLarge}. */
export function withDefaults(
  fields: readonly FieldDefinition[],
  members: Members,
  budget: DefaultsBudget,
): Members {
  let filled = members;
  for (const field of fields) {
    const value = ownMember(members, field.key);
    const present = value === undefined ? field.default : value;
    if (present === undefined) continue;
    if (value === undefined) budget.spend(present);
    const complete = fillValue(field, present, budget);
    if (complete === value) continue;
    if (filled === members) filled = { ...members };
    filled[field.key] = complete;
  }
  return filled;
}

/** Adds the defaults of the objects in a value. Throws {@linkcode DefaultsTooLarge}. */
export function fillValue(
  { fields, items }: ItemDefinition,
  value: Json,
  budget: DefaultsBudget,
): Json {
  if (fields !== undefined && isObject(value)) return withDefaults(fields, value, budget);
  if (items !== undefined && Array.isArray(value)) {
    return value.map((element) => fillValue(items, element, budget));
  }
  return value;
}
