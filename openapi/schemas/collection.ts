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

const formOf = (form: "given" | "whole") =>
  definitionSchema(form, (schema, name, description) => schema.openapi(name, { description }));

const { Field, members } = formOf("whole");

/** A definition; `model` repeats its fields. */
export const Collection = z.strictObject({ ...members, model: z.array(Field) })
  .openapi("Collection", {
    description: "A collection as its owner defined it. `model` repeats `fields`.",
    example: { ...COLLECTION_EXAMPLE, model: COLLECTION_EXAMPLE.fields },
  });

/** A definition as its owner reads it. */
export const Definition = z.strictObject(members).openapi("CollectionDefinition", {
  description: "A collection as it is defined.",
  example: COLLECTION_EXAMPLE,
});

const given = formOf("given").members;

/** What of a definition is left out has its default. */
export const DefinitionInput = z.strictObject(given).openapi("CollectionDefinitionInput", {
  description: "A definition, in which most members may be left out.",
  example: { name: "posts", fields: [{ key: "title", type: "String" }] },
});

/** The same for a collection that the path names. */
export const NamedDefinitionInput = z.strictObject({ ...given, name: given.name.optional() })
  .openapi("NamedCollectionDefinitionInput", {
    description: "A definition of the collection that the path names.",
    example: { fields: [{ key: "title", type: "String" }] },
  });
