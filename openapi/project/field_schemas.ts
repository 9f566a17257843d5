import type { FieldDefinition, ItemDefinition } from "@/lib/documents/fields.ts";
import { FIELD_TYPES, type ScalarType } from "@/lib/store/field_types.ts";
import { scalarTypesWith } from "@/lib/store/shape.ts";
import { anyOf, type JsonSchema, objectOf, orNull, refTo } from "./json_schema.ts";

/**
 * What a document is at the place of a schema: as it is stored, as a list shows it, where `populate`
 * may put others in the place of ids, or as it is sent.
 */
export type Form = "stored" | "shown" | "sent";

export interface FieldContext {
  readonly form: Form;
  /** Whether undeclared fields are refused. */
  readonly strict: boolean;
  /** What `populate` puts in the place of an id of that collection; null where it puts nothing. */
  readonly targetOf: (collection: string) => JsonSchema | null;
}

/** What may stand in the place of the path of a file. */
export const FILE = "PopulatedFile";

export const SCALARS: readonly ScalarType[] = scalarTypesWith(() => true);

/** The value of a field that is there and not null. */
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

/** What a field may hold: not null only where it is required. */
export function fieldSchema(field: FieldDefinition, context: FieldContext): JsonSchema {
  const value = valueSchema(field, context);
  const schema = field.required ? value : orNull(value);
  if (context.form !== "sent") return schema;
  // Not as `default`: generators would take the member for one that is always there.
  return field.default === undefined || schema.$ref !== undefined
    ? schema
    : { ...schema, description: `${JSON.stringify(field.default)} where it is left out.` };
}

/** Whether a member is always there. */
const isNeeded = ({ required, default: value }: FieldDefinition, form: Form): boolean =>
  required && (form !== "sent" || value === undefined);

/** Members of a declared object. */
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
  fields.filter((field) => isNeeded(field, form)).map(({ key }) => key);
