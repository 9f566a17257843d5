import { z } from "zod";
import { canonicalEmail } from "../../emails.ts";
import { InexactInteger, lineErrorReason } from "../../store/exact_json.ts";
import { parseExactJson } from "../../store/json_text.ts";
import type { Json } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { quoted } from "../../text/input_text.ts";
import type { Progress } from "../archive/progress.ts";
import { type Line, readLines } from "./firestore_lines.ts";
import { FirestoreCollection } from "./firestore_fields.ts";
import {
  collectionPathOf,
  fieldsProblem,
  firestoreId,
  type TypedFields,
  userIdOf,
} from "./firestore_values.ts";
import { invalidSource, ScratchDatabase } from "./scratch.ts";

/** Number that a project can have. */
const COLLECTIONS_MAX = 500;

const NAME = /^(projects\/[^/]+\/databases\/[^/]+)\/documents\/(.+)$/s;

const Document = z.looseObject({
  name: z.string(),
  createTime: z.string().optional(),
  updateTime: z.string().optional(),
});

const text = z.string().nullish().transform((value) => value ?? null);
const flag = z.boolean().nullish().transform((value) => value === true);
/** Milliseconds, as text or number. */
const time = z.union([z.string(), z.number()]).nullish().transform((value) => {
  const ms = value === null || value === undefined ? NaN : Number(value);
  return Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : null;
});

export const FirebaseUser = z.looseObject({
  localId: z.string().min(1).max(128),
  email: text,
  emailVerified: flag,
  passwordHash: text,
  displayName: text,
  photoUrl: text,
  phoneNumber: text,
  disabled: flag,
  createdAt: time,
  lastSignedInAt: time,
  customAttributes: text,
  mfaInfo: z.array(z.unknown()).nullish(),
  providerUserInfo: z.array(z.looseObject({ providerId: z.string(), rawId: text, email: text }))
    .nullish()
    .transform((value) => value ?? []),
});
export type FirebaseUser = z.infer<typeof FirebaseUser>;

/** An export, sorted into a temporary file. */
export interface FirestoreSource {
  readonly db: ScratchDatabase;
  /** Name such as `projects/p/databases/(default)`; empty if there are only users. */
  readonly database: string;
  readonly collections: ReadonlyMap<string, FirestoreCollection>;
  readonly hasUsers: boolean;
}

/** Throws `INVALID_INPUT` that names an invalid or repeated line. @param path File to create. */
export async function readFirestoreLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  { path, progress }: { readonly path: string; readonly progress: Progress },
): Promise<FirestoreSource> {
  const db = new ScratchDatabase(path);
  try {
    const reading = new SourceReader(db);
    const read = progress.forPart("reading lines");
    db.exec("BEGIN");
    for await (const line of readLines(stream)) {
      reading.add(line);
      read(1);
    }
    db.exec("COMMIT");
    if (reading.isEmpty) throw invalidSource("The export is empty.");
    return reading;
  } catch (error) {
    db[Symbol.dispose]();
    throw error;
  }
}

class SourceReader implements FirestoreSource {
  readonly db: ScratchDatabase;
  readonly collections = new Map<string, FirestoreCollection>();
  database = "";
  hasUsers = false;
  readonly #document: (...values: (string | null)[]) => number;
  readonly #user: (...values: (string | number | null)[]) => number;

  constructor(db: ScratchDatabase) {
    this.db = db;
    db.exec(`
      CREATE TABLE documents (collection TEXT, _id TEXT, path TEXT, line TEXT,
        PRIMARY KEY (collection, _id)) WITHOUT ROWID;
      CREATE TABLE users (_id TEXT PRIMARY KEY, email TEXT, verified INTEGER, line TEXT) WITHOUT ROWID;
    `);
    this.#document = db.prepareRun("INSERT OR IGNORE INTO documents VALUES (?, ?, ?, ?)");
    this.#user = db.prepareRun("INSERT OR IGNORE INTO users VALUES (?, ?, ?, ?)");
  }

  get isEmpty(): boolean {
    return !this.hasUsers && this.collections.size === 0;
  }

  add(line: Line): void {
    const value = parseObject(line);
    if (typeof value.name === "string") this.#addDocument(value, line);
    else if (typeof value.localId === "string") this.#addUser(value, line);
    else {throw invalidSource(
        `Line ${line.number} is neither a document of Firestore nor a user of Firebase.`,
      );}
  }

  #addDocument(value: { readonly [name: string]: Json }, { text, number }: Line): void {
    const { name } = parseWithSchema(Document, value, number);
    const [, database, path] = NAME.exec(name) ?? [];
    const parts = path?.split("/") ?? [];
    if (path === undefined || parts.length % 2 === 1 || parts.includes("")) {
      throw invalidSource(`Line ${number}: ${quoted(name)} is not the name of a document.`);
    }
    if (this.database === "") this.database = database!;
    if (this.database !== database) {
      throw invalidSource(
        `Line ${number} belongs to ${quoted(database!)}, the lines before it to ${this.database}.`,
      );
    }
    const problem = fieldsProblem(value.fields ?? {});
    if (problem !== null) throw invalidSource(`Line ${number}: ${problem}.`);
    const collection = this.#collectionOf(collectionPathOf(path), number);
    // fieldsProblem() has checked the fields.
    collection.add((value.fields ?? {}) as TypedFields, database!);
    if (this.#document(collection.path, firestoreId(path), path, text) === 0) {
      throw invalidSource(`Line ${number}: ${quoted(path)} comes twice.`);
    }
  }

  #collectionOf(path: string, line: number): FirestoreCollection {
    let collection = this.collections.get(path);
    if (collection === undefined) {
      if (this.collections.size === COLLECTIONS_MAX) {
        throw invalidSource(`Line ${line}: there are more than ${COLLECTIONS_MAX} collections.`);
      }
      collection = new FirestoreCollection(path);
      this.collections.set(path, collection);
    }
    return collection;
  }

  #addUser(value: { readonly [name: string]: Json }, { text, number }: Line): void {
    const { localId, email, emailVerified, customAttributes } = parseWithSchema(
      FirebaseUser,
      value,
      number,
    );
    refuseInexactClaims(customAttributes, number);
    const key = email === null ? null : canonicalEmail(email);
    if (this.#user(userIdOf(localId), key, emailVerified ? 1 : 0, text) === 0) {
      throw invalidSource(`Line ${number}: the user ${quoted(localId)} comes twice.`);
    }
    this.hasUsers = true;
  }
}

/** Throws `INVALID_INPUT`. Invalid JSON is left out when users are written. */
function refuseInexactClaims(claims: string | null, line: number): void {
  try {
    parseExactJson(claims ?? "{}");
  } catch (cause) {
    if (!(cause instanceof InexactInteger)) return;
    throw invalidSource(`Line ${line}: customAttributes has ${cause.message}.`, cause);
  }
}

function parseObject({ text, number }: Line): { readonly [name: string]: Json } {
  let value: Json;
  try {
    value = parseExactJson(text);
  } catch (cause) {
    throw invalidSource(`Line ${number} ${lineErrorReason(cause, text)}.`, cause);
  }
  if (isObject(value)) return value;
  throw invalidSource(`Line ${number} is not a JSON object.`);
}

function parseWithSchema<S extends z.ZodType>(schema: S, value: Json, line: number): z.infer<S> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const { path, message } = error.issues[0]!;
  throw invalidSource(`Line ${line}: ${path.join(".")} ${message}.`, error);
}
