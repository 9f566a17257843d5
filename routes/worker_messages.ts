import type { Environment } from "@/lib/runtime/settings.ts";

/** Message from the main thread to a serving thread. */
export type WorkerOrder =
  | {
    readonly kind: "serve";
    readonly environment: Environment;
    readonly connectionsMax: number;
  }
  | { readonly kind: "ping" }
  /** Count of all threads together, in reply to the report with this number. */
  | { readonly kind: "sum"; readonly number: number; readonly sum: number }
  | { readonly kind: "stop" };

/** Message from a serving thread to the main thread. */
export type WorkerReport =
  | { readonly kind: "listening" }
  | { readonly kind: "alive" }
  /** Complete lines of the log. The main thread prints all lines, so that they do not mix. */
  | { readonly kind: "log"; readonly text: string }
  | RequestsCounted
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly reason: string };

export interface RequestsCounted {
  readonly kind: "counted";
  readonly number: number;
  readonly key: string;
  /** End of the minute in which the requests were counted, in milliseconds of the epoch. */
  readonly endsAt: number;
  readonly count: number;
}

/** Global scope of a worker thread. The type checker does not load Deno's own declaration here. */
export interface WorkerScope {
  readonly name: string;
  onmessage: ((event: MessageEvent<WorkerOrder>) => void) | null;
  postMessage(report: WorkerReport): void;
  close(): void;
}
