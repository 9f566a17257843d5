import type { FieldDefinition } from "@/lib/documents/fields.ts";
import type { UserField } from "@/lib/users/user_fields.ts";
import { type FieldContext, propertiesOf, requiredOf, valueSchema } from "./field_schemas.ts";
import { type Components, type JsonSchema, objectOf, orNull } from "./json_schema.ts";

const CONTEXT = { strict: true, targetOf: () => null } as const;
const SENT: FieldContext = { ...CONTEXT, form: "sent" };
const STORED: FieldContext = { ...CONTEXT, form: "stored" };

export function userSchemas(general: Components, fields: readonly UserField[]): Components {
  const open = fields.filter((field) => field.public);
  const unfilled = fields.map(({ default: _filled, ...field }) => field);
  const sent = (name: string, declared: readonly FieldDefinition[], isNew: boolean) => [name, {
    ...withMembers(
      general[name]!,
      objectOf(propertiesOf(declared, SENT), {
        required: isNew ? requiredOf(declared, "sent") : [],
      }),
    ),
    additionalProperties: false,
  }];
  return Object.fromEntries([
    ["User", withMembers(general.User!, shownFields(fields))],
    ["ManagedUser", withMembers(general.ManagedUser!, shownFields(fields))],
    ["PublicUser", withMembers(general.PublicUser!, shownFields(open))],
    sent("SignUp", fields, true),
    sent("UserInput", fields, true),
    sent("UserChanges", unfilled, false),
    sent("ManagedUserChanges", unfilled, false),
  ]);
}

/** Returns the shown fields. All are present; even a required one is null if nothing is stored. */
const shownFields = (fields: readonly UserField[]): JsonSchema =>
  objectOf(
    Object.fromEntries(fields.map((field) => [field.key, orNull(valueSchema(field, STORED))])),
    { required: fields.map(({ key }) => key) },
  );

/** Returns a schema with more members and without `additionalProperties`. */
function withMembers(
  { additionalProperties: _open, properties, required = [], ...rest }: JsonSchema,
  added: JsonSchema,
): JsonSchema {
  const needed = [...required, ...added.required ?? []];
  return {
    ...rest,
    properties: { ...properties, ...added.properties },
    ...(needed.length > 0 && { required: needed }),
  };
}
