import { CorbelError } from "./errors.ts";

/** Returns the reason why JSON would lose a value; null if it does not. */
function jsonLoss(value: unknown, shown: unknown, mayLeaveOut: boolean): string | null {
  if (shown === undefined) return mayLeaveOut ? null : "is undefined";
  if (["function", "symbol", "bigint"].includes(typeof shown)) return `is a ${typeof shown}`;
  if (typeof shown === "number") return Number.isFinite(shown) ? null : `is ${shown}`;
  if (shown === null) return value === null ? null : "is an invalid Date";
  if (typeof shown !== "object" || Array.isArray(shown)) return null;
  // Maps, sets, regular expressions and files become an empty object.
  const type = Object.prototype.toString.call(shown).slice(8, -1);
  return type === "Object" || Object.keys(shown).length > 0 ? null : `is a ${type}`;
}

/** Throws `INVALID_VALUE` for a value that cannot be sent. */
export function rejectValue(path: string, message: string, cause?: unknown): never {
  throw new CorbelError({
    code: "INVALID_VALUE",
    message: `"${path}" ${message}.`,
    faults: [{ path, message }],
    cause,
  });
}

/**
 * Throws `INVALID_VALUE` with a path for values that `JSON.stringify` would silently drop or
 * change, except for `undefined` members with `mayLeaveOut`.
 */
export function toJson(value: unknown, name: string, { mayLeaveOut = false } = {}): string {
  const paths = new Map<unknown, string>();
  function check(this: Record<string, unknown>, key: string, shown: unknown): unknown {
    const path = paths.has(this) ? `${paths.get(this)}.${key}` : name;
    const loss = jsonLoss(this[key], shown, mayLeaveOut && !Array.isArray(this));
    if (loss !== null) rejectValue(path, loss);
    if (typeof shown === "object") paths.set(shown, path);
    return shown;
  }
  try {
    return JSON.stringify(value, check);
  } catch (error) {
    if (error instanceof CorbelError) throw error;
    return rejectValue(name, `cannot be written as JSON: ${(error as Error).message}`, error);
  }
}
