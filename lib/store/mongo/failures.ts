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

/** Error codes for an operation that exceeded `maxTimeMS`. */
const TIME_LIMIT = [50, 262];
/** Error codes for an update with a path through a scalar, a wrong type, or conflicts. */
const NOT_APPLICABLE = [14, 28, 40];
/** Error codes for missing privileges or failed authentication. */
const FORBIDDEN = new Set([13, 18]);
const TOO_LARGE = new Set([10_334, 17_419, 17_420]);
/** Error codes of a server that is shutting down, not primary, or without a quorum. */
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

/** Whether the entire transaction may succeed when it is retried. */
export const isTransient = (error: unknown): boolean =>
  isUnsent(error) ||
  (error instanceof MongoError && error.hasErrorLabel("TransientTransactionError"));

/** Whether the result of a commit is unknown and can be determined by committing again. */
export const isCommitUnknown = (error: unknown): boolean =>
  isUnsent(error) ||
  (error instanceof MongoError && error.hasErrorLabel("UnknownTransactionCommitResult") &&
    !isTimeLimit(error));

/**
 * Whether nothing was sent, because the server had closed the socket. The driver does not recognize
 * this error of Deno's sockets as a network error and does not retry the command.
 */
const isUnsent = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof MongoError) &&
  (error as Error & { code?: unknown }).code === "EPIPE";

/** Codes of other errors of Deno's sockets that the driver does not wrap. */
const CONNECTION_LOST = new Set([
  "ECONNRESET",
  "ECONNABORTED",
  "ERR_STREAM_DESTROYED",
  "ERR_SOCKET_CLOSED",
]);

/** Whether the connection was lost during a command, which may or may not have arrived. */
const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof MongoError) &&
  CONNECTION_LOST.has(String((error as Error & { code?: unknown }).code));

/** Whether the server took longer than the socket timeout. It may still be running the command. */
export const isTimeout = (error: unknown): boolean => error instanceof MongoNetworkTimeoutError;

/** Whether the server or the connection has a problem that may be temporary. */
export const isTemporary = (error: unknown): boolean =>
  isUnsent(error) || error instanceof MongoNetworkError ||
  (error instanceof MongoServerError && UNAVAILABLE.has(error.code as number));

/**
 * Retries a read once if it was not sent. Must not be used for writes: the driver may have sent the
 * write before, and would give it a new transaction number.
 */
export async function retryUnsent<T>(work: () => Promise<T>): Promise<T> {
  return await work().catch((error) => isUnsent(error) ? work() : Promise.reject(error));
}

/** Retries an idempotent command once after a temporary error. */
export async function retryOnce<T>(work: () => Promise<T>): Promise<T> {
  return await work().catch((error) => isTemporary(error) ? work() : Promise.reject(error));
}

/** Translates an error of the driver to one of the port. Messages contain no passwords. */
export function toPortError(error: unknown): unknown {
  if (isUnsent(error) || isConnectionLost(error)) return unavailable(error as Error);
  if (!(error instanceof MongoError)) return error;
  // The driver wraps all errors of a bulk write, even a lost connection, in a server error.
  if (error instanceof MongoServerError && typeof error.code === "number") {
    const code = error.code;
    if (code === CODES.DuplicateKey) {
      return new UniqueViolation(violatedPath(error), { cause: error });
    }
    // The collection's validator implements the fence of its definition.
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

/** Maximum size of a document in MongoDB, in bytes. */
const BSON_BYTES_MAX = 16 * 1024 * 1024;

const unavailable = (cause: Error): StoreUnavailable =>
  new StoreUnavailable(`MongoDB cannot be used: ${cause.message}`, { cause });

/** Returns the path of a violated unique index, whose name spells out its keys. */
const violatedPath = ({ message }: MongoServerError): string =>
  /index: unique (\S+) \S+ dup key/.exec(message)?.[1] ?? "_id";
