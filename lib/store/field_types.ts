/** The types of fields. To add a type, add a file and an entry here. */

import { ARRAY } from "./field_types/array.ts";
import { BOOLEAN } from "./field_types/boolean.ts";
import { DATE } from "./field_types/date.ts";
import type { CompositeFieldType, ScalarFieldType } from "./field_types/field_type.ts";
import { NUMBER } from "./field_types/number.ts";
import { OBJECT } from "./field_types/object.ts";
import { REF } from "./field_types/ref.ts";
import { STRING } from "./field_types/string.ts";

/** All field types by their names in definitions, in display order. */
export const FIELD_TYPES = {
  String: STRING,
  Number: NUMBER,
  Boolean: BOOLEAN,
  Date: DATE,
  Object: OBJECT,
  Array: ARRAY,
  Ref: REF,
} as const satisfies Readonly<Record<string, ScalarFieldType | CompositeFieldType>>;

export type FieldType = keyof typeof FIELD_TYPES;

export type ScalarType = {
  [Name in FieldType]: typeof FIELD_TYPES[Name] extends ScalarFieldType ? Name : never;
}[FieldType];

export type FormInput = (ScalarFieldType | CompositeFieldType)["input"];

export const FIELD_TYPE_NAMES = Object.keys(FIELD_TYPES) as FieldType[]; // No other keys.
