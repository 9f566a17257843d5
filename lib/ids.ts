import { Problem } from "./problems.ts";
import type { Clock } from "./clock.ts";
import type { Id } from "./store/values.ts";

/** Makes record ids. */
export type NewId = () => Id;

/** How ids are stored and answered. */
export const ID = /^[0-9a-f]{24}$/;
/** How they may be sent. */
export const ID_ANY_CASE = /^[0-9a-fA-F]{24}$/;

/** The id in the form in which it is stored, or null if the text is no id. */
export function parseId(text: string): Id | null {
  if (ID.test(text)) return text;
  return ID_ANY_CASE.test(text) ? text.toLowerCase() : null;
}

/** The id of a path. Throws `INVALID_ID`. */
export const requiredId = (text: string): Id => idOr("INVALID_ID", text);

/** The id of a project. Throws `INVALID_PROJECT_ID`. */
export const requiredProjectId = (text: string): Id => idOr("INVALID_PROJECT_ID", text);

function idOr(problem: "INVALID_ID" | "INVALID_PROJECT_ID", text: string): Id {
  const id = parseId(text);
  if (id === null) throw new Problem(problem);
  return id;
}

/** When an id was made, in milliseconds; to the second, and by the clock of whoever made it. */
export const madeAt = (id: Id): number => parseInt(id.slice(0, 8), 16) * 1000;

/**
 * ObjectIds as MongoDB lays them out: seconds, five random bytes of this process, a counter of
 * three bytes. Ids of one process always ascend: when the counter runs over, or the clock goes
 * back, the seconds run ahead.
 */
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
