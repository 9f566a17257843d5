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
  /** As many as a body without documents may have, if left out. */
  readonly bytesMax?: number;
  readonly optional?: boolean;
  /** Whether one that cannot be read counts as left out: nothing about it is refused. */
  readonly lenient?: boolean;
  /** A header that counts in its place: where it is sent, the body is not looked at. */
  readonly overriddenBy?: string;
}

/** A JSON body that its schema reads before the handler is called. */
export interface SchemaBody<B> extends BodyShape {
  readonly schema: ZodType<B>;
  readonly parse?: undefined;
  readonly byHandler?: undefined;
}

/** One object, read by a parser that knows more than a schema can; the schema is what is shown. */
export interface ParsedBody<B> extends BodyShape {
  readonly schema: ZodType;
  parse(members: object, context: ParseContext): B;
  readonly byHandler?: undefined;
}

/** One that the handler reads itself, once it knows the definition that the body is to fit. */
export interface HandlerBody extends BodyShape {
  readonly schema: ZodType;
  readonly parse?: undefined;
  readonly byHandler: true;
}

export type BodySpec<B = unknown> = SchemaBody<B> | ParsedBody<B> | HandlerBody;

/** How many bytes a declared body may have. */
export const bodyBytesMax = (
  { bytesMax = SMALL_BODY_BYTES_MAX }: Pick<BodyShape, "bytesMax">,
): number => bytesMax;

/** What a parser of bodies may know of the request and the server. */
export interface ParseContext {
  readonly params: Readonly<Record<string, string>>;
  readonly services: StorageRuleServices;
}

/** A body that is no JSON: its bytes come to the handler as they arrive. */
export interface RawBodySpec {
  readonly description: string;
  /** Of any type if left out. */
  readonly type?: string;
}

/** An answer that is no refusal. */
export interface Success {
  readonly status: number;
  readonly description: string;
  /** What `data` of the envelope holds; null for an answer without an envelope. */
  readonly data: ZodType | null;
  /** The name of an answer that several operations share. If left out, it is the operation's own. */
  readonly name?: string;
  /** Members that stand in the envelope itself, and again in `data`. */
  readonly members?: Readonly<Record<string, ZodType>>;
  /** Members that may stand in the envelope beside `data`. */
  readonly beside?: Readonly<Record<string, z.ZodOptional<ZodType>>>;
  /** The body of an answer without an envelope, or of one that may be asked for instead of it. */
  readonly content?: {
    readonly type: string;
    readonly schema: ZodType;
    /** Where it is another than that of the envelope's `data`. */
    readonly example?: unknown;
  };
  readonly example?: unknown;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What one operation takes, answers and refuses. */
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
  /** Parameters in braces: `/api/data/{collectionName}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly security: Security<P>;
  /** Parameters of the path, each read before the handler is called. */
  readonly params?: N;
  /** The query, read before the handler is called. */
  readonly query?: QuerySpec<Q>;
  /** Headers by their names in lower case, each read before the handler is called. */
  readonly headers?: H;
  /** A query that has a parser of its own, as OpenAPI writes it. */
  readonly parameters?: readonly Parameter[];
  readonly body?: BodySpec<B>;
  /** In the place of `body`. */
  readonly rawBody?: RawBodySpec;
  readonly success: readonly Success[];
  /** Milliseconds that it may take beyond what others may, because it waits for somebody else. */
  readonly extraMs?: number;
  /** Exactly what the operation raises beside what its guard, what it takes and the server do. */
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
  /** Every code the operation can answer with. */
  readonly codes: readonly ProblemCode[];
  readonly route: RouteConfig;
  /** The operation whose handler answers this one. If left out, it has a handler of its own. */
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

/** Declares an operation: the one source of its routing, its guard and its page in the reference. */
export function contract<
  P,
  B = undefined,
  N extends PathParameters = Record<never, never>,
  Q = undefined,
  H extends HeaderParameters = Record<never, never>,
>(spec: Spec<P, B, N, Q, H>): Contract<P, B, N, Q, H> {
  const codes = [
    ...new Set([
      ...headProblems(spec),
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
    security: spec.security.requirement.map((one) => mutable(one)),
    parameters: [...spec.parameters ?? []] as NonNullable<RouteConfig["parameters"]>, // Ours is narrower.
    request: {
      ...(spec.params && { params: shapeOf(spec.params) }),
      ...(spec.headers && { headers: shapeOf(spec.headers) }),
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
      ...successes(spec),
      ...refusalReferences({ path: spec.path, codes }),
    },
  });
  return { ...spec, codes, route };
}

/**
 * What the address and the headers may be refused for, also before it is known to be this
 * operation's.
 */
const headProblems = (
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

const shapeOf = (parameters: PathParameters | HeaderParameters) =>
  z.object(
    Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema])),
  );

const bodyProblems = (body: BodySpec | undefined): readonly ProblemCode[] =>
  body === undefined || body.lenient ? [] : [...READING_PROBLEMS, body.problem ?? "INVALID_BODY"];

const mutable = (requirement: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(requirement).map(([name, scopes]) => [name, [...scopes]]));

type Responses = RouteConfig["responses"];

function successes(
  { operationId, success }: Pick<Spec<unknown>, "operationId" | "success">,
): Responses {
  return Object.fromEntries(success.map((one, i) => {
    const name = one.name ?? answerName(operationId, i === 0 ? null : one.status);
    const content = {
      ...(one.data !== null &&
        enveloped(
          name,
          { data: one.data, ...one.beside },
          { data: one.example },
          one.message,
        )),
      ...(one.members && enveloped(
        name,
        // Named: of an object within, generators of some languages lose what may be null beside it.
        { ...one.members, data: z.strictObject(one.members).openapi(`${name}Data`, dataNote(one)) },
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

const dataNote = ({ description, example }: Success) => ({ description, example });

/**
 * A name for each answer, from which clients are generated: `ListDocumentsAnswer`.
 * @param status Of one that is not the operation's first.
 */
const answerName = (operationId: string, status: number | null): string =>
  `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Answer${status ?? ""}`;

const enveloped = (
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
