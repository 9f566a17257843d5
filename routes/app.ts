import { OpenAPIHono } from "@hono/zod-openapi";
import { holderOf } from "@/lib/auth/authenticate.ts";
import { readJson, readJsonIfAny } from "@/lib/http/body.ts";
import { RESERVED_PATH } from "@/lib/http/path.ts";
import { openRequest, type RequestState } from "@/lib/http/request.ts";
import { asProblem, preflight, problemReply, respond } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import type { Contract } from "@/openapi/contract.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import type { Handler } from "./call.ts";
import { operations } from "./operations.ts";

/** Serves one request. @param peer Address of the other end of the connection. */
export type App = (request: Request, peer: string) => Promise<Response>;

/** Any word can be sent as a method; only these are worth a place in the log. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

type Env = { Bindings: RequestState };

/** The whole of HTTP over the services. */
export function createApp(services: Services): App {
  const { log, deadlines, flight, config } = services;
  const router = new OpenAPIHono<Env>({ getPath: routedPath });
  const paths = allowedMethods();

  const refuse = (state: RequestState, error: unknown) =>
    respond(state, problemReply(state, asProblem(error, state, log)));

  function mount<P>(contract: Contract<P>, handle: Handler<P>): void {
    router.on(contract.method.toUpperCase(), routingPattern(contract.path), async (c) => {
      const state = c.env;
      state.operationId = contract.operationId;
      const reply = await deadlines.within(async (restart) => {
        const principal = await contract.security.guard(services, state);
        return await handle({
          services,
          principal,
          query: state.query,
          client: state.client,
          param: (name) => c.req.param(name)!,
          header: (name) => state.raw.headers.get(name),
          body: () => readJson(state.raw, contract.body!.bytesMax).finally(restart),
          optionalBody: () => readJsonIfAny(state.raw, contract.body!.bytesMax).finally(restart),
        });
      });
      return respond(state, reply);
    });
  }

  /** Blocked for every key, whatever the method; without a valid key there is nothing to block. */
  async function reserved(state: RequestState): Promise<Problem> {
    await holderOf(services, state);
    return new Problem("USERS_RESERVED");
  }

  operations(mount);
  router.onError((error, c) => refuse(c.env, error));
  router.notFound((c) => refuse(c.env, notFound(paths, c.env)));

  return (request, peer) => flight.carry(answer(request, peer));

  async function answer(request: Request, peer: string): Promise<Response> {
    const state = openRequest(request, peer, config.trustProxy);
    let response: Response;
    try {
      if (flight.isLanding) response = refuse(state, new Problem("STOPPING"));
      else if (request.method === "OPTIONS") response = respond(state, preflight());
      else if (state.malformed) response = refuse(state, new Problem("INVALID_PATH"));
      else if (state.path === RESERVED_PATH) response = refuse(state, await reserved(state));
      else response = await router.fetch(request, state);
    } catch (error) {
      response = refuse(state, error);
    }
    log.write("info", "request", {
      requestId: state.id,
      operation: state.operationId,
      method: METHODS.has(request.method) ? request.method : "other",
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
function allowedMethods(): { pattern: RegExp; methods: readonly string[] }[] {
  const byPath = Map.groupBy(CONTRACTS, (contract) => contract.path);
  return [...byPath].map(([path, contracts]) => ({
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    methods: contracts.map(({ method }) => method.toUpperCase()),
  }));
}

/** A path that exists under other methods is told from one that does not exist. */
function notFound(paths: ReturnType<typeof allowedMethods>, { path }: RequestState): Problem {
  const methods = paths.filter(({ pattern }) => pattern.test(path)).flatMap((one) => one.methods);
  if (methods.length === 0) return new Problem("ROUTE_NOT_FOUND");
  return new Problem("METHOD_NOT_ALLOWED", { allow: methods });
}

/** hono routes by the address as we read it: what is routed is what is acted on. */
const routedPath = (_request: Request, options?: { env?: object }): string =>
  (options!.env as RequestState).path; // The bindings are the request's state, see Env.

const routingPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");
