import type { CollectionDefinition, FieldDefinition } from "@/lib/documents/fields.ts";
import { searchPaths } from "@/lib/documents/definition_indexes.ts";
import { WHERE_BYTES_MAX } from "@/lib/limits.ts";
import { typesWithFigure } from "@/lib/store/shape.ts";
import type { Parameter } from "../contract.ts";
import { canPopulate, type CollectionInContext } from "./collection_schemas.ts";
import { SCALARS } from "./field_schemas.ts";
import { filterablesOf } from "./filters.ts";
import { refTo } from "./json_schema.ts";
import { SUFFIXES } from "./names.ts";
import type { ShownParameter } from "./general.ts";
import { type Audience, uniqueFields } from "./operations.ts";

/** A parameter of one collection. */
export interface NamedParameter {
  readonly name: string;
  readonly shown: ShownParameter;
  /** Whether the collection has a parameter of its own in the place of that of all collections. */
  readonly isOwn: boolean;
}

/**
 * Parameters of an operation as one collection has them: those that it has no use for are left out,
 * and what may stand in the others is said. @param all With what they refer to.
 */
export function ownParameters(
  collection: CollectionInContext,
  { operationId, audience, isBrief, all }: {
    readonly operationId: string;
    readonly audience: Audience;
    /** Whether texts and examples of the collection's own are left out. */
    readonly isBrief: boolean;
    readonly all: readonly { readonly shown: ShownParameter; readonly parameter: Parameter }[];
  },
): NamedParameter[] {
  const described = { ...ownSchemas(collection), ...(!isBrief && ownTexts(collection)) };
  return all.flatMap(({ shown, parameter }): NamedParameter[] => {
    const { in: place } = parameter;
    // With `replaceDocument` it is another, which says whether to create.
    const name = operationId === "createDocument" && parameter.name === "upsert"
      ? UPSERT_BY
      : parameter.name;
    const asItIs = { name: parameter.name, shown, isOwn: false };
    if (place !== "query") return name === "collectionName" ? [] : [asItIs];
    if (!isOfUse(collection, audience, name)) return [];
    // Groups are sorted by what is asked of them.
    const own = name === "sort" && operationId === "aggregateDocuments"
      ? undefined
      : described[name];
    return own === undefined ? [asItIs] : [{
      name: parameter.name,
      shown: { ...parameter, ...own },
      isOwn: true,
    }];
  });
}

/** The unique field that `POST` looks for a document by. */
const UPSERT_BY = "upsert by";

function isOfUse(collection: CollectionInContext, audience: Audience, name: string): boolean {
  const { definition } = collection;
  switch (name) {
    case "explain":
    case "permanent":
      return audience === "server";
    case "search":
      return searchPaths(definition.fields).length > 0;
    case "populate":
    case "expand":
      return canPopulate(collection);
    case "offset":
    case "skip":
    case "filter":
      return definition.fields.every(({ key }) => key !== name);
    case UPSERT_BY:
      return uniqueFields(definition).length > 0;
    case "sum":
    case "avg":
      return namesOf(definition, SUMMED).length > 0;
    default:
      return true;
  }
}

/** What takes other values in each collection, by the names of parameters. */
function ownSchemas(
  { definition, name }: CollectionInContext,
): Readonly<Record<string, Partial<Parameter>>> {
  const unique = uniqueFields(definition);
  return {
    where: {
      schema: {
        type: "string",
        minLength: 1,
        maxLength: WHERE_BYTES_MAX,
        contentMediaType: "application/json",
        contentSchema: refTo(name.type + SUFFIXES.where),
      },
    },
    ...(unique.length > 0 && {
      [UPSERT_BY]: { schema: { type: "string", enum: unique }, example: unique[0]! },
    }),
  };
}

/** What is said of the collection's own fields, by the names of parameters. */
function ownTexts(
  { definition, referrers }: CollectionInContext,
): Readonly<Record<string, Partial<Parameter>>> {
  const sorted = namesOf(definition, SCALARS)
    .filter((name) => name !== "isDeleted");
  const references = [
    ...referencePaths(definition.fields, ""),
    ...referrers.map(({ collection, field }) => `${collection}(${field})`),
  ];
  const numbers = namesOf(definition, SUMMED);
  return {
    sort: {
      description: `Of ${listed(sorted)}, ` +
        "comma-separated; `-field` or `field:desc` descends.",
    },
    group: { example: sorted[0] ?? "createdAt:day" },
    ...(numbers.length > 0 && { sum: { example: numbers[0]! } }),
    ...(references.length > 0 && {
      populate: {
        description: `Of ${listed(references)}, comma-separated, and of what these refer to. ` +
          "Each is read under the rules of its own collection: an id of no document that the " +
          "caller may see stays an id, and a document that refers back and may not be seen is " +
          "left out.",
        example: references[0]!,
      },
    }),
  };
}

/** Types of which there are sums and averages. */
const SUMMED = typesWithFigure("sum");

/** Names that a description lists: a collection may be referred to by thousands of fields. */
const LISTED_MAX = 100;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED_MAX).map((name) => `\`${name}\``).join(", ");
  const more = names.length - LISTED_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const namesOf = (
  definition: CollectionDefinition,
  kinds: readonly string[],
): string[] =>
  filterablesOf(definition).filter(({ kind, isList }) => !isList && kinds.includes(kind))
    .map(({ path }) => path);

/** Declared references and files, also those in declared objects. */
function referencePaths(fields: readonly FieldDefinition[], at: string): string[] {
  return fields.flatMap(({ key, ref, items, file, fields = [] }) => {
    const path = at + key;
    const refers = ref !== undefined || items?.ref !== undefined || file;
    return [...(refers ? [path] : []), ...referencePaths(fields, `${path}.`)];
  });
}
