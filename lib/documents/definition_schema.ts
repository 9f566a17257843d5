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

export const listText = (names: readonly string[]): string =>
  new Intl.ListFormat("en-GB").format(names);

export const UNIQUE_TYPES: readonly string[] = scalarTypesWith(({ canBeUnique }) => canBeUnique);

const RLS_DEFAULT: RlsSetting = { enabled: true, mode: "private", ownerField: "userId" };

/** Documents the pattern in the reference. `parseDefinition` checks it, with its own message. */
const NAME = { pattern: DECLARED_NAME.source };

/** Registers a schema under its name in the reference. */
type NameSchema = <S extends z.ZodType>(schema: S, name: string, description: string) => S;

const STRICT_LEFT_OUT =
  "If left out in a new definition, it is `true` if a field is declared, and " +
  "`false` otherwise. If left out in a replacement, it keeps its value.";

/** @param object A `ZodObject`. */
const namesOf = (object: z.ZodType): string[] => Object.keys((object as z.ZodObject).shape);

/** Members with a default are optional in the form `given`, which clients send. */
export function definitionSchema(form: "given" | "stored", named: NameSchema = (schema) => schema) {
  const filled = <S extends z.ZodType>(schema: S, value: z.core.util.NoUndefined<z.output<S>>) =>
    form === "given" ? schema.default(value) : schema;
  const suffix = form === "given" ? "Input" : "";

  const EnumValues = z.array(z.string().meta({ minLength: 1, maxLength: ENUM_VALUE_LENGTH_MAX }))
    .meta({
      description: "For `String`, also as the elements of an Array: the allowed values, without " +
        "duplicates. Null is allowed unless the field is `required`.",
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
    "The elements of an `Array`. An `Object` may have `fields`, an `Array` has `items`.",
  ) as z.ZodType<ItemDefinition>; // zod's optional members admit undefined, ours are left out.

  const Field: z.ZodType<FieldDefinition> = named(
    z.strictObject({
      key: z.string().meta(NAME),
      ...nested,
      required: filled(z.boolean(), false),
      unique: filled(z.boolean(), false).describe(
        `Whether two documents cannot have the same value, regardless of their owners. Only ${
          listText(UNIQUE_TYPES)
        } at the top level can be unique. ` + "In a `private` collection a 409 " +
          "`DUPLICATE_VALUE` reveals that another user has the value. If that is a secret, let " +
          "the value begin with its owner's id, so that it is unique only among the owner's " +
          "documents.",
      ),
      index: filled(z.boolean(), false).describe(
        "Whether the field has an index, which makes filters and sorts by it fast. The index " +
          "of an Array of single values serves filters by one of its elements; the array may " +
          `then have up to ${INDEXED_ELEMENTS_MAX} elements. Every collection has an index of ` +
          "`createdAt` and, with row-level security, an index of the owner and `createdAt`. " +
          "A `unique` field always has an index.",
      ),
      search: filled(z.boolean(), false).describe(
        "Whether `search` covers the field: a String or an Array of String, outside other " +
          `arrays. A collection can have up to ${SEARCH_FIELDS_MAX} such fields. The first ` +
          `${SEARCHED_LENGTH_MAX} characters and ${SEARCHED_WORDS_MAX} different words of a ` +
          "document's search fields together are indexed.",
      ),
      file: z.boolean().optional().describe(
        "Whether the field holds paths of the project's files: a String or an Array of String, " +
          "outside other arrays. Only paths of confirmed files can be stored, and a signed-in " +
          "user can store only paths of their own files. Paths that a document already holds may " +
          "stay. `populate` replaces the paths with the files' details and addresses. A " +
          `document can hold up to ${DOCUMENT_FILES_MAX} files. A field with stored values ` +
          "cannot become a file field: declare another field and copy the values.",
      ),
      onDelete: z.enum(FILE_FATES).optional().describe(
        "With `file`: `remove` deletes a file within a minute after its document is " +
          "removed permanently or no longer holds it, unless another document of the collection " +
          "holds the file, in the trash or not. `keep` is the default.",
      ),
      default: z.unknown().optional().describe("The value of a missing field. It cannot be null."),
      ...(form === "given" && {
        renamedFrom: z.string().optional().describe(
          "The previous name of a renamed field, whose values move to this field in all " +
            "documents. The current definition declares the previous name and not the new one. " +
            "Only fields at the top level of documents can be renamed. The member is not stored: " +
            "after the rename, the same definition can be sent again. It has no effect in a new " +
            "collection.",
        ),
      }),
    }),
    `Field${suffix}`,
    `A declared field. Fields nest up to ${DEFINITION_DEPTH_MAX} levels.`,
  ) as z.ZodType<FieldDefinition>; // As above.

  // No `maxItems` in the stored form: the owner's field is added if it is not declared.
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
      "Whether undeclared fields are refused." + (form === "stored" ? "" : " " + STRICT_LEFT_OUT),
    ),
    indexes: filled(
      z.array(named(
        z.strictObject({
          fields: z.array(z.string()).meta({
            minItems: 1,
            maxItems: INDEX_FIELDS_MAX,
            description:
              "Declared fields of single values, `createdAt`, `updatedAt` and, unless the " +
              "index is unique, at most one Array of single values. A leading `-` means " +
              "descending.",
          }),
          unique: filled(z.boolean(), false).describe(
            "Whether two documents cannot have the same values in all of the fields. Applies to " +
              "documents that are not deleted and have a value in each of the fields.",
          ),
        }),
        `Index${suffix}`,
        "An index makes queries fast that compare its first fields for equality, and compare or " +
          "sort by the field after them.",
      )).meta(form === "given" ? { maxItems: INDEXES_MAX } : {}),
      [],
    ),
    events: filled(z.boolean(), true).describe(
      "Whether each change of a document is recorded for a day, for live lists and webhooks. " +
        "If it is `false`, they do not receive changes of the collection, and writes are " +
        "slightly faster.",
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
