import { parseJson } from "@/lib/store/json_text.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { exampleOf } from "@/openapi/shared_examples.ts";
import { lastName, parametersOf } from "@/openapi/shared_parts.ts";

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

type Contents = Readonly<Record<string, Content>>;

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Body {
  readonly required: boolean;
  readonly description?: string;
  readonly content: Contents;
}

interface Header {
  readonly description: string;
}

export interface Answer {
  readonly status: number;
  readonly description: string;
  readonly headers: Readonly<Record<string, Header>>;
  readonly content?: Contents;
}

/** An operation as pages show it. Only its schemas contain references. */
export interface ReferenceOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Alternative combinations of security schemes; empty if credentials are not required. */
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

interface StoredOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, StoredAnswer | Reference>>;
}

interface Reference {
  readonly $ref: string;
}

interface StoredAnswer extends Omit<Answer, "status" | "headers"> {
  readonly headers?: Readonly<Record<string, Header | Reference>>;
}

export interface StoredDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, StoredOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, StoredAnswer>>;
  };
}

export interface ReferenceDocument {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  operation(operationId: string): ReferenceOperation;
}

const FILE = new URL("../../openapi/openapi.json", import.meta.url);

/** Reads the committed document, because generating it takes far longer. */
export async function readDocument(): Promise<ReferenceDocument> {
  const document = parseJson(await Deno.readTextFile(FILE)) as unknown as StoredDocument;
  const { components } = document;
  return {
    schemas: components.schemas,
    securitySchemes: components.securitySchemes,
    operation(operationId) {
      for (const place of operationEntries(document)) {
        if (place.stored.operationId === operationId) {
          return toReferenceOperation(components, place);
        }
      }
      throw new Error(`openapi.json has no operation "${operationId}": run deno task openapi`);
    },
  };
}

export const listOperations = (document: StoredDocument): ReferenceOperation[] =>
  [...operationEntries(document)].map((place) => toReferenceOperation(document.components, place));

interface OperationEntry {
  readonly path: string;
  readonly method: string;
  readonly stored: StoredOperation;
}

function* operationEntries({ paths }: StoredDocument): Generator<OperationEntry> {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, stored] of Object.entries(methods)) yield { path, method, stored };
  }
}

function toReferenceOperation(
  components: StoredDocument["components"],
  { path, method, stored }: OperationEntry,
): ReferenceOperation {
  const { operationId, tags: [tag], summary, description, security } = stored;
  const { schemas } = components;
  const answers = Object.entries(stored.responses).map(([status, one]) => {
    const answer = "$ref" in one ? components.responses[lastName(one.$ref)]! : one;
    const headers = Object.entries(answer.headers ?? {}).map(([name, header]) =>
      [name, "$ref" in header ? components.headers[lastName(header.$ref)]! : header] as const
    );
    return {
      ...answer,
      status: Number(status),
      headers: Object.fromEntries(headers),
      ...(answer.content && { content: withExamples(answer.content, schemas) }),
    };
  });
  const { requestBody: body } = stored;
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    tag,
    summary,
    description,
    security: security.map((one) => Object.keys(one)),
    parameters: parametersOf({ components }, stored.parameters),
    body: body === undefined ? null : { ...body, content: withExamples(body.content, schemas) },
    successes: answers.filter(({ status }) => status < 400),
    refusals: answers.filter(({ status }) => status >= 400).map(({ status, content }) => ({
      status,
      codes: Object.keys(content!["application/json"]!.examples!) as ProblemCode[],
    })),
  };
}

/** Adds the example of the schema to contents without their own example. */
const withExamples = (contents: Contents, schemas: Readonly<Record<string, Schema>>): Contents =>
  Object.fromEntries(
    Object.entries(contents).map(([type, content]) => {
      const example = content.example ?? exampleOf(content.schema, schemas);
      return [type, { ...content, ...(example !== undefined && { example }) }];
    }),
  );
