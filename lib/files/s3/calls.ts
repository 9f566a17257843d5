import type { S3Client } from "@aws-sdk/client-s3";
import { BLOB_CALL_MS } from "../blobs.ts";
import { isPassing, nameOf, statusOf, unavailable } from "./failures.ts";

/** What a call may take of a request's budget, with what settling it takes kept back. */
export const CALL_MS = BLOB_CALL_MS - 500;
/** Until an answer begins, connecting included. Two fit into a call: a kept connection may be dead. */
const ATTEMPT_MS = 2000;
const ATTEMPTS = 2;
const PAUSE_MS = 100;

/** A moment, in `performance.now()`, by which a call must have settled. */
export const within = (ms: number): number => performance.now() + ms;

/** Calls to one bucket, each within a time. */
export class S3Calls {
  readonly client: S3Client;
  readonly bucket: string;
  /** For operators. */
  readonly name: string;

  constructor(client: S3Client, { bucket, name }: { bucket: string; name: string }) {
    this.client = client;
    this.bucket = bucket;
    this.name = name;
  }

  /**
   * What the store answers; null for an object that is not there, or is not the expected one.
   * Settles by `by`, whatever the store does.
   */
  async ask<T>(
    by: number,
    send: (client: S3Client, options: CallOptions) => Promise<T>,
    attemptMs = ATTEMPT_MS,
  ): Promise<T | null> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), Math.max(0, by - performance.now()));
    const options = { abortSignal: giveUp.signal, requestTimeout: attemptMs };
    try {
      for (let attempt = 1;; attempt++) {
        try {
          return await send(this.client, options);
        } catch (error) {
          if (isAbsence(error)) return null;
          if (attempt === ATTEMPTS || giveUp.signal.aborted || !isPassing(error)) {
            throw unavailable(this.name, error);
          }
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

interface CallOptions {
  readonly abortSignal: AbortSignal;
  readonly requestTimeout: number;
}

/** A missing bucket is not a missing object. */
const isAbsence = (error: unknown): boolean =>
  statusOf(error) === 412 || (statusOf(error) === 404 && nameOf(error) !== "NoSuchBucket");
