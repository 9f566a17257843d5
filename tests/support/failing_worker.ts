/**
 * Threads that serve nothing. The third fails, in the way that its environment names in place of a
 * host, and the second ends in good order.
 */
import type { WorkerOrder, WorkerScope } from "@/routes/worker_messages.ts";

/** How the third fails: when it is to serve, when it is asked for a sign of life, or to stop. */
export type Failure = "refuses" | "throws" | "rejects" | "closes" | "hears nothing" | "never stops";

/** What the second prints before it ends. */
export const LAST_WORD = "All that was in flight has ended\n";

const scope = globalThis as unknown as WorkerScope;

let failure: Failure | null = null;

if ("WorkerGlobalScope" in globalThis) {
  scope.onmessage = ({ data: order }) => {
    if (order.kind === "serve" && scope.name === "Worker 3") {
      failure = order.environment.HOST as Failure;
    }
    if (failure !== null && fail(failure, order.kind)) return;
    switch (order.kind) {
      case "serve":
        return scope.postMessage({ kind: "listening" });
      case "ping":
        return scope.postMessage({ kind: "alive" });
      case "stop":
        scope.postMessage({ kind: "log", text: LAST_WORD });
        return scope.postMessage({ kind: "stopped" });
    }
  };
}

/** Returns whether nothing more is to be done. */
function fail(failure: Failure, kind: WorkerOrder["kind"]): boolean {
  if (kind === "serve") {
    if (failure === "refuses") scope.postMessage({ kind: "failed", why: "no room" });
    return failure === "refuses";
  }
  if (failure === "never stops") return kind === "stop";
  if (failure === "throws") throw new Error("thrown in a thread");
  if (failure === "rejects") void Promise.reject(new Error("rejected in a thread"));
  if (failure === "closes") scope.close();
  return true;
}
