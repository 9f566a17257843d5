/** Messages between the event loop and a thread of `scan_worker.ts`. */
import type { RowScan, RowScanResult, Scan, ScanResult } from "./scan.ts";

export interface ScanStart {
  /** Shared memory for {@linkcode STOP_INDEX}. */
  readonly signals: Int32Array;
  /** Whether the thread gives way to the event loop if there are too few processors. */
  readonly isBackground: boolean;
}

export interface ScanOrder {
  readonly number: number;
  readonly path: string;
  readonly scan: Scan | RowScan;
  readonly limitMs: number;
}

export type ScanOutcome =
  | { readonly kind: "read"; readonly scanned: ScanResult | RowScanResult }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly unavailable: boolean; readonly message: string };

/** The message that makes a thread close its files. */
export const END = "end";

export interface ScanEnded {
  readonly kind: "ended";
}

/** Index in shared memory of the number to stop: a busy thread does not receive messages. */
export const STOP_INDEX = 0;
