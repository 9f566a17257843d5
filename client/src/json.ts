import { CorbelError } from "./errors.ts";

/** Why JSON would lose a value; null if it keeps it. */
function lossOf(value: unknown, shown: unknown, mayLeaveOut: boolean): string | null {
  if (shown === undefined) return mayLeaveOut ? null : "is undefined";
  if (["function", "symbol", "bigint"].includes(typeof shown)) return `is a ${typeof shown}`;
  if (typeof shown === "number") return Number.isFinite(shown) ? null : `is ${shown}`;
  if (shown === null) return value === null ? null : "is an invalid Date";
  if (typeof shown !== "object" || Array.isArray(shown)) return null;
  // Maps, sets, regular expressions and files become an empty object.
  const type = Object.prototype.toString.call(shown).slice(8, -1);
  return type === "Object" || Object.keys(shown).length > 0 ? null : `is a ${type}`;
}

/** Refuses what cannot be sent, before anything is. */
export function refuseValue(path: string, message: string, cause?: unknown): never {
  throw new CorbelError({
    code: "INVALID_VALUE",
    message: `"${path}" ${message}.`,
    faults: [{ path, message }],
    cause,
  });
}

/**
 * Writes a value as JSON. Throws `INVALID_VALUE` with a path for what `JSON.stringify` would drop
 * or change without saying so, such as `undefined` in a condition, `NaN` or an invalid Date.
 *
 * @param options.mayLeaveOut Whether a member of an object may be `undefined`, and is then left out.
 */
export function jsonOf(value: unknown, name: string, { mayLeaveOut = false } = {}): string {
  const paths = new Map<unknown, string>();
  function check(this: Record<string, unknown>, key: string, shown: unknown): unknown {
    const path = paths.has(this) ? `${paths.get(this)}.${key}` : name;
    const loss = lossOf(this[key], shown, mayLeaveOut && !Array.isArray(this));
    if (loss !== null) refuseValue(path, loss);
    if (typeof shown === "object") paths.set(shown, path);
    return shown;
  }
  try {
    return JSON.stringify(value, check);
  } catch (error) {
    if (error instanceof CorbelError) throw error;
    return refuseValue(name, `cannot be written as JSON: ${(error as Error).message}`, error);
  }
}
