import { parseJson } from "@/lib/store/json_text.ts";
import type { Parameter } from "../contract.ts";
import { DOCUMENT_EXAMPLE } from "../schemas/document.ts";
import { parametersOf } from "../shared_parts.ts";
import {
  type CollectionInContext,
  documentExample,
  patchExample,
  sentExample,
  shownName,
} from "./collection_schemas.ts";
import { generalParts, type Operation, placeOf, type ShownParameter } from "./general.ts";
import { type Components, type JsonSchema, referredName, refTo } from "./json_schema.ts";
import { copyName, SUFFIXES } from "./names.ts";
import { type Audience, COLLECTION_OPERATIONS, uniqueFields } from "./operations.ts";
import { ownParameters } from "./parameters.ts";

/** Operations whose other parameters filter. */
const FILTERED = ["listDocuments", "aggregateDocuments", "listenToDocuments"];

/** What is sent of and shown as a document, in the place of which each collection has its own. */
const GENERIC = ["Document", "ShownDocument", "DocumentInput", "DocumentChanges"];

/** Makes operations of one collection of those of all, and the schemas and parameters they need. */
export class CollectionCopies {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly parameters: Record<string, Parameter> = {};
  readonly #sources: Components;
  readonly #audience: Audience;
  /** Whether a schema holds a document, by its name. */
  readonly #holds = new Map<string, boolean>();
  #collection!: CollectionInContext;
  #filters: readonly Parameter[] = [];

  constructor(sources: Components, audience: Audience) {
    this.#sources = sources;
    this.#audience = audience;
  }

  /** From now on operations are this collection's. @param filters Parameters that filter it. */
  begin(collection: CollectionInContext, filters: readonly Parameter[]): void {
    this.#collection = collection;
    this.#filters = filters;
    for (const filter of filters) this.parameters[this.#parameterName(filter)] = filter;
  }

  operation(operationId: string): Operation {
    const { definition, name } = this.#collection;
    const { requestBody, responses, ...operation } = placeOf(operationId).operation;
    const example = bodyExample(operationId, this.#collection);
    // Without a unique field to find it by, no document that is there is changed.
    const onlyCreates = operationId === "createDocument" && uniqueFields(definition).length === 0;
    const { "200": _changed, ...created } = responses;
    return {
      ...operation,
      operationId: name.operation + COLLECTION_OPERATIONS[operationId],
      tags: [definition.name],
      parameters: this.#parametersOf(operationId, operation.parameters ?? []),
      ...(requestBody && {
        requestBody: this.#own({
          ...requestBody,
          content: {
            "application/json": { ...requestBody.content["application/json"]!, example },
          },
        }, operationId),
      }),
      responses: this.#own(onlyCreates ? created : responses, operationId),
    };
  }

  #parametersOf(operationId: string, shown: readonly ShownParameter[]): ShownParameter[] {
    const all = parametersOf(generalParts().document, shown)
      .map((parameter, i) => ({ shown: shown[i]!, parameter }));
    const own = ownParameters(this.#collection, {
      operationId,
      audience: this.#audience,
      all,
    });
    const names = new Set(own.map(({ name }) => name));
    const filters = FILTERED.includes(operationId)
      ? this.#filters.filter(({ name }) => !names.has(name))
      : [];
    return [
      ...own.map(({ shown }) => shown),
      ...filters.map((one) => ({ $ref: `#/components/parameters/${this.#parameterName(one)}` })),
    ];
  }

  #parameterName({ name }: Parameter): string {
    return `${this.#collection.name.type}.${name}`;
  }

  /** The same, with the collection's schemas and examples in the place of those of all. */
  #own<T>(value: T, operationId: string): T {
    const example = JSON.stringify(documentExample(this.#collection.definition));
    const text = JSON.stringify(value).replaceAll(GENERIC_EXAMPLE, () => example)
      .replaceAll(quoted(GENERIC_EXAMPLE), () => quoted(example));
    return withReferences(parseJson(text), (name) => this.#ownName(name, operationId)) as T; // Of its shape.
  }

  #ownName(name: string, operationId: string): string {
    const { name: { type } } = this.#collection;
    switch (name) {
      case "Document":
        return type + SUFFIXES.document;
      case "ShownDocument":
        return shownName(this.#collection);
      case "DocumentInput":
        return type + (operationId === "replaceDocument" ? SUFFIXES.replace : SUFFIXES.create);
      case "DocumentChanges":
        return type + SUFFIXES.patch;
    }
    if (!this.#holdsDocument(name)) return name;
    const copy = copyName(this.#collection.name, name);
    this.schemas[copy] ??= this.#own(this.#sources[name]!, operationId);
    return copy;
  }

  #holdsDocument(name: string): boolean {
    const known = this.#holds.get(name);
    if (known !== undefined) return known;
    const inner = [
      ...JSON.stringify(this.#sources[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g),
    ];
    const holds = inner.some(([, one]) => GENERIC.includes(one!) || this.#holdsDocument(one!));
    this.#holds.set(name, holds);
    return holds;
  }
}

/** The same, in which schemas that are referred to are others. */
function withReferences(value: unknown, ownName: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => withReferences(one, ownName));
  if (typeof value !== "object" || value === null) return value;
  const name = referredName(value);
  if (name !== null) return refTo(ownName(name));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withReferences(inner, ownName)]),
  );
}

const GENERIC_EXAMPLE = JSON.stringify(DOCUMENT_EXAMPLE);

/** As it stands in a text within JSON. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

function bodyExample(operationId: string, { definition }: CollectionInContext): unknown {
  switch (operationId) {
    case "createLiveTicket":
      return { query: "limit=20" };
    case "createDocuments":
      return { documents: [sentExample(definition)] };
    case "patchDocument":
      return patchExample(definition);
    default:
      return sentExample(definition);
  }
}
