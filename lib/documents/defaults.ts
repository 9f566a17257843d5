import type { Json } from "../store/port.ts";
import { isObject, own } from "../store/shape.ts";
import type { FieldDefinition, ItemDefinition } from "./fields.ts";

type Members = { [name: string]: Json };

/** Fills members that are missing, also in the objects within; null is not missing. */
export function withDefaults(fields: readonly FieldDefinition[], members: Members): Members {
  const filled: Members = { ...members };
  for (const field of fields) {
    const value = own(filled, field.key);
    if (value !== undefined) filled[field.key] = filledValue(field, value);
    else if (field.default !== undefined) filled[field.key] = filledValue(field, field.default);
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
