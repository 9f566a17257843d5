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
import { noteHolder } from "@/openapi/security.ts";
import { LiteralFirstRouter } from "./literal_first_router.ts";
import type { AppEnv, Handler, Input, Operation, OperationContext } from "./handler.ts";
import { compressed } from "./compression.ts";
import { deliverReply } from "./delivery.ts";
import { pages } from "./dashboard/mod.ts";
import { userChoicePages } from "./dashboard/social/mod.ts";
import { refusalPage, visitRefusalPage } from "./dashboard/refusal.tsx";
import { inLanguage, languageOf } from "./dashboard/texts/language.ts";
import { inputReader } from "./input.ts";
import { operations } from "./operations.ts";
import { referencePages } from "./reference/mod.ts";
import { RequestBody } from "./request_body.ts";

export type App = OpenAPIHono<AppEnv>;

/** Any word can be sent as a method; only these are worth a place in the log. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Callers that are accounts. */
const OF_MEMBERS = new Set<string | null>(["account", "accountToken"]);

/**
 * The whole of HTTP over the services. Its routes stand at the root of a server; to have it below a
 * path, or beside routes of your own, mount its `fetch` in another app.
 */
export function createApp(services: Services): App {
  const { log, deadlines, requestDrain, config, requestCounts, bodyBudget, requestShares } =
    services;
  const { requestLog, clock } = services;
  const app = new OpenAPIHono<AppEnv>({
    getPath: ({ url }) => readAddress(url).path,
    router: new LiteralFirstRouter(),
  });
  const mounted: Pick<Operation<unknown>, "path" | "method">[] = [];

  function refuse(state: RequestState, error: unknown): Response {
    const problem = asProblem(error, state, log);
    const reply = problemReply(state, problem);
    if (isPagePath(state.path)) return respond(state, refusalPage(state, problem, reply));
    return respond(state, isVisit(state) ? visitRefusalPage(state, problem, reply) : reply);
  }

  app.onError((error, c) => refuse(c.var.state, error));
  app.notFound((c) => {
    throw notFound(paths, c.var.state);
  });

  app.use(async (c, next) => {
    const state = new RequestState(c.req.raw, c.env, config);
    c.set("services", services);
    c.set("state", state);
    const answer = async () => {
      try {
        await requestDrain.track(enter(c, next));
      } catch (error) {
        c.res = refuse(state, error);
      }
    };
    if (isPagePath(state.path) || isVisit(state)) {
      await inLanguage(languageOf(state.raw.headers, services.cookies), answer);
    } else await answer();
    logged(state, c.res);
  });

  // Here and where input is read `c.get` takes what is needed: `c.var` makes an object of all.

  /** What holds for every request, whatever it is for. */
  async function enter(c: Context<AppEnv>, next: Next): Promise<void> {
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
      // Blocked for every key, whatever the method; without a valid key there is nothing to block.
      noteHolder(state, await authenticateKey(services, state));
      throw new Problem("USERS_RESERVED");
    }
    await next();
  }

  /** Lets in whom the operation is for, as far as there is room, and gives up what takes too long. */
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
        requestShares.assertRoom(state.share);
        const work = next();
        requestShares.count(state.share, work);
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
      const reading = { bytesMax, budget: bodyBudget, arrived: c.get("restartDeadline") };
      using sentBody = new RequestBody(state, reading);
      c.set("body", sentBody);
      await readInput(c);
      // The guard has set the principal, and what was read is what the contract says.
      const reply = await handle(
        c as OperationContext<unknown> as OperationContext<P, Input<B, N, Q, H>>,
      );
      const sent = isPage ? await compressed(state, reply) : reply;
      return respond(state, deliverReply(services, state, sent));
    });
  }

  operations(mount);
  pages(mount);
  const { chosen } = services.providers;
  if (chosen !== null) userChoicePages(mount, chosen);
  referencePages(mount);
  const paths = allowedMethods(mounted);
  return app;

  /** Pages are looked at by members, who see what is refused there. */
  function isKept({ path, recordsUntil }: RequestState, status: number): boolean {
    if (isPagePath(path)) return false;
    return status >= 400 || (recordsUntil !== null && recordsUntil > timestamp(clock));
  }

  function logged(state: RequestState, { status }: Response): void {
    const method = METHODS.has(state.raw.method) ? state.raw.method : "other";
    const ms = Math.round((performance.now() - state.startedAt) * 100) / 100;
    const { projectId } = state;
    if (projectId !== null && isKept(state, status)) {
      const { id: requestId, operationId: operation, problem: code, callerKind: caller } = state;
      requestLog.note({ projectId, requestId, operation, method, status, code, caller, ms });
    }
    // What its own members look at is no use that is made of it.
    if (state.projectId !== null && !OF_MEMBERS.has(state.callerKind)) {
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

/** A path that exists under other methods is told from one that does not exist. */
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
