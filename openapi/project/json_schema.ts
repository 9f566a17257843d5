/** The keywords of JSON Schema that a project's document uses. */
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

/** Returns the name of the component that a schema refers to; null if it is not a reference. */
export const referredName = ({ $ref }: JsonSchema): string | null =>
  $ref?.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : null;

export const anyOf = (...schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 ? schemas[0]! : { anyOf: schemas };

const NULL: JsonSchema = { type: "null" };

export function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf: schemas, enum: values, $ref } = schema;
  if (typeof type === "string") {
    return { ...schema, type: [type, "null"], ...(values && { enum: [...values, null] }) };
  }
  if (schemas !== undefined) return { ...schema, anyOf: [...schemas, NULL] };
  return $ref === undefined ? schema : { anyOf: [schema, NULL] }; // A schema without a type allows null already.
}

/** Returns the schema of an object, which allows other members unless it is closed. */
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
