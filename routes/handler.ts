import type { Context } from "hono";
import type { Connection, RequestState } from "@/lib/http/request.ts";
import type { Reply } from "@/lib/http/respond.ts";
import type { MaybePromise } from "@/lib/maybe_promise.ts";
import type { Services } from "@/lib/services.ts";
import type { Contract } from "@/openapi/contract.ts";
import type { HeaderParameters, HeaderValues, Params, PathParameters } from "@/openapi/inputs.ts";
import type { RequestBody } from "./request_body.ts";

export interface AppEnv {
  Bindings: Connection;
  Variables: {
    readonly services: Services;
    readonly state: RequestState;
    readonly principal: unknown;
    /** Reader of the body, used instead of hono's own methods. */
    readonly body: RequestBody;
    /** Restarts the time limit of the request, because a body has a time limit of its own. */
    readonly restartDeadline: () => void;
  };
}

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

export interface Input<B, N extends PathParameters, Q, H extends HeaderParameters> {
  readonly param: Params<N>;
  readonly query: Q;
  readonly header: HeaderValues<H>;
  readonly json: B;
}

/**
 * Context of hono after the guard. The principal's type is in `var` instead of `AppEnv`, so that a
 * handler may require less of the principal than the guard establishes.
 */
export type OperationContext<P, I extends object = object> =
  & Context<AppEnv, string, { out: I }>
  & { readonly var: { readonly principal: P }; readonly [inputType]?: I };

/** Key that is never set. By it the compiler rejects handlers that read undeclared input. */
declare const inputType: unique symbol;

/** A handler translates: it reads the request, calls one verb and builds the reply. */
export type Handler<P, I extends object = object> = (
  c: OperationContext<P, I>,
) => MaybePromise<Reply>;

export type HandlerOf<C> = Handler<PrincipalOf<C>, InputOf<C>>;

/** Handlers of a chapter's operations, except those that mirror another operation. */
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

export type PageContext<P, Name extends string = never> = OperationContext<P, PageInput<Name>>;

export type PageHandler<P, Name extends string = never> = Handler<P, PageInput<Name>>;

interface PageInput<Name extends string> {
  readonly param: Readonly<Record<Name, string>>;
}
