/** Values of documents and how they compare. */

export type Scalar = string | number | boolean | null;
export type Json = Scalar | Json[] | { readonly [name: string]: Json };

/** A document as it is stored and answered. */
export type Document = {
  readonly _id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isDeleted: boolean;
  readonly deletedAt: string | null;
  readonly [name: string]: Json;
};

/** The request is not what the rules allow. */
export class Refused extends Error {}
export const refuse = (): Refused => new Refused();

/** Dotted names reach into objects; what lies behind anything else is missing. */
export function valueAt(document: Document, path: string): Json | undefined {
  let value: Json | undefined = document;
  for (const name of path.split(".")) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? (value as { [name: string]: Json })[name] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** Missing and null first and alike, then ascending. Only for values of one type. */
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

/** By UTF-8 bytes: beyond the Basic Multilingual Plane this is not the order of JavaScript. */
export function compareText(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!;
  }
  return left.length - right.length;
}
