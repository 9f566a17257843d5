export type Scalar = string | number | boolean | null;
export type Json = Scalar | Json[] | { readonly [name: string]: Json };

export type Document = {
  readonly _id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isDeleted: boolean;
  readonly deletedAt: string | null;
  readonly [name: string]: Json;
};

/** Error for a request that the rules do not allow. */
export class RequestRefused extends Error {}
export const createRefusal = (): RequestRefused => new RequestRefused();

/** Returns the value at a path. Dots lead into objects; behind other values it is missing. */
export function valueAt(document: Document, path: string): Json | undefined {
  let value: Json | undefined = document;
  for (const name of path.split(".")) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? (value as { [name: string]: Json })[name] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** Compares values of one type in ascending order; missing and null are equal and come first. */
export function compare(a: Json | undefined, b: Json | undefined): number {
  const [left, right] = [a ?? null, b ?? null];
  if (left === null || right === null) {
    return Number(left !== null) - Number(right !== null);
  }
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left !== typeof right) throw new TypeError("Sorted values are of one type");
  return left < right ? -1 : left > right ? 1 : 0;
}

const encoder = new TextEncoder();

/** Compares by UTF-8 bytes. JavaScript's order differs beyond U+FFFF. */
export function compareText(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!;
  }
  return left.length - right.length;
}
