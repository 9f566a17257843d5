import type { Context } from "hono";
import type { Connection, RequestState } from "@/lib/http/request.ts";
import type { Reply } from "@/lib/http/respond.ts";
import type { MaybePromise } from "@/lib/maybe_promise.ts";
import type { Services } from "@/lib/services.ts";
import type { Contract } from "@/openapi/contract.ts";
import type { HeaderParameters, HeaderValues, Params, PathParameters } from "@/openapi/inputs.ts";
import type { RequestBody } from "./request_body.ts";

/** What hono's handlers know of a request to Corbel: `c.var` has it. */
export interface AppEnv {
  Bindings: Connection;
  Variables: {
    readonly services: Services;
    readonly state: RequestState;
    /** What the guard of the operation found out. */
    readonly principal: unknown;
    /** In the place of hono's own readers. */
    readonly body: RequestBody;
    /** Gives the request its time anew: a body has a time limit of its own. */
    readonly restartDeadline: () => void;
  };
}

/** What is answered where: an operation of the contract, or a page. */
export type Operation<
  P,
  B = unknown,
  N extends PathParameters = PathParameters,
  Q = unknown,
  H extends HeaderParameters = HeaderParameters,
> = Pick<
  Contract<P, B, N, Q, H>,
  | "operationId"
  | "method"
  | "path"
  | "security"
  | "extraMs"
  | "params"
  | "query"
  | "headers"
  | "body"
>;

export type Mount = <P, B, N extends PathParameters, Q, H extends HeaderParameters>(
  operation: Operation<P, B, N, Q, H>,
  handle: Handler<P, Input<B, N, Q, H>>,
) => void;

/** What a request brings, as the contract of its operation has read it: `c.req.valid("json")`. */
export interface Input<B, N extends PathParameters, Q, H extends HeaderParameters> {
  readonly param: Params<N>;
  readonly query: Q;
  readonly header: HeaderValues<H>;
  readonly json: B;
}

/**
 * hono's context behind the guard of an operation. The principal's type is put beside hono's own,
 * which would fit no handler that looks at less of its caller than the guard has found out.
 *
 * @template P What the guard of the operation found out.
 * @template I What `c.req.valid` gives.
 */
export type OperationContext<P, I extends object = object> =
  & Context<AppEnv, string, { out: I }>
  & { readonly var: { readonly principal: P }; readonly [compared]?: I };

/**
 * Never set: by it the compiler refuses a handler that reads what its operation does not. By hono's
 * own type it takes a context that gives less for one that gives more.
 */
declare const compared: unique symbol;

/** A handler only translates: it reads the request, calls one verb, and shapes the reply. */
export type Handler<P, I extends object = object> = (
  c: OperationContext<P, I>,
) => MaybePromise<Reply>;

/** The handler of an operation. */
export type HandlerOf<C> = Handler<PrincipalOf<C>, InputOf<C>>;

/** Handlers of all operations of a chapter, but for those that the handler of another answers. */
export type HandlersOf<Chapter> = {
  readonly [
    Name in keyof Chapter as Chapter[Name] extends { readonly mirrors: unknown } ? never : Name
  ]: HandlerOf<Chapter[Name]>;
};

type PrincipalOf<C> = C extends Contract<infer P, infer _B, infer _N, infer _Q, infer _H> ? P
  : never;

type InputOf<C> = C extends Contract<infer _P, infer B, infer N, infer Q, infer H>
  ? Input<B, N, Q, H>
  : never;

/** What a page's handler is given. @template Name Parameters of its path, which come decoded. */
export type PageContext<P, Name extends string = never> = OperationContext<P, PageInput<Name>>;

export type PageHandler<P, Name extends string = never> = Handler<P, PageInput<Name>>;

interface PageInput<Name extends string> {
  readonly param: Readonly<Record<Name, string>>;
}
