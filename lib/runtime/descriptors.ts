import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CONNECTIONS_MAX } from "../limits.ts";

/** Number of descriptors per connection: one for the connection, one for files and others. */
const DESCRIPTORS_PER_CONNECTION = 2;
const PROBED_MAX = CONNECTIONS_MAX * DESCRIPTORS_PER_CONNECTION;

export interface Descriptors {
  /** The limit of file descriptors; null if it is higher than needed. */
  readonly limit: number | null;
  /** Maximum number of open connections. */
  readonly connections: number;
}

/** Opens a file until that fails, as Deno has no API. Must run before other code needs one. */
export function countDescriptors(): Descriptors {
  const file = fileURLToPath(import.meta.url);
  const opened: number[] = [];
  let limit: number | null = null;
  try {
    // The system always returns the lowest free descriptor.
    while ((opened.at(-1) ?? 0) < PROBED_MAX) opened.push(openSync(file, "r"));
  } catch (error) {
    if (!isLimitReached(error)) throw error;
    limit = (opened.at(-1) ?? 0) + 1;
  } finally {
    opened.forEach(closeSync);
  }
  return {
    limit,
    connections: limit === null ? CONNECTIONS_MAX : Math.floor(limit / DESCRIPTORS_PER_CONNECTION),
  };
}

const isLimitReached = (error: unknown): boolean => {
  const { code } = error as { code?: string };
  return code === "EMFILE" || code === "ENFILE";
};
