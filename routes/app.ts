import { RegExpRouter } from "hono/router/reg-exp-router";
import { holderOf } from "@/lib/auth/authenticate.ts";
import { readForm, readJson, readJsonIfAny } from "@/lib/http/body.ts";
import type { HeldBody } from "@/lib/http/body_budget.ts";
import { readChunks } from "@/lib/http/chunks.ts";
import { isDataPath, isPagePath, RESERVED_PATH } from "@/lib/http/path.ts";
import { refuseLongQuery } from "@/lib/http/query_size.ts";
import { type Connection, RequestState } from "@/lib/http/request.ts";
import {
  asProblem,
  preflight,
  problemReply,
  refusalText,
  type Reply,
  respond,
} from "@/lib/http/respond.ts";
import { FORM_BYTES_MAX, FORM_FIELDS_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { after, type Soon } from "@/lib/soon.ts";
import type { Handler, Operation } from "./call.ts";
import { compressed } from "./compression.ts";
import { pages } from "./dashboard/mod.ts";
import { refusalPage } from "./dashboard/refusal.tsx";
import { operations } from "./operations.ts";

/** Serves one request. */
export type App = (request: Request, connection: Connection) => Soon<Response>;

/** Any word can be sent as a method; only these are worth a place in the log. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Answers what was routed to it. */
type Route = (state: RequestState, param: (name: string) => string) => Soon<Response>;

/** The whole of HTTP over the services. */
export function createApp(services: Services): App {
  const { log, deadlines, flight, config, requestCounts, bodyBudget, requestShares } = services;
  // One expression for all paths of a method. It takes no two that fit the same address, such as
  // `/users/{id}` beside `/users/me/{what}`: it throws here. One that takes them needs twice the time.
  const router = new RegExpRouter<Route>();
  // Most requests are for documents; an expression of few paths is matched in half the time.
  const documents = new RegExpRouter<Route>();
  const routerOf = (path: string) => isDataPath(path) ? documents : router;
  const mounted: Pick<Operation<unknown>, "path" | "method">[] = [];

  function refuse(state: RequestState, error: unknown): Response {
    const problem = asProblem(error, state, log);
    const reply = problemReply(state, problem);
    return respond(state, isPagePath(state.path) ? refusalPage(state, problem, reply) : reply);
  }

  const respondPage = async (state: RequestState, reply: Reply) =>
    respond(state, await compressed(state, reply));

  function mount<P>(operation: Operation<P>, handle: Handler<P>): void {
    mounted.push(operation);
    const isPage = isPagePath(operation.path);
    routerOf(operation.path).add(
      operation.method.toUpperCase(),
      routingPattern(operation.path),
      (state, param) => {
        state.operationId = operation.operationId;
        refuseLongQuery(state.query);
        // Whose share it counts towards is known behind the guard.
        const caller = () => state.projectId ?? state.network;
        // Made with the first byte: most requests have no body.
        let held: HeldBody | undefined;
        const heldBody = () => held ??= bodyBudget.open(caller());
        const limits = (bytesMax: number) => ({ bytesMax, held: heldBody() });
        const reply = deadlines.within(
          (restart) =>
            after(operation.security.guard(services, state, param), (principal) => {
              requestShares.assertRoom(caller());
              const handled = handle({
                services,
                principal,
                query: state.query,
                client: () => state.client,
                network: () => state.network,
                param,
                header: (name) => state.raw.headers.get(name),
                isHead: state.raw.method === "HEAD",
                problem: (error) => asProblem(error, state, log),
                refusal: (error) => refusalText(state, asProblem(error, state, log)),
                gone: () => state.raw.signal,
                body: () => readJson(state.raw, limits(operation.body!.bytesMax)).finally(restart),
                optionalBody: () =>
                  readJsonIfAny(state.raw, limits(operation.body!.bytesMax)).finally(restart),
                form: (fieldsMax = FORM_FIELDS_MAX) =>
                  readForm(state.raw, { ...limits(FORM_BYTES_MAX), fieldsMax }).finally(restart),
                chunks: (limits) => readChunks(state.raw, limits, restart),
                hold: (bytes) => heldBody().add(bytes),
              });
              if (handled instanceof Promise) requestShares.count(caller(), handled);
              return handled;
            }),
          operation.extraMs,
        );
        const response = after(reply, (reply) => {
          // A stream is under way until its last byte is sent.
          const { sent } = state;
          if (reply.body instanceof ReadableStream && sent) requestShares.count(caller(), sent);
          return isPage ? respondPage(state, reply) : respond(state, reply);
        });
        if (!(response instanceof Promise)) return response;
        return response.finally(() => held?.[Symbol.dispose]());
      },
    );
  }

  function route(state: RequestState): Soon<Response> {
    const { raw: { method, headers }, path } = state;
    if (flight.isLanding) throw new Problem("STOPPING");
    if (method === "OPTIONS") {
      return respond(state, preflight(headers.get("access-control-request-headers")));
    }
    if (state.malformed) throw new Problem("INVALID_PATH");
    if (path === RESERVED_PATH) return reserved(state);
    const [[found], values] = routerOf(path).match(method === "HEAD" ? "GET" : method, path);
    if (found === undefined) throw notFound(paths, state);
    const [answer, params] = found;
    return answer(state, (name) => values![params[name] as number]!);
  }

  /** Blocked for every key, whatever the method; without a valid key there is nothing to block. */
  const reserved = (state: RequestState) =>
    after(holderOf(services, state), (): never => {
      throw new Problem("USERS_RESERVED");
    });

  operations(mount);
  pages(mount);
  const paths = allowedMethods(mounted);

  return (request, connection) => {
    const state = new RequestState(request, connection, config);
    return flight.carry(after(answer(state), (response) => logged(state, response)));
  };

  function answer(state: RequestState): Soon<Response> {
    try {
      const response = route(state);
      if (!(response instanceof Promise)) return response;
      return response.catch((error) => refuse(state, error));
    } catch (error) {
      return refuse(state, error);
    }
  }

  function logged(state: RequestState, response: Response): Response {
    const { method } = state.raw;
    // What its own members look at in the dashboard is no use that is made of it.
    if (state.projectId !== null && state.callerKind !== "account") {
      requestCounts.count(state.projectId, response.status);
    }
    log.request({
      requestId: state.id,
      operation: state.operationId,
      method: METHODS.has(method) ? method : "other",
      status: response.status,
      ms: Math.round((performance.now() - state.startedAt) * 100) / 100,
      project: state.projectId,
      caller: state.callerKind,
      problem: state.problem,
    });
    return response;
  }
}

/** Path patterns of all operations with the methods they take. */
function allowedMethods(
  operations: readonly Pick<Operation<unknown>, "path" | "method">[],
): { pattern: RegExp; methods: readonly string[] }[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return [...byPath].map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    methods: operations.map(({ method }) => method.toUpperCase()),
  }));
}

/** A path that exists under other methods is told from one that does not exist. */
function notFound(paths: ReturnType<typeof allowedMethods>, { path }: RequestState): Problem {
  const methods = paths.filter(({ pattern }) => pattern.test(path)).flatMap((one) => one.methods);
  if (methods.length === 0) return new Problem("ROUTE_NOT_FOUND");
  return new Problem("METHOD_NOT_ALLOWED", { allow: methods });
}

const routingPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");
