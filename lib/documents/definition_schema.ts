import { z } from "zod";
import {
  DEFINITION_DEPTH_MAX,
  DEFINITION_FIELDS_MAX,
  DOCUMENT_FILES_MAX,
  ENUM_VALUE_LENGTH_MAX,
  ENUM_VALUES_MAX,
  INDEX_FIELDS_MAX,
  INDEXED_ELEMENTS_MAX,
  INDEXES_MAX,
  SEARCH_FIELDS_MAX,
  SEARCHED_LENGTH_MAX,
  SEARCHED_WORDS_MAX,
} from "../limits.ts";
import { FIELD_TYPE_NAMES } from "../store/field_types.ts";
import { scalarTypesWith } from "../store/shape.ts";
import {
  type FieldDefinition,
  FILE_FATES,
  type ItemDefinition,
  type RlsSetting,
} from "./fields.ts";
import { DECLARED_NAME } from "./names.ts";

export const listed = (names: readonly string[]): string =>
  new Intl.ListFormat("en-GB").format(names);

/** The types of fields that can be unique. */
export const UNIQUE_TYPES: readonly string[] = scalarTypesWith(({ canBeUnique }) => canBeUnique);

const RLS_DEFAULT: RlsSetting = { enabled: true, mode: "private", ownerField: "userId" };

/** Shown in the reference; `parseDefinition` refuses by it, in words of its own. */
const NAME = { pattern: DECLARED_NAME.source };

/** Gives a schema its name in the reference. */
type Name = <S extends z.ZodType>(schema: S, name: string, description: string) => S;

const STRICT_LEFT_OUT = "Left out it is `true` where a field is declared, else `false`; where a " +
  "definition is replaced, what it was.";

/** Names of an object's members. */
const namesOf = (object: z.ZodType): string[] => Object.keys((object as z.ZodObject).shape); // It is one.

/**
 * What definitions are made of: `given` from outside, where what has a default may be left out, or
 * `whole`, as they are stored and shown. What no schema can say, because it depends on several
 * members, `parseDefinition` refuses.
 */
export function definitionSchema(form: "given" | "whole", named: Name = (schema) => schema) {
  const filled = <S extends z.ZodType>(schema: S, value: z.core.util.NoUndefined<z.output<S>>) =>
    form === "given" ? schema.default(value) : schema;
  const suffix = form === "given" ? "Input" : "";

  const EnumValues = z.array(z.string().meta({ minLength: 1, maxLength: ENUM_VALUE_LENGTH_MAX }))
    .meta({
      description: "For `String`: the only values that it can have, each once, also of the " +
        "elements of an Array. Null fits where the field is not `required`.",
      ...(form === "given" && { minItems: 1, maxItems: ENUM_VALUES_MAX, uniqueItems: true }),
    });

  const nested = {
    type: z.enum(FIELD_TYPE_NAMES),
    ref: z.string().optional().describe("For `Ref`: a collection's name, or `users`."),
    enum: EnumValues.optional(),
    items: z.lazy(() => Item).optional(),
    fields: z.lazy(() => Fields).optional(),
  };

  const Item: z.ZodType<ItemDefinition> = named(
    z.strictObject(nested),
    `FieldItem${suffix}`,
    "What the elements of an `Array` are. An `Object` may have `fields`, an `Array` has `items`.",
  ) as z.ZodType<ItemDefinition>; // zod's optional members admit undefined, ours are left out.

  const Field: z.ZodType<FieldDefinition> = named(
    z.strictObject({
      key: z.string().meta(NAME),
      ...nested,
      required: filled(z.boolean(), false),
      unique: filled(z.boolean(), false).describe(
        `Whether no two documents may hold the same value, whoever owns them: only ${
          listed(UNIQUE_TYPES)
        } at the top level can be. ` + "In a `private` collection a 409 " +
          "`DUPLICATE_VALUE` tells a user that somebody has a value: where that is a secret, let " +
          "the value begin with its owner's id, so that it is unique with them.",
      ),
      index: filled(z.boolean(), false).describe(
        "Whether an index keeps filters and sorts by it fast; of an Array of single values, filters " +
          `by one of its elements, of which it may then hold up to ${INDEXED_ELEMENTS_MAX}. Every collection has one of \`createdAt\`, ` +
          "and with row-level security one of the owner with `createdAt`; a " +
          "`unique` field has its own.",
      ),
      search: filled(z.boolean(), false).describe(
        "Whether `search` looks for words in it: in a String or an Array of String, outside other " +
          `arrays. Up to ${SEARCH_FIELDS_MAX} fields. Of a document's search fields together the ` +
          `first ${SEARCHED_LENGTH_MAX} characters are read, and ${SEARCHED_WORDS_MAX} different ` +
          "words kept.",
      ),
      file: z.boolean().optional().describe(
        "Whether it holds paths of the project's files: of a String or an Array of String, outside " +
          "other arrays. Only paths of confirmed files can be stored, and of a signed-in user only " +
          "of their own; what a document holds already may stay. `populate` shows what is known of " +
          `them, with an address. A document holds up to ${DOCUMENT_FILES_MAX}. A field with stored ` +
          "values cannot become one: declare another one and copy them.",
      ),
      onDelete: z.enum(FILE_FATES).optional().describe(
        "With `file`: `remove` deletes a file, within a minute, when its document is removed for " +
          "good, or holds it no more, and no other document of the collection holds it. Its trash " +
          "counts. `keep` is the default.",
      ),
      default: z.unknown().optional().describe("Fills the field where it is missing; not null."),
      ...(form === "given" && {
        renamedFrom: z.string().optional().describe(
          "The field whose values this one takes over, in every document that has one. It is " +
            "declared in the definition that stands, and not in this one; this one is new. Only for " +
            "fields at the top of documents. It is not kept: once it is done, the same definition " +
            "can be sent again. In a new collection it moves nothing.",
        ),
      }),
    }),
    `Field${suffix}`,
    `A declared field. Fields nest up to ${DEFINITION_DEPTH_MAX} levels.`,
  ) as z.ZodType<FieldDefinition>; // As above.

  // Where the owner's field is not declared, it is added to them.
  const Fields = z.array(Field).meta(form === "given" ? { maxItems: DEFINITION_FIELDS_MAX } : {});

  const Rls = z.strictObject({
    enabled: filled(z.boolean(), RLS_DEFAULT.enabled),
    mode: filled(z.enum(["public-read", "private"]), RLS_DEFAULT.mode),
    ownerField: filled(z.string().meta(NAME), RLS_DEFAULT.ownerField),
  });

  const members = {
    name: z.string().meta({
      ...NAME,
      description: "Names that begin with `users` are reserved, in any letter case.",
    }),
    fields: filled(Fields, []),
    rls: filled(Rls, RLS_DEFAULT),
    strict: (form === "given" ? z.boolean().optional() : z.boolean()).describe(
      "Whether undeclared fields are refused." + (form === "whole" ? "" : " " + STRICT_LEFT_OUT),
    ),
    indexes: filled(
      z.array(named(
        z.strictObject({
          fields: z.array(z.string()).meta({
            minItems: 1,
            maxItems: INDEX_FIELDS_MAX,
            description:
              "Declared single values, `createdAt`, `updatedAt`, and at most one Array " +
              "of single values, where it is not unique; `-` descends.",
          }),
          unique: filled(z.boolean(), false).describe(
            "Whether no two documents may hold the same values of all the fields together. Binds " +
              "documents that are not deleted and have a value for each of them.",
          ),
        }),
        `Index${suffix}`,
        "An index keeps questions fast that fix its first fields, and bound or sort by the next.",
      )).meta(form === "given" ? { maxItems: INDEXES_MAX } : {}),
      [],
    ),
    events: filled(z.boolean(), true).describe(
      "Whether each change of a document is recorded for a day, for live lists and webhooks. " +
        "Without it neither hears of the collection, and a write takes a little less.",
    ),
  };
  const names = {
    definition: Object.keys(members),
    field: namesOf(Field),
    item: Object.keys(nested),
    rls: namesOf(Rls),
    index: ["fields", "unique"],
  };
  return { Field, members, names };
}
