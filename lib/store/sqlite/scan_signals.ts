/** What the event loop and the thread of `scan_worker.ts` tell each other. */
import type { Scan, Scanned } from "./scan.ts";

export interface Order {
  readonly number: number;
  readonly path: string;
  readonly scan: Scan;
  /** Milliseconds after which it stops by itself. */
  readonly limitMs: number;
  /** Milliseconds after which it makes room if others wait. */
  readonly sliceMs: number;
}

export type Outcome =
  | { readonly kind: "read"; readonly scanned: Scanned }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly unavailable: boolean; readonly message: string };

export interface Answer {
  readonly number: number;
  readonly outcome: Outcome;
}

/** What both threads see, while the one cannot read messages: places in shared memory. */
export const SIGNALS = {
  /** Number of the order that is to stop. */
  stop: 0,
  /** Whether others wait. */
  waiting: 1,
  length: 2,
} as const;
