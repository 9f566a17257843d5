import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import type { ZodType } from "zod";
import { isDataPath } from "@/lib/http/path.ts";
import { SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import type { StorageRuleServices } from "@/lib/files/storage_input.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import type { HeaderParameters, InputProblems, PathParameters, QuerySpec } from "./inputs.ts";
import { refusalReferences } from "./refusals.ts";
import type { Security } from "./security.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

interface BodyShape extends InputProblems {
  readonly example: unknown;
  readonly description: string;
  /** Maximum size in bytes. Default: `SMALL_BODY_BYTES_MAX`. */
  readonly bytesMax?: number;
  readonly optional?: boolean;
  /** Whether a body that cannot be parsed is ignored instead of refused. */
  readonly lenient?: boolean;
  /** A header that replaces the body: if it is sent, the body is ignored. */
  readonly overriddenBy?: string;
}

/** A JSON body that its schema parses before the handler is called. */
export interface SchemaBody<B> extends BodyShape {
  readonly schema: ZodType<B>;
  readonly parse?: undefined;
  readonly byHandler?: undefined;
}

/** An object read by a parser whose rules exceed a schema. The schema is for the document. */
export interface ParsedBody<B> extends BodyShape {
  readonly schema: ZodType;
  parse(members: object, context: ParseContext): B;
  readonly byHandler?: undefined;
}

/** A body that the handler reads itself, because its rules depend on a collection's definition. */
export interface HandlerBody extends BodyShape {
  readonly schema: ZodType;
  readonly parse?: undefined;
  readonly byHandler: true;
}

export type BodySpec<B = unknown> = SchemaBody<B> | ParsedBody<B> | HandlerBody;

export const bodyBytesMax = (
  { bytesMax = SMALL_BODY_BYTES_MAX }: Pick<BodyShape, "bytesMax">,
): number => bytesMax;

/** The parts of the request and the server that body parsers may use. */
export interface ParseContext {
  readonly params: Readonly<Record<string, string>>;
  readonly services: StorageRuleServices;
}

/** A body that is not parsed: the handler reads its bytes as they arrive. */
export interface RawBodySpec {
  readonly description: string;
  /** The media type; any type if left out. */
  readonly type?: string;
}

export interface Success {
  readonly status: number;
  readonly description: string;
  /** Schema of `data` in the envelope; null for an answer without an envelope. */
  readonly data: ZodType | null;
  /** Schema name of an answer that operations share. Default: derived from the operation's id. */
  readonly name?: string;
  /** Members of the envelope that `data` repeats. */
  readonly duplicatedMembers?: Readonly<Record<string, ZodType>>;
  /** Optional members of the envelope in addition to `data`. */
  readonly topLevelMembers?: Readonly<Record<string, z.ZodOptional<ZodType>>>;
  /** A body without an envelope, instead of the envelope or as an alternative to it. */
  readonly content?: {
    readonly type: string;
    readonly schema: ZodType;
    /** Example, if it differs from the envelope's `data`. */
    readonly example?: unknown;
  };
  readonly example?: unknown;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Spec<
  P,
  B = unknown,
  N extends PathParameters = PathParameters,
  Q = unknown,
  H extends HeaderParameters = HeaderParameters,
> {
  readonly operationId: string;
  readonly tag: string;
  readonly method: Method;
  /** Path with parameters in braces: `/api/data/{collectionName}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly security: Security<P>;
  readonly params?: N;
  readonly query?: QuerySpec<Q>;
  /** Headers by lower-case names, parsed before the handler is called. */
  readonly headers?: H;
  /** OpenAPI description of a query that has its own parser. */
  readonly parameters?: readonly Parameter[];
  readonly body?: BodySpec<B>;
  readonly rawBody?: RawBodySpec;
  readonly success: readonly Success[];
  /** Extra milliseconds of the handler's timeout, for operations that wait for another service. */
  readonly extraMs?: number;
  /** Problems of the operation itself, without those of its guard, its input and the server. */
  readonly problems: readonly ProblemCode[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "query";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
  readonly style?: string;
  readonly explode?: boolean;
}

export interface Contract<
  P,
  B = unknown,
  N extends PathParameters = PathParameters,
  Q = unknown,
  H extends HeaderParameters = HeaderParameters,
> extends Spec<P, B, N, Q, H> {
  readonly codes: readonly ProblemCode[];
  readonly route: RouteConfig;
  /** The operation whose handler also answers this one; if left out, it has its own handler. */
  readonly mirrors?: Pick<Spec<unknown>, "operationId">;
}

const READING_PROBLEMS: readonly ProblemCode[] = [
  "UNSUPPORTED_MEDIA_TYPE",
  "BODY_TOO_LARGE",
  "REQUEST_TIMEOUT",
  "INVALID_JSON",
];

const SERVER_PROBLEMS: readonly ProblemCode[] = [
  "QUERY_TOO_LONG",
  "INTERNAL",
  "STORE_UNAVAILABLE",
  "SERVER_BUSY",
  "STOPPING",
  "HANDLER_TIMEOUT",
];

/** Declares an operation: the single source of its routing, its guard and its documentation. */
export function contract<
  P,
  B = undefined,
  N extends PathParameters = Record<never, never>,
  Q = undefined,
  H extends HeaderParameters = Record<never, never>,
>(spec: Spec<P, B, N, Q, H>): Contract<P, B, N, Q, H> {
  const codes = [
    ...new Set([
      ...inputProblems(spec),
      ...spec.security.problems,
      ...bodyProblems(spec.body),
      ...spec.problems,
      ...SERVER_PROBLEMS,
    ]),
  ];
  const route = createRoute({
    operationId: spec.operationId,
    tags: [spec.tag],
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    description: spec.description,
    security: spec.security.requirement.map((one) => mutableRequirement(one)),
    parameters: [...spec.parameters ?? []] as NonNullable<RouteConfig["parameters"]>, // `Parameter` is narrower.
    request: {
      ...(spec.params && { params: parameterShape(spec.params) }),
      ...(spec.headers && { headers: parameterShape(spec.headers) }),
      ...(spec.query && { query: spec.query.schema }),
      ...(spec.body && {
        body: {
          required: spec.body.optional !== true,
          description: spec.body.description,
          content: { "application/json": { schema: spec.body.schema, example: spec.body.example } },
        },
      }),
      ...(spec.rawBody && {
        body: {
          required: true,
          description: spec.rawBody.description,
          content: {
            [spec.rawBody.type ?? "*/*"]: { schema: { type: "string", format: "binary" } },
          },
        },
      }),
    },
    responses: {
      ...successResponses(spec),
      ...refusalReferences({ path: spec.path, codes }),
    },
  });
  return { ...spec, codes, route };
}

/** Problems of the path, the query and the headers, which can occur before routing. */
const inputProblems = (
  { path, params = {}, headers = {}, query }: Pick<
    Contract<unknown>,
    "path" | "params" | "headers" | "query"
  >,
): readonly ProblemCode[] => [
  ...(path.includes("{") ? ["INVALID_PATH"] as const : []),
  ...(isDataPath(path) ? ["USERS_RESERVED"] as const : []),
  ...Object.values({ ...params, ...headers }).flatMap(({ problem }) => problem ?? []),
  ...(query === undefined ? [] : ["INVALID_QUERY"] as const),
];

const parameterShape = (parameters: PathParameters | HeaderParameters) =>
  z.object(
    Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema])),
  );

const bodyProblems = (body: BodySpec | undefined): readonly ProblemCode[] =>
  body === undefined || body.lenient ? [] : [...READING_PROBLEMS, body.problem ?? "INVALID_BODY"];

const mutableRequirement = (requirement: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(requirement).map(([name, scopes]) => [name, [...scopes]]));

type Responses = RouteConfig["responses"];

function successResponses(
  { operationId, success }: Pick<Spec<unknown>, "operationId" | "success">,
): Responses {
  return Object.fromEntries(success.map((one, i) => {
    const name = one.name ?? answerName(operationId, i === 0 ? null : one.status);
    const content = {
      ...(one.data !== null &&
        envelopeContent(
          name,
          { data: one.data, ...one.topLevelMembers },
          { data: one.example },
          one.message,
        )),
      ...(one.duplicatedMembers && envelopeContent(
        name,
        // An inline object would lose its nullable members in the generators of some languages.
        {
          ...one.duplicatedMembers,
          data: z.strictObject(one.duplicatedMembers).openapi(`${name}Data`, dataMetadata(one)),
        },
        { ...one.example as object, data: one.example },
        one.message,
      )),
      ...(one.content && {
        [one.content.type]: {
          schema: one.content.schema,
          example: one.content.example ?? one.example,
        },
      }),
    };
    return [String(one.status), {
      description: one.description,
      ...(one.headers && { headers: headerObjects(one.headers) }),
      ...(Object.keys(content).length > 0 && { content }),
    }];
  }));
}

const dataMetadata = ({ description, example }: Success) => ({ description, example });

/** Returns an answer's schema name. @param status Null for the operation's first answer. */
const answerName = (operationId: string, status: number | null): string =>
  `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Answer${status ?? ""}`;

const envelopeContent = (
  name: string,
  members: Readonly<Record<string, ZodType>>,
  example: object,
  message: string | undefined,
) => ({
  "application/json": {
    schema: z.strictObject({ success: z.boolean(), ...members, message: z.string() })
      .openapi(name),
    example: { success: true, ...example, message },
  },
});

const headerObjects = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: "string" as const } },
    ]),
  );
