import type { FieldDefinition, ItemDefinition } from "@/lib/documents/fields.ts";
import { FIELD_TYPES, type ScalarType } from "@/lib/store/field_types.ts";
import { scalarTypesWith } from "@/lib/store/shape.ts";
import { anyOf, type JsonSchema, objectOf, orNull, refTo } from "./json_schema.ts";

/** Form of a document: as stored, as shown (`populate` may replace ids) or as sent. */
export type Form = "stored" | "shown" | "sent";

export interface FieldContext {
  readonly form: Form;
  readonly strict: boolean;
  /** Returns the schema that `populate` replaces an id of a collection with; null for none. */
  readonly targetOf: (collection: string) => JsonSchema | null;
}

/** Schema name of the file that may replace a path. */
export const FILE = "PopulatedFile";

export const SCALARS: readonly ScalarType[] = scalarTypesWith(() => true);

/** Returns the schema of a field's value that is present and not null. */
export function valueSchema(
  { type, ref, items, fields, file, enum: values }:
    & ItemDefinition
    & Pick<Partial<FieldDefinition>, "file">,
  context: FieldContext,
): JsonSchema {
  const { form, strict, targetOf } = context;
  const declared = FIELD_TYPES[type];
  switch (declared.holds) {
    case "members":
      return fields === undefined
        ? { type: "object", additionalProperties: true }
        : membersSchema(fields, { ...context, isClosed: form === "sent" && strict });
    case "elements": {
      const element = items && orNull(valueSchema({ ...items, ...(file && { file }) }, context));
      return { type: "array", items: element ?? {} };
    }
    case "value": {
      const { schema } = declared;
      if (values !== undefined) return { ...schema, enum: values };
      const target = ref !== undefined ? targetOf(ref) : file ? refTo(FILE) : null;
      return form !== "shown" || target === null ? schema : anyOf(schema, target);
    }
  }
}

/** Returns the schema of a field, which may be null unless it is required. */
export function fieldSchema(field: FieldDefinition, context: FieldContext): JsonSchema {
  const value = valueSchema(field, context);
  const schema = field.required ? value : orNull(value);
  if (context.form !== "sent") return schema;
  // Not `default`, because generators would consider the member always present.
  return field.default === undefined || schema.$ref !== undefined
    ? schema
    : { ...schema, description: `${JSON.stringify(field.default)} if left out.` };
}

const isAlwaysPresent = ({ required, default: value }: FieldDefinition, form: Form): boolean =>
  required && (form !== "sent" || value === undefined);

export function membersSchema(
  fields: readonly FieldDefinition[],
  { isClosed, ...context }: FieldContext & { readonly isClosed: boolean },
): JsonSchema {
  return objectOf(propertiesOf(fields, context), {
    required: requiredOf(fields, context.form),
    isClosed,
  });
}

export const propertiesOf = (
  fields: readonly FieldDefinition[],
  context: FieldContext,
): Record<string, JsonSchema> =>
  Object.fromEntries(fields.map((field) => [field.key, fieldSchema(field, context)]));

export const requiredOf = (fields: readonly FieldDefinition[], form: Form): string[] =>
  fields.filter((field) => isAlwaysPresent(field, form)).map(({ key }) => key);
