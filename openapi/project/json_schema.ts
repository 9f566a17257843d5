/** JSON Schema, as far as a project's document needs it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly example?: unknown;
}

export type Components = Readonly<Record<string, JsonSchema>>;

const SCHEMAS = "#/components/schemas/";

export const refTo = (name: string): JsonSchema => ({ $ref: SCHEMAS + name });

/** The name of the component that a schema refers to; null for one that stands by itself. */
export const referredName = ({ $ref }: JsonSchema): string | null =>
  $ref?.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : null;

export const anyOf = (...schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 ? schemas[0]! : { anyOf: schemas };

const NULL: JsonSchema = { type: "null" };

/** The same, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf: schemas, enum: values, $ref } = schema;
  if (typeof type === "string") {
    return { ...schema, type: [type, "null"], ...(values && { enum: [...values, null] }) };
  }
  if (schemas !== undefined) return { ...schema, anyOf: [...schemas, NULL] };
  return $ref === undefined ? schema : { anyOf: [schema, NULL] }; // Without either it is anything.
}

/** An object of these members and, if it is not closed, of any others: nothing is said of those. */
export const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  { required = [], isClosed = false, description }: {
    readonly required?: readonly string[];
    readonly isClosed?: boolean;
    readonly description?: string;
  } = {},
): JsonSchema => ({
  type: "object",
  ...(description !== undefined && { description }),
  properties,
  ...(required.length > 0 && { required }),
  ...(isClosed && { additionalProperties: false }),
});
