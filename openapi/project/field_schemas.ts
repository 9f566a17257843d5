import type { FieldDefinition, ItemDefinition } from "@/lib/documents/fields.ts";
import { ID } from "@/lib/ids.ts";
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

const TYPES = {
  String: { type: "string" },
  Number: { type: "number", format: "double" },
  Boolean: { type: "boolean" },
  Date: { type: "string", format: "date-time" },
  Ref: { type: "string", pattern: ID.source },
} as const satisfies Partial<Record<ItemDefinition["type"], JsonSchema>>;

export const SCALARS: Readonly<Record<keyof typeof TYPES, JsonSchema>> = TYPES;

export const isScalar = (type: ItemDefinition["type"]): type is keyof typeof TYPES =>
  Object.hasOwn(TYPES, type);

/** The value of a field that is there and not null. */
export function valueSchema(
  { type, ref, items, fields, file, enum: values }:
    & ItemDefinition
    & Pick<Partial<FieldDefinition>, "file">,
  context: FieldContext,
): JsonSchema {
  const { form, strict, targetOf } = context;
  switch (type) {
    case "Object":
      return fields === undefined
        ? { type: "object", additionalProperties: true }
        : membersSchema(fields, { ...context, isClosed: form === "sent" && strict });
    case "Array": {
      const element = items && orNull(valueSchema({ ...items, ...(file && { file }) }, context));
      return { type: "array", items: element ?? {} };
    }
    case "Ref": {
      const target = form === "shown" ? targetOf(ref!) : null;
      return target === null ? TYPES.Ref : anyOf(TYPES.Ref, target);
    }
    case "String":
      if (values !== undefined) return { ...TYPES.String, enum: values };
      return file && form === "shown" ? anyOf(TYPES.String, refTo(FILE)) : TYPES.String;
    default:
      return TYPES[type];
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
