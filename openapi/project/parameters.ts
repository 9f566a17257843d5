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
import type { ParameterOrRef } from "./general.ts";
import { type Audience, uniqueFields } from "./operations.ts";

export interface NamedParameter {
  readonly name: string;
  readonly value: ParameterOrRef;
  /** Whether the collection has its own variant of the general parameter. */
  readonly isOwn: boolean;
}

/** Returns a collection's parameters without useless ones. @param all With resolved references. */
export function ownParameters(
  collection: CollectionInContext,
  { operationId, audience, isBrief, all }: {
    readonly operationId: string;
    readonly audience: Audience;
    /** Whether the collection's own descriptions and examples are left out. */
    readonly isBrief: boolean;
    readonly all: readonly { readonly shown: ParameterOrRef; readonly parameter: Parameter }[];
  },
): NamedParameter[] {
  const described = { ...ownSchemas(collection), ...(!isBrief && ownTexts(collection)) };
  return all.flatMap(({ shown, parameter }): NamedParameter[] => {
    const { in: place } = parameter;
    // `upsert` of `replaceDocument` is a different parameter, a flag.
    const name = operationId === "createDocument" && parameter.name === "upsert"
      ? UPSERT_BY
      : parameter.name;
    const unchanged = { name: parameter.name, value: shown, isOwn: false };
    if (place !== "query") return name === "collectionName" ? [] : [unchanged];
    if (!isOfUse(collection, audience, name)) return [];
    // Groups are sorted by their own fields and figures.
    const own = name === "sort" && operationId === "aggregateDocuments"
      ? undefined
      : described[name];
    return own === undefined ? [unchanged] : [{
      name: parameter.name,
      value: { ...parameter, ...own },
      isOwn: true,
    }];
  });
}

/** Internal name of the `upsert` of `POST`, which names a unique field. */
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
      return pathsOfTypes(definition, SUMMABLE_TYPES).length > 0;
    default:
      return true;
  }
}

/** Returns schemas that differ between collections, by parameter name. */
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

/** Returns descriptions and examples with the collection's fields, by parameter name. */
function ownTexts(
  { definition, referrers }: CollectionInContext,
): Readonly<Record<string, Partial<Parameter>>> {
  const sorted = pathsOfTypes(definition, SCALARS)
    .filter((name) => name !== "isDeleted");
  const references = [
    ...referencePaths(definition.fields, ""),
    ...referrers.map(({ collection, field }) => `${collection}(${field})`),
  ];
  const numbers = pathsOfTypes(definition, SUMMABLE_TYPES);
  return {
    sort: {
      description: `Any of ${listNames(sorted)}, ` +
        "comma-separated; `-field` or `field:desc` descends.",
    },
    group: { example: sorted[0] ?? "createdAt:day" },
    ...(numbers.length > 0 && { sum: { example: numbers[0]! } }),
    ...(references.length > 0 && {
      populate: {
        description: `Any of ${listNames(references)}, comma-separated, and paths into these. ` +
          "Each collection's own rules apply: an id stays an id if the caller may not see its " +
          "document, and referring documents that the caller may not see are left out.",
        example: references[0]!,
      },
    }),
  };
}

const SUMMABLE_TYPES = typesWithFigure("sum");

/** Number of names in a description, because thousands of fields may refer to a collection. */
const LISTED_MAX = 100;

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, LISTED_MAX).map((name) => `\`${name}\``).join(", ");
  const more = names.length - LISTED_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const pathsOfTypes = (definition: CollectionDefinition, kinds: readonly string[]): string[] =>
  filterablesOf(definition).filter(({ kind, isList }) => !isList && kinds.includes(kind))
    .map(({ path }) => path);

/** Returns the paths of declared references and files, including those in declared objects. */
function referencePaths(fields: readonly FieldDefinition[], at: string): string[] {
  return fields.flatMap(({ key, ref, items, file, fields = [] }) => {
    const path = at + key;
    const refers = ref !== undefined || items?.ref !== undefined || file;
    return [...(refers ? [path] : []), ...referencePaths(fields, `${path}.`)];
  });
}
