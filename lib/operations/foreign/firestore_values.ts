import { DOCUMENT_DEPTH_MAX } from "../../limits.ts";
import type { Json } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { foreignId } from "./foreign_project.ts";
import type { Notes } from "./notes.ts";

/** A value as Firestore's REST API writes it: `{"stringValue":"…"}`. */
export type TypedValue = { readonly [type: string]: Json };
export type TypedFields = { readonly [name: string]: TypedValue };

/** @param path A path such as `posts/abc`. */
export const firestoreId = (path: string): string => foreignId("firestore", path);

export const userIdOf = (uid: string): string => foreignId("firebase user", uid);

/** Returns `posts/abc` of `projects/p/databases/d/documents/posts/abc`, if this is the database. */
export function pathIn(database: string, name: string): string | null {
  const before = `${database}/documents/`;
  return name.startsWith(before) ? name.slice(before.length) : null;
}

/** Returns `posts/comments` of `posts/abc/comments/x`. */
export const collectionPathOf = (path: string): string =>
  path.split("/").filter((_part, i) => i % 2 === 0).join("/");

/** Returns null for null and non-finite numbers. */
export function typeOf(value: TypedValue, database: string): string | null {
  const [kind, inner] = typeAndValue(value);
  switch (kind) {
    case "booleanValue":
      return "Boolean";
    case "integerValue":
      return Number.isSafeInteger(Number(inner)) ? "Number" : "String";
    case "doubleValue":
      return typeof inner === "number" ? "Number" : null;
    case "timestampValue":
      return "Date";
    case "stringValue":
    case "bytesValue":
      return "String";
    case "referenceValue": {
      const path = pathIn(database, String(inner));
      return path === null ? "String" : `Ref ${collectionPathOf(path)}`;
    }
    case "mapValue":
    case "geoPointValue":
      return "Object";
    case "arrayValue": {
      const types = new Set(elementsOf(inner).map((one) => typeOf(one, database)));
      types.delete(null);
      const [first, ...more] = types;
      if (first === undefined) return "Array";
      return more.length > 0 || /^(?:Array|Object)/.test(first!)
        ? "Array of any"
        : `Array of ${first}`;
    }
  }
  return null;
}

const typeAndValue = (value: TypedValue): readonly [string, Json] =>
  Object.entries(value)[0] ?? ["nullValue", null];

export const isNull = (value: TypedValue): boolean => typeAndValue(value)[0] === "nullValue";

const elementsOf = (inner: Json): TypedValue[] =>
  (isObject(inner) && Array.isArray(inner.values) ? inner.values : []) as TypedValue[];

const membersOf = (inner: Json): TypedFields =>
  (isObject(inner) && isObject(inner.fields ?? null) ? inner.fields : {}) as TypedFields;

const isText = (inner: Json): boolean => typeof inner === "string";
const isTextLike = (pattern: RegExp) => (inner: Json): boolean =>
  typeof inner === "string" && pattern.test(inner);
const isInteger = isTextLike(/^-?\d{1,19}$/);
const isNonFinite = isTextLike(/^(?:NaN|-?Infinity)$/);
const isCoordinate = (inner: Json | undefined): boolean =>
  inner === undefined || typeof inner === "number";

/** Whether the REST API encodes a value of the type like this. Others would be misread. */
const VALUE_CHECKS: ReadonlyMap<string, (inner: Json) => boolean> = new Map([
  ["nullValue", () => true],
  ["booleanValue", (inner) => typeof inner === "boolean"],
  ["integerValue", (inner) => Number.isSafeInteger(inner) || isInteger(inner)],
  ["doubleValue", (inner) => typeof inner === "number" || isNonFinite(inner)],
  ["timestampValue", (inner) => timeOf(inner) !== null],
  ["stringValue", isText],
  ["bytesValue", isText],
  ["referenceValue", isText],
  [
    "geoPointValue",
    (inner) => isObject(inner) && isCoordinate(inner.latitude) && isCoordinate(inner.longitude),
  ],
  ["arrayValue", isObject],
  ["mapValue", isObject],
]);

export function fieldsProblem(fields: Json, depth = 1): string | null {
  if (!isObject(fields)) return "fields must be an object";
  for (const [name, value] of Object.entries(fields)) {
    const problem = valueProblem(value, depth + 1);
    if (problem !== null) {
      return depth === 1 ? `the field ${JSON.stringify(name.slice(0, 60))} ${problem}` : problem;
    }
  }
  return null;
}

function valueProblem(value: Json, depth: number): string | null {
  // Maps and arrays alternate, so a valid document has at most twice the levels.
  if (depth > 2 * DOCUMENT_DEPTH_MAX) return "is nested too deeply";
  if (!isObject(value)) return "has no type";
  const [kind, ...more] = Object.keys(value);
  const isWritten = kind === undefined || more.length > 0 ? undefined : VALUE_CHECKS.get(kind);
  if (isWritten === undefined) return "has an unknown type";
  const inner = value[kind!]!;
  if (kind === "integerValue" && typeof inner === "number" && !isWritten(inner)) {
    return `has the integerValue ${inner} as a number: write it as a String, in double quotes`;
  }
  if (!isWritten(inner)) return `has no valid ${kind}`;
  if (kind === "mapValue" && isObject(inner)) return fieldsProblem(inner.fields ?? {}, depth);
  if (kind === "arrayValue" && isObject(inner)) {
    const values = inner.values ?? [];
    if (!Array.isArray(values)) return "has no valid arrayValue";
    for (const element of values) {
      const problem = valueProblem(element, depth + 1);
      if (problem !== null) return problem;
    }
  }
  return null;
}

export class ValueConverter {
  readonly #database: string;
  readonly #notes: Notes;

  constructor(database: string, notes: Notes) {
    this.#database = database;
    this.#notes = notes;
  }

  /** @param isRef Whether references become Refs. Otherwise they become paths. */
  toJson(value: TypedValue, where: string, isRef = false): Json {
    const [kind, inner] = typeAndValue(value);
    switch (kind) {
      case "nullValue":
        return null;
      case "integerValue":
        if (Number.isSafeInteger(Number(inner))) return Number(inner);
        this.#notes.count(`${where}: integers beyond 2^53 kept as text`);
        return String(inner);
      case "doubleValue":
        if (typeof inner === "number") return inner;
        this.#notes.count(`${where}: numbers left out, because they are infinite or NaN`);
        return null;
      case "bytesValue":
        this.#notes.count(`${where}: bytes kept as text, in base64`);
        return inner;
      case "timestampValue":
        return timeOf(inner);
      case "referenceValue":
        return this.#reference(String(inner), where, isRef);
      case "arrayValue":
        return elementsOf(inner).map((one) => this.toJson(one, where, isRef));
      case "mapValue":
        return Object.fromEntries(
          Object.entries(membersOf(inner)).map(([name, one]) => [name, this.toJson(one, where)]),
        );
      case "geoPointValue": {
        const { latitude = 0, longitude = 0 } = isObject(inner) ? inner : {};
        return { latitude, longitude };
      }
    }
    return inner;
  }

  #reference(name: string, where: string, isRef: boolean): Json {
    const path = pathIn(this.#database, name);
    if (path !== null && isRef) return firestoreId(path);
    this.#notes.count(`${where}: references kept as text, which is the path of the document`);
    return path ?? name;
  }
}

/** Returns ISO 8601 with milliseconds, or null for an invalid time. */
export function timeOf(value: Json): string | null {
  const ms = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
