/** The thread that answers long requests: told by messages of each, and when to stop. */
import { giveWay } from "@/lib/background_thread.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import type { Environment } from "@/lib/runtime/settings.ts";
import { createLog, type Log } from "@/lib/runtime/log.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { openServices, type Services } from "@/lib/services.ts";
import { type App, createApp } from "./app.ts";
import type { OffloadScope, RequestOrder } from "./offload_messages.ts";

const scope = globalThis as unknown as OffloadScope;

/** Each takes some MB, and what is asked of many projects is seldom long. */
const FILES_MAX = 16;
/** Handed over in one piece; what is longer is a stream. */
const WHOLE_BYTES_MAX = 1_048_576;

interface Opened extends AsyncDisposable {
  readonly services: Services;
  readonly app: App;
}

const problems = new Map<string, ProblemCode | null>();
const clients = new Map<number, AbortController>();
let opened: Promise<Opened> | undefined;

scope.onmessage = ({ data: order }) => {
  switch (order.kind) {
    case "open":
      opened = open(order.environment);
      opened.catch((error) =>
        scope.postMessage({ kind: "unusable", why: (error as Error).message })
      );
      return;
    case "request":
      return void answer(order);
    case "abort":
      return clients.get(order.number)?.abort();
    case "stop":
      return void stop();
  }
};

async function open(environment: Environment): Promise<Opened> {
  giveWay();
  const config = { ...loadConfig(environment), ratePerMinute: null };
  const log = createLog(config.logLevel, (text) => scope.postMessage({ kind: "log", text }));
  const services = await openServices(config, { log: withoutRequests(log), filesMax: FILES_MAX });
  return {
    services,
    app: createApp({ ...services, ...countedElsewhere }),
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      log[Symbol.dispose]();
    },
  };
}

/** The thread that has handed a request over logs it. */
const withoutRequests = (log: Log): Log => ({
  ...log,
  request: ({ requestId, problem }) => void problems.set(requestId, problem as ProblemCode | null),
});

/** It has also found room for it, and for its body, and noted whose it is. */
const countedElsewhere: Pick<
  Services,
  "bodyBudget" | "requestShares" | "requestCounts" | "requestLog" | "keyNotes"
> = {
  bodyBudget: { open: () => ({ add() {}, [Symbol.dispose]() {} }) },
  requestShares: { assertRoom() {}, count() {} },
  requestCounts: { count() {}, async store() {}, async [Symbol.asyncDispose]() {} },
  requestLog: { note() {}, async store() {}, async [Symbol.asyncDispose]() {} },
  keyNotes: { usedInBrowser() {}, async store() {}, async [Symbol.asyncDispose]() {} },
};

async function answer(order: RequestOrder): Promise<void> {
  const { number, requestId, projectId, hostname, url, method, headers, body } = order;
  const client = new AbortController();
  clients.set(number, client);
  try {
    const { services, app } = await opened!;
    if (projectId !== null) {
      services.catalog.forgetProject(projectId);
      services.plans.forgetProject(projectId);
    }
    const request = new Request(url, {
      method,
      headers,
      body: body.length === 0 ? null : new Blob([...body]).stream(),
      signal: client.signal,
    });
    const response = await app.fetch(request, { remoteAddr: { hostname }, requestId });
    await report(order, response);
  } catch (error) {
    scope.postMessage({ kind: "failed", number, why: (error as Error).stack ?? String(error) });
  } finally {
    clients.delete(number);
    problems.delete(requestId);
  }
}

async function report({ number, requestId }: RequestOrder, response: Response): Promise<void> {
  const { status, headers } = response;
  const body = isShort(headers) ? await response.arrayBuffer() : response.body;
  const problem = problems.get(requestId) ?? null;
  scope.postMessage(
    { kind: "answer", number, status, headers: [...headers], body, problem },
    body === null ? [] : [body],
  );
}

/** Of a body that is no stream the length is known. */
function isShort(headers: Headers): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= WHOLE_BYTES_MAX;
}

async function stop(): Promise<void> {
  // One that could not be opened has nothing to close.
  const those = await opened?.catch(() => undefined);
  await those?.[Symbol.asyncDispose]();
  scope.postMessage({ kind: "stopped" }); // Its reader ends the thread: `close` here may lose it.
}
