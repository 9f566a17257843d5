import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler, Next } from "hono";
import { timestamp } from "@/lib/clock.ts";
import { authenticateKey } from "@/lib/auth/authenticate.ts";
import { refuseOtherHosts } from "@/lib/http/cross_site.ts";
import { isPagePath, readAddress, RESERVED_PATH } from "@/lib/http/path.ts";
import { refuseLongQuery } from "@/lib/http/query_size.ts";
import { RequestState } from "@/lib/http/request.ts";
import { isVisit } from "@/lib/http/visits.ts";
import { preflight, problemReply, respond } from "@/lib/http/respond.ts";
import { asProblem } from "./as_problem.ts";
import { FORM_BYTES_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { bodyBytesMax } from "@/openapi/contract.ts";
import type { HeaderParameters, PathParameters } from "@/openapi/inputs.ts";
import { recordKeyHolder } from "@/openapi/security.ts";
import { LiteralFirstRouter } from "./literal_first_router.ts";
import type { AppEnv, Handler, Input, Operation, OperationContext } from "./handler.ts";
import { compressPage } from "./compression.ts";
import { deliverReply } from "./delivery.ts";
import { pages } from "./dashboard/mod.ts";
import { userChoicePages } from "./dashboard/social/mod.ts";
import { refusalPage, visitRefusalPage } from "./dashboard/refusal.tsx";
import { inLanguage, languageOf } from "./dashboard/texts/language.ts";
import { inputReader } from "./input.ts";
import { mountOperations } from "./operations.ts";
import { referencePages } from "./reference/mod.ts";
import { RequestBody } from "./request_body.ts";

export type App = OpenAPIHono<AppEnv>;

/** Methods that the log names. A client can send any word as a method. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const MEMBER_CALLERS = new Set<string | null>(["account", "accountToken"]);

/** Creates the HTTP application. To serve it below a path, mount its `fetch` in another app. */
export function createApp(services: Services): App {
  const { log, deadlines, requestDrain, config, requestCounts, bodyBudget, requestShares } =
    services;
  const { requestLog, clock } = services;
  const app = new OpenAPIHono<AppEnv>({
    getPath: ({ url }) => readAddress(url).path,
    router: new LiteralFirstRouter(),
  });
  const mounted: Pick<Operation<unknown>, "path" | "method">[] = [];

  function errorResponse(state: RequestState, error: unknown): Response {
    const problem = asProblem(error, state, log);
    const reply = problemReply(state, problem);
    if (isPagePath(state.path)) return respond(state, refusalPage(state, problem, reply));
    return respond(state, isVisit(state) ? visitRefusalPage(state, problem, reply) : reply);
  }

  app.onError((error, c) => errorResponse(c.var.state, error));
  app.notFound((c) => {
    throw notFound(paths, c.var.state);
  });

  app.use(async (c, next) => {
    const state = new RequestState(c.req.raw, c.env, config);
    c.set("services", services);
    c.set("state", state);
    const answer = async () => {
      try {
        await requestDrain.track(checkAndHandle(c, next));
      } catch (error) {
        c.res = errorResponse(state, error);
      }
    };
    if (isPagePath(state.path) || isVisit(state)) {
      await inLanguage(languageOf(state.raw.headers, services.cookies), answer);
    } else await answer();
    logRequest(state, c.res);
  });

  // Code for each request uses `c.get`, because `c.var` copies all variables into a new object.

  /** Applies the checks that are common to all requests, then runs the route. */
  async function checkAndHandle(c: Context<AppEnv>, next: Next): Promise<void> {
    const state = c.get("state");
    if (requestDrain.isDraining) throw new Problem("STOPPING");
    refuseOtherHosts(state.raw, config.devHosts);
    const { method, headers } = state.raw;
    if (method === "OPTIONS") {
      const reply = preflight(state.path, headers.get("access-control-request-headers"));
      c.res = respond(state, reply);
      return;
    }
    if (state.malformed) throw new Problem("INVALID_PATH");
    if (state.path === RESERVED_PATH) {
      // Blocked for all keys. A request without a valid key gets its own error.
      recordKeyHolder(state, await authenticateKey(services, state));
      throw new Problem("USERS_RESERVED");
    }
    await next();
  }

  /** Applies the operation's guard, the caller's share of requests and the time limit. */
  const admit =
    <P>({ operationId, security, extraMs }: Operation<P>): MiddlewareHandler<AppEnv> =>
    async (c, next) => {
      const state = c.get("state");
      state.operationId = operationId;
      refuseLongQuery(state.query);
      const param = (name: string) => c.req.param(name)!;
      await deadlines.within(async (restart) => {
        c.set("principal", await security.guard(services, state, param));
        c.set("restartDeadline", restart);
        requestShares.assertAvailable(state.shareHolder);
        const work = next();
        requestShares.track(state.shareHolder, work);
        await work;
      }, extraMs);
    };

  function mount<P, B, N extends PathParameters, Q, H extends HeaderParameters>(
    operation: Operation<P, B, N, Q, H>,
    handle: Handler<P, Input<B, N, Q, H>>,
  ): void {
    mounted.push(operation);
    const readInput = inputReader(operation);
    const bytesMax = operation.body ? bodyBytesMax(operation.body) : FORM_BYTES_MAX;
    const isPage = isPagePath(operation.path);
    const path = routingPattern(operation.path);
    const method = operation.method.toUpperCase();
    app.on(method, path, admit(operation));
    app.on(method, path, async (c) => {
      const state = c.get("state");
      const reading = { bytesMax, budget: bodyBudget, onArrival: c.get("restartDeadline") };
      using sentBody = new RequestBody(state, reading);
      c.set("body", sentBody);
      await readInput(c);
      // The guard has set the principal, and the input has the types of the contract.
      const reply = await handle(
        c as OperationContext<unknown> as OperationContext<P, Input<B, N, Q, H>>,
      );
      const sent = isPage ? await compressPage(state, reply) : reply;
      return respond(state, deliverReply(services, state, sent));
    });
  }

  mountOperations(mount);
  pages(mount);
  const { chooserProvider: chooser } = services.providers;
  if (chooser !== null) userChoicePages(mount, chooser);
  referencePages(mount);
  const paths = allowedMethods(mounted);
  return app;

  /** Whether the project's request log keeps the request. Pages show their errors to the member. */
  function isRecorded({ path, recordsUntil }: RequestState, status: number): boolean {
    if (isPagePath(path)) return false;
    return status >= 400 || (recordsUntil !== null && recordsUntil > timestamp(clock));
  }

  function logRequest(state: RequestState, { status }: Response): void {
    const method = METHODS.has(state.raw.method) ? state.raw.method : "other";
    const ms = Math.round((performance.now() - state.startedAt) * 100) / 100;
    const { projectId } = state;
    if (projectId !== null && isRecorded(state, status)) {
      const { id: requestId, operationId: operation, problem: code, callerKind: caller } = state;
      requestLog.note({ projectId, requestId, operation, method, status, code, caller, ms });
    }
    // Requests of the project's members do not count as its use.
    if (state.projectId !== null && !MEMBER_CALLERS.has(state.callerKind)) {
      requestCounts.count(state.projectId, status);
    }
    log.request({
      requestId: state.id,
      operation: state.operationId,
      method,
      status,
      ms,
      project: state.projectId,
      caller: state.callerKind,
      account: state.accountId,
      problem: state.problem,
    });
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

/** Returns the problem for an unknown path, or for a known path with another method. */
function notFound(
  paths: ReturnType<typeof allowedMethods>,
  { path, raw: { method } }: RequestState,
): Problem {
  const allow = paths.filter(({ pattern }) => pattern.test(path)).flatMap((one) => one.methods);
  if (allow.length === 0) return new Problem("ROUTE_NOT_FOUND");
  const sent = METHODS.has(method) ? method : "that method";
  const message = `This address does not take ${sent}: use ${allow.join(" or ")}.`;
  return new Problem("METHOD_NOT_ALLOWED", { allow, message });
}

const routingPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");
