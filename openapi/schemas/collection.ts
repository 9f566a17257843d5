import { z } from "@hono/zod-openapi";
import { definitionSchema } from "@/lib/documents/definition_schema.ts";

const FIELD_EXAMPLE = {
  key: "title",
  type: "String" as const,
  required: true,
  unique: false,
  index: false,
  search: false,
};

export const COLLECTION_EXAMPLE = {
  name: "posts",
  fields: [FIELD_EXAMPLE],
  rls: { enabled: true, mode: "public-read" as const, ownerField: "userId" },
  strict: true,
  indexes: [{ fields: ["title", "-createdAt"], unique: false }],
  events: true,
};

const formOf = (form: "given" | "stored") =>
  definitionSchema(form, (schema, name, description) => schema.openapi(name, { description }));

const { Field, members } = formOf("stored");

export const Collection = z.strictObject({ ...members, model: z.array(Field) })
  .openapi("Collection", {
    description: "The definition of a collection. `model` repeats `fields`.",
    example: { ...COLLECTION_EXAMPLE, model: COLLECTION_EXAMPLE.fields },
  });

export const Definition = z.strictObject(members).openapi("CollectionDefinition", {
  description: "The definition of a collection.",
  example: COLLECTION_EXAMPLE,
});

const given = formOf("given").members;

export const DefinitionInput = z.strictObject(given).openapi("CollectionDefinitionInput", {
  description: "A definition. Members that are left out have their defaults.",
  example: { name: "posts", fields: [{ key: "title", type: "String" }] },
});

export const NamedDefinitionInput = z.strictObject({ ...given, name: given.name.optional() })
  .openapi("NamedCollectionDefinitionInput", {
    description: "A definition of the collection that the path names.",
    example: { fields: [{ key: "title", type: "String" }] },
  });
