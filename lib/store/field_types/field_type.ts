import type { Json, Scalar } from "../values.ts";

export const EQUALITY = ["eq", "ne", "in", "nin", "exists"] as const;
export const ORDER = ["gt", "gte", "lt", "lte"] as const;
export const PATTERNS = ["regex", "contains", "startsWith"] as const;

type ChangeOperator = "$inc" | "$min" | "$max" | "$now" | "$push" | "$pull" | "$addToSet";

interface DescribedType {
  /** The requirement on a document's value, as the end of a sentence. */
  readonly requirement: string;
  /** The requirement on a filter's operand, as the end of a sentence. */
  readonly filterRequirement: string;
  /** The member of a field's declaration that is specific to this type. */
  readonly detail?: "enum" | "ref" | "fields" | "items";
  /** PATCH operators that change values of this type, and a description of their effect. */
  readonly changes?: {
    readonly operators: readonly ChangeOperator[];
    readonly description: string;
  };
  /** Whether values are texts of any length, which can be searched and can be file paths. */
  readonly isText?: true;
  /** The form control for values of this type. */
  readonly input: "text" | "number" | "switch" | "time" | "id" | "json";
  readonly example: Json;
  /**
   * Parses text typed into a form or a table. Returns text that is not a value of the type
   * unchanged, so that validation rejects it. Throws `InexactInteger`, and `SyntaxError` for
   * malformed JSON.
   */
  parseInput(text: string): Json;
  /** Parses a value from text into its stored form; null if it is not a value of the type. */
  parse(text: string): Scalar;
}

export interface ScalarFieldType extends DescribedType {
  readonly holds: "value";
  readonly json: "string" | "number" | "boolean";
  /** The SQLite column type. Booleans are stored as integers 0 and 1. */
  readonly sql: "text" | "real" | "integer";
  /** The BSON type. `date` is BSON's date type. */
  readonly bson: "string" | "number" | "bool" | "date";
  readonly schema: { readonly type: string; readonly format?: string; readonly pattern?: string };
  readonly canBeUnique: boolean;
  /** Returns whether a number is a value of the type. Without it, all numbers are. */
  readonly includes?: (number: number) => boolean;
  readonly operators: readonly (typeof EQUALITY | typeof ORDER | typeof PATTERNS)[number][];
  /** Supported aggregate figures. `bucket` allows grouping by calendar intervals. */
  readonly aggregates: readonly ("sum" | "avg" | "min" | "max" | "bucket")[];
}

export interface CompositeFieldType extends DescribedType {
  readonly holds: "members" | "elements";
}
