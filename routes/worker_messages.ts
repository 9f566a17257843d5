import type { Environment } from "@/lib/runtime/settings.ts";

/** What a thread that serves is told. */
export type WorkerOrder =
  | {
    readonly kind: "serve";
    readonly environment: Environment;
    /** Connections that it may have open at once. */
    readonly connectionsMax: number;
  }
  | { readonly kind: "ping" }
  /** What all threads together have counted, to the report of that number. */
  | { readonly kind: "sum"; readonly number: number; readonly sum: number }
  | { readonly kind: "stop" };

/** What it tells. */
export type WorkerReport =
  | { readonly kind: "listening" }
  | { readonly kind: "alive" }
  /** Whole lines. One thread prints those of all, so that none is torn. */
  | { readonly kind: "log"; readonly text: string }
  | RequestsCounted
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly why: string };

/** For the rate limits. */
export interface RequestsCounted {
  readonly kind: "counted";
  readonly number: number;
  readonly key: string;
  /** Of the minute in which they were counted, in milliseconds of the epoch. */
  readonly endsAt: number;
  readonly count: number;
}

/** The global scope of such a thread, for which the checker of types has no name here. */
export interface WorkerScope {
  readonly name: string;
  onmessage: ((event: MessageEvent<WorkerOrder>) => void) | null;
  postMessage(report: WorkerReport): void;
  close(): void;
}
