/** What every part of Corbel knows about the type of a field. */

import type { Json, Scalar } from "../values.ts";

/** Filter operators that every single value takes, those of types with an order, and of texts. */
export const EQUALITY = ["eq", "ne", "in", "nin", "exists"] as const;
export const ORDER = ["gt", "gte", "lt", "lte"] as const;
export const PATTERNS = ["regex", "contains", "startsWith"] as const;

type ChangeOperator = "$inc" | "$min" | "$max" | "$now" | "$push" | "$pull" | "$addToSet";

interface DescribedType {
  /** What a document's value must be, as the end of a sentence. */
  readonly wanted: string;
  /** What a filter must compare it with, as the end of a sentence. */
  readonly wantedInFilter: string;
  /** The member of a field's declaration that only this type takes. */
  readonly detail?: "enum" | "ref" | "fields" | "items";
  /** The operators of a PATCH that change its values, and what they do. */
  readonly changes?: {
    readonly operators: readonly ChangeOperator[];
    readonly description: string;
  };
  /** Whether its values are texts of any length, which can be searched or be the paths of files. */
  readonly isText?: true;
  /** How forms show a value and take it in. */
  readonly input: "text" | "number" | "switch" | "time" | "id" | "json";
  readonly example: Json;
  /**
   * Reads what a person has typed into a form or a table. A text that is no value of the type stays
   * a text, which validation refuses. Throws `InexactInteger`, and `SyntaxError` for malformed JSON.
   */
  enter(text: string): Json;
  /** Returns the value that a text stands for, in the form in which it is stored; null for none. */
  parse(text: string): Scalar;
}

/** The type of a single value. */
export interface ScalarFieldType extends DescribedType {
  readonly holds: "value";
  /** The JSON type of its values. */
  readonly json: "string" | "number" | "boolean";
  /** The type of its column in SQLite: `integer` has booleans as 0 and 1. */
  readonly sql: "text" | "real" | "integer";
  /** Its type in MongoDB: `date` has times as BSON's own. */
  readonly bson: "string" | "number" | "bool" | "date";
  /** The JSON Schema of its values. */
  readonly schema: { readonly type: string; readonly format?: string; readonly pattern?: string };
  readonly canBeUnique: boolean;
  /** Tells which numbers are values of the type, where not all are. */
  readonly includes?: (number: number) => boolean;
  readonly operators: readonly (typeof EQUALITY | typeof ORDER | typeof PATTERNS)[number][];
  /** Figures that groups can have of it; with `bucket`, groups can be made by its hours and days. */
  readonly aggregates: readonly ("sum" | "avg" | "min" | "max" | "bucket")[];
}

/** The type of an object, or of a list. */
export interface CompositeFieldType extends DescribedType {
  readonly holds: "members" | "elements";
}
