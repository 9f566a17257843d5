import type { ChunkLimits } from "@/lib/http/chunks.ts";
import type { Reply } from "@/lib/http/respond.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import type { MaybePromise } from "@/lib/maybe_promise.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import type { Contract } from "@/openapi/contract.ts";
import type { Params, PathParameters } from "@/openapi/inputs.ts";

/** What is answered where: an operation of the contract, or a page. */
export type Operation<P, B = unknown, N extends PathParameters = PathParameters, Q = unknown> =
  Pick<
    Contract<P, B, N, Q>,
    | "operationId"
    | "method"
    | "path"
    | "security"
    | "extraMs"
    | "offload"
    | "params"
    | "query"
    | "body"
  >;

export type Mount = <P, B, N extends PathParameters, Q>(
  operation: Operation<P, B, N, Q>,
  handle: Handler<P, Input<B, N, Q>>,
) => void;

/** What a request brings, as the contract of its operation has read it. */
export interface Input<B, N extends PathParameters, Q> {
  readonly params: Params<N>;
  readonly query: Q;
  /** The JSON body. */
  readonly input: B;
}

/** One call of an operation, after its guard. */
export interface Call<P> {
  readonly services: Services;
  /** What the guard of the operation's contract found out. */
  readonly principal: P;
  /** A parameter of a page's path, decoded. */
  param(name: string): string;
  /** The query, as sent. */
  readonly queryText: string;
  header(name: string): string | null;
  /** Whether only the head of the answer is asked for. */
  readonly isHead: boolean;
  /**
   * Aborted when the client is gone, as far as the platform notices: with a body of more than some
   * 300 bytes it does so only once the answer has begun. Made when asked for.
   */
  gone(): AbortSignal;
  /** What a thrown value means to the client; what is no refusal is logged. */
  problem(error: unknown): Problem;
  /** The body of a refusal, for an answer that has begun and cannot be one itself. */
  refusal(error: unknown): string;
  /** Address of the client. */
  client(): string;
  /** What counts as one client, for all that is limited or locked. */
  network(): string;
  /** Reads the JSON body that the contract leaves to the handler. */
  body(): Promise<Json>;
  /** Reads the fields of a form, which pages send; `FORM_FIELDS_MAX` of them if not told otherwise. */
  form(fieldsMax?: number): Promise<URLSearchParams>;
  /** The bytes of a body of another kind, as they arrive. */
  chunks(limits: ChunkLimits): AsyncIterable<Uint8Array>;
  /** To be told of those of them that are kept until the request ends. Throws `SERVER_BUSY`. */
  hold(bytes: number): void;
}

/** All that many handlers want to know of their caller: in which project they may do this. */
export interface InProject {
  readonly projectId: Id;
}

/** A handler only translates: it reads the call, calls one verb, and shapes the reply. */
export type Handler<P, I = unknown> = (call: Call<P> & I) => MaybePromise<Reply>;

/** The handler of an operation. @template P Its caller, as far as the handler looks at it. */
export type HandlerOf<C, P = PrincipalOf<C>> = Handler<P, InputOf<C>>;

type PrincipalOf<C> = C extends Contract<infer P, infer _B, infer _N, infer _Q> ? P : never;

type InputOf<C> = C extends Contract<infer _P, infer B, infer N, infer Q> ? Input<B, N, Q> : never;
