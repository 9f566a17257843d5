import type { Parameter } from "../contract.ts";
import { buildDocument } from "../document.ts";
import type { Components, JsonSchema } from "./json_schema.ts";

export type ShownParameter = Parameter | { readonly $ref: string };

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ShownParameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, object>>;
}

/** The document of all operations, from which those of projects are cut. */
interface General {
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

/** An operation where the document has it. */
export interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

interface GeneralParts {
  readonly document: General;
  readonly places: ReadonlyMap<string, Place>;
}

let parts: GeneralParts | null = null;

/** What is the same for all projects: made when the first asks, then kept. */
export function generalParts(): GeneralParts {
  if (parts !== null) return parts;
  const document = buildDocument() as unknown as General; // Its type is wider than what it holds.
  const places = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      [operation.operationId, { path, method, operation }] as const
    )
  );
  return parts = { document, places: new Map(places) };
}

/** Where the document of all operations has one of them. */
export function placeOf(operationId: string): Place {
  const place = generalParts().places.get(operationId);
  if (place === undefined) throw new Error(`The document has no operation ${operationId}`);
  return place;
}
