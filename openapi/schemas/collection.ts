import { z } from "@hono/zod-openapi";
import { FIELD_TYPES } from "@/lib/documents/fields.ts";

const members = {
  type: z.enum(FIELD_TYPES),
  ref: z.string().optional().openapi({
    description: "For `Ref`: a collection's name, or `users`.",
  }),
  items: z.looseObject({ type: z.enum(FIELD_TYPES) }).optional()
    .openapi({ description: "For `Array`: the definition of its elements, without `key`." }),
  fields: z.array(z.looseObject({ key: z.string(), type: z.enum(FIELD_TYPES) })).optional()
    .openapi({ description: "For `Object`: the definitions of its members." }),
};

const Field = z.strictObject({
  key: z.string(),
  ...members,
  required: z.boolean(),
  unique: z.boolean().openapi({
    description: "Whether no two documents may hold the same value, whoever owns them. In a " +
      "`private` collection a 409 `DUPLICATE_VALUE` tells a user that somebody has a value: where " +
      "that is a secret, let the value begin with its owner's id, so that it is unique with them.",
  }),
  index: z.boolean().openapi({
    description:
      "Whether an index keeps filters and sorts by it fast. Every collection has one of " +
      "`createdAt`, and with row-level security one of the owner with `createdAt`; a `unique` " +
      "field has its own.",
  }),
  default: z.unknown().optional().openapi({ description: "Fills the field where it is missing." }),
}).openapi("Field", {
  description: "A declared field.",
  example: { key: "title", type: "String", required: true, unique: false, index: false },
});

export const COLLECTION_EXAMPLE = {
  name: "posts",
  fields: [{ key: "title", type: "String" as const, required: true, unique: false, index: false }],
  rls: { enabled: true, mode: "public-read" as const, ownerField: "userId" },
  strict: false,
};

const collection = {
  name: z.string(),
  fields: z.array(Field),
  rls: z.strictObject({
    enabled: z.boolean(),
    mode: z.enum(["public-read", "private"]),
    ownerField: z.string(),
  }),
  strict: z.boolean(),
};

/** A definition; `model` repeats its fields. */
export const Collection = z.strictObject({ ...collection, model: z.array(Field) })
  .openapi("Collection", {
    description: "A collection as its owner defined it. `model` repeats `fields`.",
    example: { ...COLLECTION_EXAMPLE, model: COLLECTION_EXAMPLE.fields },
  });

/** A definition as its owner reads it. */
export const Definition = z.strictObject(collection).openapi("CollectionDefinition", {
  description: "A collection as it is defined.",
  example: COLLECTION_EXAMPLE,
});

/** What of a definition is left out has its default. */
export const DefinitionInput = z.looseObject({
  name: z.string().optional(),
  fields: z.array(z.looseObject({ key: z.string(), type: z.enum(FIELD_TYPES) })).optional(),
  rls: z.looseObject({
    enabled: z.boolean().optional(),
    mode: z.enum(["public-read", "private"]).optional(),
    ownerField: z.string().optional(),
  }).optional(),
  strict: z.boolean().optional(),
}).openapi("CollectionDefinitionInput", {
  description: "A definition, in which most members may be left out.",
  example: { name: "posts", fields: [{ key: "title", type: "String" }] },
});
