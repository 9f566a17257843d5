import { Problem } from "./problems.ts";
import type { Clock } from "./clock.ts";
import type { Id } from "./store/values.ts";

export type NewId = () => Id;

/** Matches ids as they are stored and answered. */
export const ID = /^[0-9a-f]{24}$/;
/** Matches ids as clients may send them. */
export const ID_ANY_CASE = /^[0-9a-fA-F]{24}$/;

export function parseId(text: string): Id | null {
  if (ID.test(text)) return text;
  return ID_ANY_CASE.test(text) ? text.toLowerCase() : null;
}

/** Parses an id of a path. Throws `INVALID_ID`. */
export const requiredId = (text: string): Id => idOrThrow("INVALID_ID", text);

/** Parses the id of a project. Throws `INVALID_PROJECT_ID`. */
export const requiredProjectId = (text: string): Id => idOrThrow("INVALID_PROJECT_ID", text);

function idOrThrow(problem: "INVALID_ID" | "INVALID_PROJECT_ID", text: string): Id {
  const id = parseId(text);
  if (id === null) throw new Problem(problem);
  return id;
}

/** Returns when an id was generated, in milliseconds since 1970 with a resolution of a second. */
export const creationTime = (id: Id): number => parseInt(id.slice(0, 8), 16) * 1000;

/** Generates MongoDB ObjectIds that ascend in a process, even if the clock is set back. */
export function objectIds(clock: Clock): NewId {
  const seed = crypto.getRandomValues(new Uint8Array(8));
  const process = seed.slice(0, 5).toHex();
  let counter = (seed[5]! << 16) | (seed[6]! << 8) | seed[7]!;
  let seconds = 0;
  return () => {
    seconds = Math.max(seconds, Math.floor(clock.now() / 1000) >>> 0);
    if (++counter > COUNTER_MAX) {
      counter = 0;
      seconds++;
    }
    return seconds.toString(16).padStart(8, "0") + process + counter.toString(16).padStart(6, "0");
  };
}

const COUNTER_MAX = 0xffffff;
