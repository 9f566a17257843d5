import { isServerField, nameProblem } from "../../documents/names.ts";
import { DOCUMENT_DEPTH_MAX } from "../../limits.ts";
import type { Json } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { foreignId } from "./foreign_project.ts";
import type { Notes } from "./notes.ts";

/** A value as Firestore's REST API writes it: `{"stringValue":"…"}`. */
export type TypedValue = { readonly [type: string]: Json };
export type TypedFields = { readonly [name: string]: TypedValue };

/** The id that a document gets. @param path `posts/abc` */
export const firestoreId = (path: string): string => foreignId("firestore", path);

export const userIdOf = (uid: string): string => foreignId("firebase user", uid);

/** `posts/abc` of `projects/p/databases/d/documents/posts/abc`; null where it is none of this one. */
export function pathIn(database: string, name: string): string | null {
  const before = `${database}/documents/`;
  return name.startsWith(before) ? name.slice(before.length) : null;
}

/** `posts` of `posts/abc`, `posts/comments` of `posts/abc/comments/x`. */
export const collectionPathOf = (path: string): string =>
  path.split("/").filter((_part, i) => i % 2 === 0).join("/");

/** What a value is, as far as a definition can say; null for what is nothing. */
export function typeOf(value: TypedValue, database: string): string | null {
  const [kind, inner] = entryOf(value);
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

const entryOf = (value: TypedValue): readonly [string, Json] =>
  Object.entries(value)[0] ?? ["nullValue", null];

const elementsOf = (inner: Json): TypedValue[] =>
  (isObject(inner) && Array.isArray(inner.values) ? inner.values : []) as TypedValue[];

const membersOf = (inner: Json): TypedFields =>
  (isObject(inner) && isObject(inner.fields ?? null) ? inner.fields : {}) as TypedFields;

const KINDS = new Set([
  "nullValue",
  "booleanValue",
  "integerValue",
  "doubleValue",
  "timestampValue",
  "stringValue",
  "bytesValue",
  "referenceValue",
  "geoPointValue",
  "arrayValue",
  "mapValue",
]);

/** Why typed fields are none; null if they are. */
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
  // An array in a map in an array: twice as deep as a document may be is none of Firestore's.
  if (depth > 2 * DOCUMENT_DEPTH_MAX) return "is nested too deeply";
  if (!isObject(value)) return "has no type";
  const [kind, ...more] = Object.keys(value);
  if (kind === undefined || more.length > 0 || !KINDS.has(kind)) {
    return "has a type that nobody knows";
  }
  const inner = value[kind]!;
  if (kind === "mapValue") {
    return isObject(inner) ? fieldsProblem(inner.fields ?? {}, depth) : "is no map";
  }
  if (kind === "arrayValue") {
    const values = isObject(inner) ? inner.values ?? [] : null;
    if (!Array.isArray(values)) return "is no array";
    for (const element of values) {
      const problem = valueProblem(element, depth + 1);
      if (problem !== null) return problem;
    }
  }
  return null;
}

/** From typed values to those that are stored here. */
export class Values {
  readonly #database: string;
  readonly #notes: Notes;

  constructor(database: string, notes: Notes) {
    this.#database = database;
    this.#notes = notes;
  }

  /** @param isRef Whether references are declared as such there; else they are paths. */
  json(value: TypedValue, where: string, isRef = false): Json {
    const [kind, inner] = entryOf(value);
    switch (kind) {
      case "integerValue":
        return Number.isSafeInteger(Number(inner)) ? Number(inner) : String(inner);
      case "doubleValue":
        if (typeof inner === "number") return inner;
        this.#notes.count(`${where}: numbers left out, because they are infinite or none`);
        return null;
      case "timestampValue":
        return timeOf(inner);
      case "referenceValue": {
        const path = pathIn(this.#database, String(inner));
        return path === null ? String(inner) : isRef ? firestoreId(path) : path;
      }
      case "arrayValue":
        return elementsOf(inner).map((one) => this.json(one, where, isRef));
      case "mapValue":
        return this.#members(membersOf(inner), where);
      case "geoPointValue": {
        const { latitude = 0, longitude = 0 } = isObject(inner) ? inner : {};
        return { latitude, longitude };
      }
    }
    return inner;
  }

  #members(fields: TypedFields, where: string): Json {
    const members: [string, Json][] = [];
    const used = new Set(Object.keys(fields));
    for (const [name, value] of Object.entries(fields)) {
      const own = memberName(name, used);
      if (own !== name) this.#notes.count(`${where}: names within it that are others now`);
      used.add(own);
      members.push([own, this.json(value, where)]);
    }
    return Object.fromEntries(members);
  }
}

/** A name that a member can have; nobody else's of those that are used. */
export function memberName(
  name: string,
  used: ReadonlySet<string>,
  { isTop = false }: { readonly isTop?: boolean } = {},
): string {
  const isFine = (text: string) => nameProblem(text) === null && !(isTop && isServerField(text));
  if (isFine(name)) return name;
  const plain = name.toWellFormed().replaceAll(/[.$\p{Cc}\p{Cf}]/gu, "_").trim();
  let own = isFine(plain) ? plain : `source_${plain}`;
  while (used.has(own)) own += "_";
  return own;
}

/** To the millisecond; null for what is no time. */
export function timeOf(value: Json): string | null {
  const ms = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
