/** A thread for long requests that fails in the way that the path of a request names. */
import type { OffloadScope } from "@/routes/offload_messages.ts";

const scope = globalThis as unknown as OffloadScope;

const endless = () =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1000)),
    cancel: () => scope.postMessage({ kind: "log", text: "cancelled\n" }),
  });

if ("WorkerGlobalScope" in globalThis) {
  scope.onmessage = ({ data: order }) => {
    switch (order.kind) {
      case "open":
        return scope.postMessage({ kind: "log", text: "opened\n" });
      case "request": {
        const { number, url, headers } = order;
        const failure = new URL(url).pathname.slice(1);
        if (failure === "throws") throw new Error("thrown in a thread");
        if (failure === "fails") return scope.postMessage({ kind: "failed", number, why: "why" });
        if (failure === "unusable") return scope.postMessage({ kind: "unusable", why: "no store" });
        if (failure === "never") return;
        const body = failure === "endless" ? endless() : new Blob([failure]).stream();
        const answer = {
          kind: "answer",
          number,
          status: 201,
          headers,
          body,
          problem: null,
        } as const;
        return scope.postMessage(answer, [body]);
      }
      case "abort":
        return scope.postMessage({ kind: "failed", number: order.number, why: "aborted" });
      case "stop":
        scope.postMessage({ kind: "log", text: "stopped\n" });
        return scope.postMessage({ kind: "stopped" });
    }
  };
}
