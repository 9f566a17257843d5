import { DEFAULTS_BYTES_MAX } from "../limits.ts";
import type { Json } from "../store/port.ts";
import { isObject, own } from "../store/shape.ts";
import type { FieldDefinition, ItemDefinition } from "./fields.ts";

type Members = { [name: string]: Json };

export class DefaultsTooLarge extends Error {
  override readonly name = "DefaultsTooLarge";
}

/**
 * How much defaults may add to what is sent with one request: each element of a list may have one,
 * so a few bytes could become a thousand times as many.
 */
export class DefaultsRoom {
  #left = DEFAULTS_BYTES_MAX;

  /** Throws {@linkcode DefaultsTooLarge}. */
  take(value: Json): void {
    this.#left -= typeof value === "object" ? JSON.stringify(value).length : `${value}`.length;
    if (this.#left < 0) throw new DefaultsTooLarge();
  }
}

/**
 * Fills members that are missing, also in the objects within; null is not missing. What lacks nothing
 * is not copied. Throws {@linkcode DefaultsTooLarge}.
 */
export function withDefaults(
  fields: readonly FieldDefinition[],
  members: Members,
  room: DefaultsRoom,
): Members {
  let filled = members;
  for (const field of fields) {
    const value = own(members, field.key);
    const given = value === undefined ? field.default : value;
    if (given === undefined) continue;
    if (value === undefined) room.take(given);
    const whole = filledValue(field, given, room);
    if (whole === value) continue;
    if (filled === members) filled = { ...members };
    filled[field.key] = whole;
  }
  return filled;
}

/** The value with the defaults of the objects in it. Throws {@linkcode DefaultsTooLarge}. */
export function filledValue(
  { fields, items }: ItemDefinition,
  value: Json,
  room: DefaultsRoom,
): Json {
  if (fields !== undefined && isObject(value)) return withDefaults(fields, value, room);
  if (items !== undefined && Array.isArray(value)) {
    return value.map((element) => filledValue(items, element, room));
  }
  return value;
}
