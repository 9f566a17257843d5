import { parseJson } from "@/lib/store/json_text.ts";
import { DOCUMENT_EXAMPLE } from "../schemas/document.ts";
import { parametersOf } from "../shared_parts.ts";
import { inBrief } from "./brief.ts";
import {
  type CollectionInContext,
  documentExample,
  patchExample,
  sentExample,
  shownName,
} from "./collection_schemas.ts";
import type { FilterParameter } from "./filters.ts";
import { findOperation, generalParts, type Operation, type ParameterOrRef } from "./general.ts";
import { type Components, type JsonSchema, referredName, refTo } from "./json_schema.ts";
import { copyName, SUFFIXES } from "./names.ts";
import { type Audience, COLLECTION_OPERATIONS, uniqueFields } from "./operations.ts";
import { ownParameters } from "./parameters.ts";

const FILTERED = ["listDocuments", "aggregateDocuments", "listenToDocuments"];

/** Schemas of documents in general, which each collection replaces with its own. */
const GENERIC_DOCUMENTS = ["Document", "ShownDocument", "DocumentInput", "DocumentChanges"];

/** Copies the general operations for each collection. Equal parts share a component. */
export class CollectionCopies {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly parameters: Record<string, object> = {};
  readonly responses: Record<string, object> = {};
  readonly #sources: Components;
  readonly #audience: Audience;
  readonly #isBrief: boolean;
  /** Whether a schema contains a document, by the schema's name. */
  readonly #holds = new Map<string, boolean>();
  readonly #brief: Record<string, JsonSchema> = {};
  readonly #templates = new Map<string, Operation>();
  /** Whether an answer differs between collections, by its operation and status. */
  readonly #ownResponses = new Map<string, boolean>();
  /** Component names of the collection's answers, by their JSON texts. */
  readonly #answers = new Map<string, string>();
  #collection!: CollectionInContext;
  #filters: readonly FilterParameter[] = [];

  /** @param isBrief Whether descriptions and examples are left out. */
  constructor(
    sources: Components,
    { audience, isBrief }: { readonly audience: Audience; readonly isBrief: boolean },
  ) {
    this.#sources = sources;
    this.#audience = audience;
    this.#isBrief = isBrief;
  }

  /** Selects the collection of the next copies. @param filters Its filter parameters. */
  selectCollection(collection: CollectionInContext, filters: readonly FilterParameter[]): void {
    this.#collection = collection;
    this.#filters = filters;
    this.#answers.clear();
    for (const { component, parameter } of filters) this.parameters[component] = parameter;
  }

  copyOperation(operationId: string): Operation {
    const { definition, name } = this.#collection;
    const { requestBody, responses, ...operation } = this.#template(operationId);
    // An upsert finds an existing document by a unique field.
    const onlyCreates = operationId === "createDocument" && uniqueFields(definition).length === 0;
    const { "200": _changed, ...created } = responses;
    return {
      ...operation,
      operationId: name.operation + COLLECTION_OPERATIONS[operationId],
      tags: [definition.name],
      parameters: this.#parametersOf(operationId, operation.parameters ?? []),
      ...(requestBody && { requestBody: this.#body(requestBody, operationId) }),
      responses: Object.fromEntries(
        Object.entries(onlyCreates ? created : responses)
          .map(([status, one]) => [status, this.#response(one, operationId, status)]),
      ),
    };
  }

  #template(operationId: string): Operation {
    const known = this.#templates.get(operationId);
    if (known !== undefined) return known;
    const { operation } = findOperation(operationId);
    const { description: _said, ...brief } = operation;
    const { requestBody, responses } = operation;
    const template = !this.#isBrief ? operation : {
      ...brief,
      ...(requestBody && { requestBody: inBrief(requestBody, ["example", "description"]) }),
      responses: inBrief(responses, ["example"]),
    };
    this.#templates.set(operationId, template);
    return template;
  }

  #body(body: NonNullable<Operation["requestBody"]>, operationId: string) {
    if (this.#isBrief) return this.#own(body, operationId);
    const example = bodyExample(operationId, this.#collection);
    const content = { "application/json": { ...body.content["application/json"]!, example } };
    return this.#own({ ...body, content }, operationId);
  }

  /** Returns the answer with the collection's own documents, or a reference to a shared answer. */
  #response(response: object, operationId: string, status: string): object {
    const name = `${operationId}.${status}`;
    const isOwn = this.#ownResponses.get(name) ?? this.#hasDocuments(response);
    this.#ownResponses.set(name, isOwn);
    if (!isOwn) {
      this.responses[name] ??= response;
      return { $ref: RESPONSES + name };
    }
    const own = this.#own(response, operationId);
    if (!this.#isBrief) return own;
    // Most answers are equal, because they contain the stored document.
    const text = JSON.stringify(own);
    const known = this.#answers.get(text) ?? `${this.#collection.name.type}.${name}`;
    this.#answers.set(text, known);
    this.responses[known] ??= own;
    return { $ref: RESPONSES + known };
  }

  #hasDocuments(response: object): boolean {
    const text = JSON.stringify(response);
    return text.includes(GENERIC_EXAMPLE) || text.includes(QUOTED_EXAMPLE) ||
      this.#holdsDocuments(text);
  }

  #parametersOf(operationId: string, shown: readonly ParameterOrRef[]): ParameterOrRef[] {
    const { type } = this.#collection.name;
    const all = parametersOf(generalParts().document, shown)
      .map((parameter, i) => ({ shown: shown[i]!, parameter }));
    const own = ownParameters(this.#collection, {
      operationId,
      audience: this.#audience,
      isBrief: this.#isBrief,
      all,
    });
    const names = new Set(own.map(({ name }) => name));
    const filters = FILTERED.includes(operationId)
      ? this.#filters.filter(({ parameter: { name } }) => !names.has(name))
      : [];
    return [
      ...own.map(({ name, value: shown, isOwn }) =>
        this.#reference(`${isOwn ? type : operationId}.${name}`, shown)
      ),
      ...filters.map(({ component }) => ({ $ref: PARAMETERS + component })),
    ];
  }

  /** Returns a reference to the parameter's component, or the parameter if the name is taken. */
  #reference(component: string, shown: ParameterOrRef): ParameterOrRef {
    if ("$ref" in shown) return shown;
    const known = this.parameters[component] ??= shown;
    return isSame(known, shown) ? { $ref: PARAMETERS + component } : shown;
  }

  /** Replaces the general schemas and examples in a value with the collection's. */
  #own<T>(value: T, operationId: string): T {
    const ownName = (name: string) => this.#ownName(name, operationId);
    if (this.#isBrief) return withReferences(value, ownName) as T; // The shape is unchanged.
    const example = JSON.stringify(documentExample(this.#collection.definition));
    const text = JSON.stringify(value).replaceAll(GENERIC_EXAMPLE, () => example)
      .replaceAll(QUOTED_EXAMPLE, () => quoted(example));
    return withReferences(parseJson(text), ownName) as T; // The shape is unchanged.
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
    const merged = this.#isBrief ? name.replace(STORED_ANSWER, "DocumentAnswer") : name;
    const copy = copyName(this.#collection.name, merged);
    this.schemas[copy] ??= this.#own(this.#source(name), operationId);
    return copy;
  }

  #source(name: string): JsonSchema {
    const source = this.#sources[name]!;
    if (!this.#isBrief) return source;
    return this.#brief[name] ??= inBrief(source, ["example", "description"]);
  }

  #holdsDocument(name: string): boolean {
    const known = this.#holds.get(name);
    if (known !== undefined) return known;
    const holds = this.#holdsDocuments(JSON.stringify(this.#sources[name]));
    this.#holds.set(name, holds);
    return holds;
  }

  /** Whether a JSON text refers to a schema that contains a document. */
  #holdsDocuments(text: string): boolean {
    const inner = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    return inner.some(([, one]) => GENERIC_DOCUMENTS.includes(one!) || this.#holdsDocument(one!));
  }
}

const PARAMETERS = "#/components/parameters/";
const RESPONSES = "#/components/responses/";

/** Answers that differ only by the examples of their messages, which a brief document omits. */
const STORED_ANSWER = /^(?:Create|Replace|Patch|Recover)DocumentAnswer(?:20[01])?$/;

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Renames the schemas that a value refers to. */
function withReferences(value: unknown, ownName: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => withReferences(one, ownName));
  if (typeof value !== "object" || value === null) return value;
  const name = referredName(value);
  if (name !== null) return refTo(ownName(name));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withReferences(inner, ownName)]),
  );
}

/** Escapes a text for use inside a JSON string. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

const GENERIC_EXAMPLE = JSON.stringify(DOCUMENT_EXAMPLE);
const QUOTED_EXAMPLE = quoted(GENERIC_EXAMPLE);

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
