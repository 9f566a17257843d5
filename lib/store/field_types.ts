/** The types that a field can have. A type is one file, and one row here. */

import { ARRAY } from "./field_types/array.ts";
import { BOOLEAN } from "./field_types/boolean.ts";
import { DATE } from "./field_types/date.ts";
import type { CompositeFieldType, ScalarFieldType } from "./field_types/field_type.ts";
import { NUMBER } from "./field_types/number.ts";
import { OBJECT } from "./field_types/object.ts";
import { REF } from "./field_types/ref.ts";
import { STRING } from "./field_types/string.ts";

/** By their names in definitions, in the order in which they are shown. */
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

/** The types of single values. */
export type ScalarType = {
  [Name in FieldType]: typeof FIELD_TYPES[Name] extends ScalarFieldType ? Name : never;
}[FieldType];

export type FormInput = (ScalarFieldType | CompositeFieldType)["input"];

export const FIELD_TYPE_NAMES = Object.keys(FIELD_TYPES) as FieldType[]; // The keys of that table.
