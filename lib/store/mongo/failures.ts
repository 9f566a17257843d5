import {
  MongoDriverError,
  MongoError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from "mongodb";
import { Outdated, RecordTooLarge, StoreUnavailable, UniqueViolation } from "../errors.ts";
import { CODES, hasCode } from "./error_codes.ts";

/** The server ended the operation by `maxTimeMS`. */
const TIME_LIMIT = [50, 262];
/** A path leads through a scalar; not a number; two parts of a change meet. */
const NOT_APPLICABLE = [14, 28, 40];
/** No right, or none yet, to do it. */
const FORBIDDEN = new Set([13, 18]);
const TOO_LARGE = new Set([10_334, 17_419, 17_420]);
/** Of another state of the replica set, or of the server: going down, not primary, no quorum. */
const UNAVAILABLE = new Set([
  ...[6, 7, 64, 89, 91, 100, 112, 133, 134, 136, 189, 202, 216, 225, 234, 243, 246, 251, 269],
  ...[
    117,
    317,
    358,
    384,
    9001,
    10_058,
    10_107,
    11_600,
    11_602,
    13_388,
    13_435,
    13_436,
    14_031,
    12_587,
  ],
]);

export const isTimeLimit = (error: unknown): boolean => hasCode(error, ...TIME_LIMIT);

export const isNotApplicable = (error: unknown): boolean => hasCode(error, ...NOT_APPLICABLE);

/** The whole transaction may succeed when it is run again. */
export const isTransient = (error: unknown): boolean =>
  isUnsent(error) ||
  (error instanceof MongoError && error.hasErrorLabel("TransientTransactionError"));

/** Whether the transaction was committed can be found out by asking for it again. */
export const isUnknownEnd = (error: unknown): boolean =>
  isUnsent(error) ||
  (error instanceof MongoError && error.hasErrorLabel("UnknownTransactionCommitResult") &&
    !isTimeLimit(error));

/**
 * A socket that the server has closed was written to, so nothing was sent. The driver takes this
 * error of Deno's sockets for none of the network, and does not send the command again.
 */
const isUnsent = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof MongoError) &&
  (error as Error & { code?: unknown }).code === "EPIPE";

/** What else a socket of Deno's may fail with, of which the driver makes no error of its own. */
const LOST = new Set(["ECONNRESET", "ECONNABORTED", "ERR_STREAM_DESTROYED", "ERR_SOCKET_CLOSED"]);

/** The connection has gone while something was on its way: who knows whether it has arrived. */
const isLost = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof MongoError) &&
  LOST.has(String((error as Error & { code?: unknown }).code));

/** The server took longer than the connection waits; it may still be at work. */
export const isTimeout = (error: unknown): boolean => error instanceof MongoNetworkTimeoutError;

/** Something is wrong with the server or the way to it, and may not be a moment later. */
export const isPassing = (error: unknown): boolean =>
  isUnsent(error) || error instanceof MongoNetworkError ||
  (error instanceof MongoServerError && UNAVAILABLE.has(error.code as number));

/**
 * Sends a read again that never left. Not for writes: the driver may have sent it once before, and
 * numbers it anew.
 */
export async function sent<T>(work: () => Promise<T>): Promise<T> {
  return await work().catch((error) => isUnsent(error) ? work() : Promise.reject(error));
}

/** Sends again what has the same effect any number of times, and what the driver sends only once. */
export async function repeatable<T>(work: () => Promise<T>): Promise<T> {
  return await work().catch((error) => isPassing(error) ? work() : Promise.reject(error));
}

/** What the port's callers are told. Addresses hold no passwords here: the driver names hosts only. */
export function translated(error: unknown): unknown {
  if (isUnsent(error) || isLost(error)) return unavailable(error as Error);
  if (!(error instanceof MongoError)) return error;
  // The driver wraps whatever befalls a bulk, also a lost connection, as if the server had said it.
  if (error instanceof MongoServerError && typeof error.code === "number") {
    const code = error.code;
    if (code === CODES.DuplicateKey) {
      return new UniqueViolation(violatedPath(error), { cause: error });
    }
    // The collection's validator is the fence of its definition.
    if (code === CODES.DocumentValidationFailure) return new Outdated({ cause: error });
    if (TOO_LARGE.has(code)) return new RecordTooLarge(BSON_BYTES_MAX);
    const passing = UNAVAILABLE.has(code) || FORBIDDEN.has(code) || TIME_LIMIT.includes(code) ||
      error.hasErrorLabel("RetryableWriteError") || isTransient(error);
    return passing ? unavailable(error) : error;
  }
  const lost = error instanceof MongoNetworkError || error instanceof MongoServerSelectionError ||
    error instanceof MongoServerError || error instanceof MongoDriverError;
  return lost ? unavailable(error) : error;
}

/** What MongoDB itself takes at most. */
const BSON_BYTES_MAX = 16 * 1024 * 1024;

const unavailable = (cause: Error): StoreUnavailable =>
  new StoreUnavailable(`MongoDB cannot be used: ${cause.message}`, { cause });

/** Our indexes are named after their keys; MongoDB's own is about ids. */
const violatedPath = ({ message }: MongoServerError): string =>
  /index: unique (\S+) \S+ dup key/.exec(message)?.[1] ?? "_id";
