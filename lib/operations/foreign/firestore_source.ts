import { z } from "zod";
import { canonicalEmail } from "../../emails.ts";
import { InexactInteger, lineRefusal } from "../../store/exact_json.ts";
import { parseExactJson } from "../../store/json_text.ts";
import type { Json } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { shown } from "../../text/input_text.ts";
import type { Progress } from "../archive/progress.ts";
import { type Line, linesOf } from "./firestore_lines.ts";
import { FirestoreCollection } from "./firestore_fields.ts";
import {
  collectionPathOf,
  fieldsProblem,
  firestoreId,
  type TypedFields,
  userIdOf,
} from "./firestore_values.ts";
import { refuse, Scratch } from "./scratch.ts";

/** More would be no project. */
const COLLECTIONS_MAX = 500;

const NAME = /^(projects\/[^/]+\/databases\/[^/]+)\/documents\/(.+)$/s;

const Document = z.looseObject({
  name: z.string(),
  createTime: z.string().optional(),
  updateTime: z.string().optional(),
});

const text = z.string().nullish().transform((value) => value ?? null);
const yes = z.boolean().nullish().transform((value) => value === true);
/** Milliseconds, as text. */
const time = z.union([z.string(), z.number()]).nullish().transform((value) => {
  const ms = value === null || value === undefined ? NaN : Number(value);
  return Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : null;
});

export const FirebaseUser = z.looseObject({
  localId: z.string().min(1).max(128),
  email: text,
  emailVerified: yes,
  passwordHash: text,
  displayName: text,
  photoUrl: text,
  phoneNumber: text,
  disabled: yes,
  createdAt: time,
  lastSignedInAt: time,
  customAttributes: text,
  mfaInfo: z.array(z.unknown()).nullish(),
  providerUserInfo: z.array(z.looseObject({ providerId: z.string(), rawId: text, email: text }))
    .nullish()
    .transform((value) => value ?? []),
});
export type FirebaseUser = z.infer<typeof FirebaseUser>;

/** An export, sorted into a scratch file. */
export interface FirestoreSource {
  readonly db: Scratch;
  /** `projects/p/databases/(default)`; empty where there are users alone. */
  readonly database: string;
  /** By path. */
  readonly collections: ReadonlyMap<string, FirestoreCollection>;
  readonly hasUsers: boolean;
}

/**
 * Reads documents and users, one a line. Throws `INVALID_INPUT` that names the line that is neither, or
 * that comes twice. @param path Where the scratch file is made.
 */
export async function readFirestoreLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  { path, progress }: { readonly path: string; readonly progress: Progress },
): Promise<FirestoreSource> {
  const db = new Scratch(path);
  try {
    const reading = new Reading(db);
    const read = progress.of("reading lines");
    db.exec("BEGIN");
    for await (const line of linesOf(stream)) {
      reading.add(line);
      read(1);
    }
    db.exec("COMMIT");
    if (reading.isEmpty) throw refuse("The export is empty.");
    return reading;
  } catch (error) {
    db[Symbol.dispose]();
    throw error;
  }
}

class Reading implements FirestoreSource {
  readonly db: Scratch;
  readonly collections = new Map<string, FirestoreCollection>();
  database = "";
  hasUsers = false;
  readonly #document: (...values: (string | null)[]) => number;
  readonly #user: (...values: (string | number | null)[]) => number;

  constructor(db: Scratch) {
    this.db = db;
    db.exec(`
      CREATE TABLE documents (collection TEXT, _id TEXT, path TEXT, line TEXT,
        PRIMARY KEY (collection, _id)) WITHOUT ROWID;
      CREATE TABLE users (_id TEXT PRIMARY KEY, email TEXT, verified INTEGER, line TEXT) WITHOUT ROWID;
    `);
    this.#document = db.runner("INSERT OR IGNORE INTO documents VALUES (?, ?, ?, ?)");
    this.#user = db.runner("INSERT OR IGNORE INTO users VALUES (?, ?, ?, ?)");
  }

  get isEmpty(): boolean {
    return !this.hasUsers && this.collections.size === 0;
  }

  add(line: Line): void {
    const value = objectIn(line);
    if (typeof value.name === "string") this.#addDocument(value, line);
    else if (typeof value.localId === "string") this.#addUser(value, line);
    else {throw refuse(
        `Line ${line.number} is neither a document of Firestore nor a user of Firebase.`,
      );}
  }

  #addDocument(value: { readonly [name: string]: Json }, { text, number }: Line): void {
    const { name } = fitting(Document, value, number);
    const [, database, path] = NAME.exec(name) ?? [];
    const parts = path?.split("/") ?? [];
    if (path === undefined || parts.length % 2 === 1 || parts.includes("")) {
      throw refuse(`Line ${number}: ${shown(name)} is the name of no document.`);
    }
    if (this.database === "") this.database = database!;
    if (this.database !== database) {
      throw refuse(`Line ${number} is of ${shown(database!)}, those before of ${this.database}.`);
    }
    const problem = fieldsProblem(value.fields ?? {});
    if (problem !== null) throw refuse(`Line ${number}: ${problem}.`);
    const collection = this.#collectionOf(collectionPathOf(path), number);
    collection.add((value.fields ?? {}) as TypedFields, database!); // They were looked at.
    if (this.#document(collection.path, firestoreId(path), path, text) === 0) {
      throw refuse(`Line ${number}: ${shown(path)} comes twice.`);
    }
  }

  #collectionOf(path: string, line: number): FirestoreCollection {
    let collection = this.collections.get(path);
    if (collection === undefined) {
      if (this.collections.size === COLLECTIONS_MAX) {
        throw refuse(`Line ${line}: there are more than ${COLLECTIONS_MAX} collections.`);
      }
      collection = new FirestoreCollection(path);
      this.collections.set(path, collection);
    }
    return collection;
  }

  #addUser(value: { readonly [name: string]: Json }, { text, number }: Line): void {
    const { localId, email, emailVerified, customAttributes } = fitting(
      FirebaseUser,
      value,
      number,
    );
    refuseInexactClaims(customAttributes, number);
    const key = email === null ? null : canonicalEmail(email);
    if (this.#user(userIdOf(localId), key, emailVerified ? 1 : 0, text) === 0) {
      throw refuse(`Line ${number}: the user ${shown(localId)} comes twice.`);
    }
    this.hasUsers = true;
  }
}

/** Claims that are not valid JSON are left out when users are written. */
function refuseInexactClaims(claims: string | null, line: number): void {
  try {
    parseExactJson(claims ?? "{}");
  } catch (cause) {
    if (!(cause instanceof InexactInteger)) return;
    throw refuse(`Line ${line}: customAttributes has ${cause.message}.`, cause);
  }
}

function objectIn({ text, number }: Line): { readonly [name: string]: Json } {
  let value: Json;
  try {
    value = parseExactJson(text);
  } catch (cause) {
    throw refuse(`Line ${number} ${lineRefusal(cause, text)}.`, cause);
  }
  if (isObject(value)) return value;
  throw refuse(`Line ${number} is no JSON object.`);
}

function fitting<S extends z.ZodType>(schema: S, value: Json, line: number): z.infer<S> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const { path, message } = error.issues[0]!;
  throw refuse(`Line ${line}: ${path.join(".")} ${message}.`, error);
}
