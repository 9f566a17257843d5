import type { Environment } from "@/lib/runtime/settings.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import type { Id } from "@/lib/store/port.ts";

/** What the thread for long requests is told. */
export type OffloadOrder =
  | { readonly kind: "open"; readonly environment: Environment }
  | RequestOrder
  /** The client of that request is gone. */
  | { readonly kind: "abort"; readonly number: number }
  | { readonly kind: "stop" };

/** A request that its guard has let in. */
export interface RequestOrder {
  readonly kind: "request";
  readonly number: number;
  readonly requestId: string;
  /** Whose definitions and plan may have changed since the last one; null where it is of no project. */
  readonly projectId: Id | null;
  /** The other end of the connection. */
  readonly hostname: string;
  readonly url: string;
  readonly method: string;
  readonly headers: [string, string][];
  /** All of it, as it came. Transferred. */
  readonly body: readonly Uint8Array<ArrayBuffer>[];
}

/** What it tells. */
export type OffloadReport =
  | AnswerReport
  /** The request of that number was not answered. */
  | { readonly kind: "failed"; readonly number: number; readonly why: string }
  /** It cannot answer anything. */
  | { readonly kind: "unusable"; readonly why: string }
  /** Whole lines. */
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "stopped" };

export interface AnswerReport {
  readonly kind: "answer";
  readonly number: number;
  readonly status: number;
  readonly headers: [string, string][];
  /** Whole where it is short. Transferred. */
  readonly body: ReadableStream<Uint8Array> | ArrayBuffer | null;
  readonly problem: ProblemCode | null;
}

/** The global scope of the thread, for which the checker of types has no name here. */
export interface OffloadScope {
  onmessage: ((event: MessageEvent<OffloadOrder>) => void) | null;
  postMessage(report: OffloadReport, transferred?: readonly Transferable[]): void;
}
