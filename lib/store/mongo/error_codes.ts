import { MongoServerError } from "mongodb";

export const CODES = {
  Unauthorized: 13,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  CursorNotFound: 43,
  NamespaceExists: 48,
  DocumentValidationFailure: 121,
  DuplicateKey: 11_000,
} as const;

export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof MongoServerError && codes.includes(error.code as number);
