import { parseJson } from "@/lib/store/json_text.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { parametersOf } from "@/openapi/shared_parameters.ts";

/** A schema of the document, as far as pages tell of it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Body {
  readonly required: boolean;
  readonly description?: string;
  readonly content: Readonly<Record<string, Content>>;
}

export interface Answer {
  readonly status: number;
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Readonly<Record<string, Content>>;
}

/** What a page tells of an operation, without references but in schemas. */
export interface ShownOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Ways to call it, each by the schemes that it needs together; none for anyone. */
  readonly security: readonly (readonly string[])[];
  readonly parameters: readonly Parameter[];
  readonly body: Body | null;
  readonly successes: readonly Answer[];
  readonly refusals: readonly { readonly status: number; readonly codes: readonly ProblemCode[] }[];
}

export interface SecurityScheme {
  readonly name?: string;
  readonly in?: string;
  readonly description: string;
}

interface Stored {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Omit<Answer, "status"> | { readonly $ref: string }>>;
}

/** A document, as it stands in its file. */
export interface StoredDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Stored>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Omit<Answer, "status">>>;
  };
}

/** The document as pages need it. */
export interface ReferenceDocument {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  operation(operationId: string): ShownOperation;
}

const FILE = new URL("../../openapi/openapi.json", import.meta.url);

/** Reads the committed document: to make it anew takes far longer. */
export async function readDocument(): Promise<ReferenceDocument> {
  const document = parseJson(await Deno.readTextFile(FILE)) as unknown as StoredDocument;
  const { components } = document;
  return {
    schemas: components.schemas,
    securitySchemes: components.securitySchemes,
    operation(operationId) {
      for (const place of placesIn(document)) {
        if (place.stored.operationId === operationId) return shownOperation(components, place);
      }
      throw new Error(`openapi.json has no operation "${operationId}": run deno task openapi`);
    },
  };
}

/** All operations of a document, in its order. */
export const shownOperations = (document: StoredDocument): ShownOperation[] =>
  [...placesIn(document)].map((place) => shownOperation(document.components, place));

interface Place {
  readonly path: string;
  readonly method: string;
  readonly stored: Stored;
}

function* placesIn({ paths }: StoredDocument): Generator<Place> {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, stored] of Object.entries(methods)) yield { path, method, stored };
  }
}

function shownOperation(
  components: StoredDocument["components"],
  { path, method, stored }: Place,
): ShownOperation {
  const { operationId, tags: [tag], summary, description, security } = stored;
  const answers = Object.entries(stored.responses).map(([status, one]) => ({
    status: Number(status),
    ...("$ref" in one ? components.responses[lastName(one.$ref)]! : one),
  }));
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    tag,
    summary,
    description,
    security: security.map((one) => Object.keys(one)),
    parameters: parametersOf({ components }, stored.parameters),
    body: stored.requestBody ?? null,
    successes: answers.filter(({ status }) => status < 400),
    refusals: answers.filter(({ status }) => status >= 400).map(({ status, content }) => ({
      status,
      codes: Object.keys(content!["application/json"]!.examples!) as ProblemCode[],
    })),
  };
}

/** The name at the end of a reference. */
export const lastName = (reference: string): string => reference.split("/").at(-1)!;
