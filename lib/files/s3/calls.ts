import type { S3Client } from "@aws-sdk/client-s3";
import { BLOB_CALL_MS } from "../blobs.ts";
import { errorName, isTransient, statusOf, unavailable } from "./failures.ts";

/** Time limit of a call, in milliseconds, which leaves time for aborting within `BLOB_CALL_MS`. */
export const CALL_MS = BLOB_CALL_MS - 500;
/** Milliseconds until a response begins. Two attempts fit, as a pooled connection may be dead. */
const ATTEMPT_MS = 2000;
const ATTEMPTS_MAX = 2;
const PAUSE_MS = 100;

/** Returns the deadline of a call, in `performance.now()` milliseconds. */
export const dueIn = (ms: number): number => performance.now() + ms;

/** Sends requests to one bucket, with deadlines and retries. */
export class S3Calls {
  readonly client: S3Client;
  readonly bucket: string;
  /** Name of the bucket in messages for operators. */
  readonly name: string;

  constructor(client: S3Client, { bucket, name }: { bucket: string; name: string }) {
    this.client = client;
    this.bucket = bucket;
    this.name = name;
  }

  /**
   * Returns null if the object is missing or a precondition fails. Settles before `deadline`
   * (`performance.now()` milliseconds), even if the store never responds. Throws
   * `BlobsUnavailable`.
   */
  async send<T>(
    deadline: number,
    send: (client: S3Client, options: CallOptions) => Promise<T>,
    attemptMs = ATTEMPT_MS,
  ): Promise<T | null> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), Math.max(0, deadline - performance.now()));
    const options = { abortSignal: giveUp.signal, requestTimeout: attemptMs };
    try {
      for (let attempt = 1;; attempt++) {
        try {
          return await send(this.client, options);
        } catch (error) {
          if (isAbsence(error)) return null;
          if (attempt === ATTEMPTS_MAX || giveUp.signal.aborted || !isTransient(error)) {
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

/** Whether the error says that an object, not the bucket, is missing or has changed. */
const isAbsence = (error: unknown): boolean =>
  statusOf(error) === 412 || (statusOf(error) === 404 && errorName(error) !== "NoSuchBucket");
