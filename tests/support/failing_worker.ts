/** Workers without a server. The third fails as HOST names, and the second stops normally. */
import type { WorkerOrder, WorkerScope } from "@/routes/worker_messages.ts";

/** How the third worker fails: when it is asked to serve, pinged, or asked to stop. */
export type Failure = "refuses" | "throws" | "rejects" | "closes" | "hears nothing" | "never stops";

export const LAST_LOG_LINE = "All that was in flight has ended\n";

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
        scope.postMessage({ kind: "log", text: LAST_LOG_LINE });
        return scope.postMessage({ kind: "stopped" });
    }
  };
}

/** Returns whether the order needs no further handling. */
function fail(failure: Failure, kind: WorkerOrder["kind"]): boolean {
  if (kind === "serve") {
    if (failure === "refuses") scope.postMessage({ kind: "failed", reason: "no room" });
    return failure === "refuses";
  }
  if (failure === "never stops") return kind === "stop";
  if (failure === "throws") throw new Error("thrown in a thread");
  if (failure === "rejects") void Promise.reject(new Error("rejected in a thread"));
  if (failure === "closes") scope.close();
  return true;
}
