import type { Json } from "../store/port.ts";
import { isObject, own } from "../store/shape.ts";
import type { FieldDefinition, ItemDefinition } from "./fields.ts";

type Members = { [name: string]: Json };

/**
 * Fills members that are missing, also in the objects within; null is not missing. What lacks nothing
 * is not copied.
 */
export function withDefaults(fields: readonly FieldDefinition[], members: Members): Members {
  let filled = members;
  for (const field of fields) {
    const value = own(members, field.key);
    const given = value === undefined ? field.default : value;
    if (given === undefined) continue;
    const whole = filledValue(field, given);
    if (whole === value) continue;
    if (filled === members) filled = { ...members };
    filled[field.key] = whole;
  }
  return filled;
}

/** The value with the defaults of the objects in it. */
export function filledValue({ fields, items }: ItemDefinition, value: Json): Json {
  if (fields !== undefined && isObject(value)) return withDefaults(fields, value);
  if (items !== undefined && Array.isArray(value)) {
    return value.map((element) => filledValue(items, element));
  }
  return value;
}
