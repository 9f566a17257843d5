import type { Json } from "./port.ts";

/**
 * JSON text that reads back to the very same values: `JSON.stringify` writes -0 as 0, this keeps
 * its sign.
 */
export function jsonText(value: Json): string {
  return hasNegativeZero(value) ? JSON.stringify(value, keepSign) : JSON.stringify(value);
}

function hasNegativeZero(value: Json): boolean {
  if (typeof value === "number") return Object.is(value, -0);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasNegativeZero);
}

const keepSign = (_name: string, value: unknown) =>
  Object.is(value, -0)
    ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("-0")
    : value; // Not in TypeScript's library yet.

/** Bytes of the text in UTF-8; counts only where the answer is in doubt. */
export function exceedsBytes(text: string, max: number): boolean {
  if (text.length > max) return true;
  return text.length * 3 > max && new TextEncoder().encode(text).length > max;
}
