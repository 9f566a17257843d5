import type { Parameter } from "../contract.ts";
import { buildDocument } from "../document.ts";
import type { Components, JsonSchema } from "./json_schema.ts";

export type ParameterOrRef = Parameter | { readonly $ref: string };

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ParameterOrRef[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, object>>;
}

/** The document of all operations, from which the documents of projects are derived. */
interface GeneralDocument {
  readonly openapi: string;
  readonly info: { readonly license: object; readonly contact: object };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: {
    readonly schemas: Components;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface LocatedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

interface GeneralParts {
  readonly document: GeneralDocument;
  readonly operations: ReadonlyMap<string, LocatedOperation>;
}

let parts: GeneralParts | null = null;

/** Returns the parts that all projects share. They are built once, at the first call. */
export function generalParts(): GeneralParts {
  if (parts !== null) return parts;
  const document = buildDocument() as unknown as GeneralDocument; // The declared type is wider than the value.
  const places = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      [operation.operationId, { path, method, operation }] as const
    )
  );
  return parts = { document, operations: new Map(places) };
}

/** Returns an operation with its path and method. Throws for an unknown id. */
export function findOperation(operationId: string): LocatedOperation {
  const place = generalParts().operations.get(operationId);
  if (place === undefined) throw new Error(`The document has no operation ${operationId}`);
  return place;
}
