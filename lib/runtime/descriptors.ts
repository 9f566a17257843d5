import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CONNECTIONS_MAX } from "../limits.ts";

/** Half of the descriptors are for connections, half for files and all else. */
const PER_CONNECTION = 2;
const LOOKED_AT_MAX = CONNECTIONS_MAX * PER_CONNECTION;

/** What the process may open at once. */
export interface Descriptors {
  /** The limit of file descriptors; null where there are more than are needed. */
  readonly limit: number | null;
  /** Connections that may be open at once. */
  readonly connections: number;
}

/**
 * Finds out how many descriptors there are by opening a file until no more can be opened: Deno does
 * not tell, and lets nothing read /proc without all permissions. To be called before anything else
 * needs a descriptor.
 */
export function countDescriptors(): Descriptors {
  const file = fileURLToPath(import.meta.url);
  const opened: number[] = [];
  let limit: number | null = null;
  try {
    // The lowest free number is given each time.
    while ((opened.at(-1) ?? 0) < LOOKED_AT_MAX) opened.push(openSync(file, "r"));
  } catch (error) {
    if (!hasNoneLeft(error)) throw error;
    limit = (opened.at(-1) ?? 0) + 1;
  } finally {
    opened.forEach(closeSync);
  }
  return {
    limit,
    connections: limit === null ? CONNECTIONS_MAX : Math.floor(limit / PER_CONNECTION),
  };
}

const hasNoneLeft = (error: unknown): boolean => {
  const { code } = error as { code?: string };
  return code === "EMFILE" || code === "ENFILE";
};
