/** What the event loop and a thread of `scan_worker.ts` tell each other. */
import type { RowScan, Scan, Scanned, ScannedRows } from "./scan.ts";

/** The first thing that a thread is told. */
export interface ScanStart {
  /** Shared memory. */
  readonly signals: Int32Array;
  readonly givesWay: boolean;
}

export interface ScanOrder {
  readonly number: number;
  readonly path: string;
  readonly scan: Scan | RowScan;
  /** Milliseconds after which it stops by itself. */
  readonly limitMs: number;
}

export type ScanOutcome =
  | { readonly kind: "read"; readonly scanned: Scanned | ScannedRows }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly unavailable: boolean; readonly message: string };

/** Tells a thread to close what it has open. */
export const END = "end";

export interface ScanEnded {
  readonly kind: "ended";
}

/** Place in shared memory of the number of the order that is to stop: messages are not read. */
export const STOP = 0;
