import type { ItemDefinition } from "../../documents/fields.ts";
import { SERVER_FIELDS } from "../../documents/names.ts";
import { parseJson } from "../../store/json_text.ts";
import type { Id, Json, StoredRecord } from "../../store/port.ts";
import type { Progress } from "../archive/progress.ts";
import { type FirestorePlan, lastSegment, planFirestore } from "./firestore_plan.ts";
import { type FirestoreSource, readFirestoreLines } from "./firestore_source.ts";
import { FIREBASE_USER_FIELDS, firebaseIdentities, firebaseUsers } from "./firestore_users.ts";
import {
  firestoreId,
  timeOf,
  type TypedFields,
  userIdOf,
  ValueConverter,
} from "./firestore_values.ts";
import { toStorableName, toStorableValue } from "./storable_values.ts";
import { foreignId, type ForeignProject, type GivenField, SOURCE_ID } from "./foreign_project.ts";
import type { Notes } from "./notes.ts";

export interface FirestoreInput {
  readonly lines: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Path of a temporary file to create. */
  readonly scratch: string;
  /** Time of the export, ISO 8601. */
  readonly at: string;
}

/**
 * Reads documents and users, one per line. Dispose of the project after it was written. Throws
 * `INVALID_INPUT` that names an invalid line.
 */
export async function readFirestore(
  { lines, scratch, at }: FirestoreInput,
  { notes, progress }: { readonly notes: Notes; readonly progress: Progress },
): Promise<ForeignProject & Disposable> {
  const source = await readFirestoreLines(lines, { path: scratch, progress });
  const [plans, userFields] = [
    planFirestore(source, notes),
    source.hasUsers ? FIREBASE_USER_FIELDS : [],
  ];
  const byName = new Map(plans.map((plan) => [plan.definition.name, plan]));
  return {
    id: projectIdOf(source),
    name: source.database.split("/")[1] ?? "Firebase",
    at,
    configuration: {
      userFields,
      collections: plans.map(({ definition }) => definition),
      providers: [],
    },
    users: () => firebaseUsers(source, { at, notes }),
    identities: () => firebaseIdentities(source, { notes }),
    documents: (name) => readDocuments(source, byName.get(name)!, { at, notes }),
    files: () => [],
    [Symbol.dispose]: () => source.db[Symbol.dispose](),
  };
}

/** Uses the first user's id if there are only users. */
function projectIdOf({ db, database }: FirestoreSource): Id {
  if (database !== "") return foreignId("firestore project", database);
  const [first] = db.rows("SELECT _id FROM users ORDER BY _id LIMIT 1");
  return foreignId("firebase users", String(first!._id));
}

interface DocumentContext {
  readonly at: string;
  readonly notes: Notes;
}

function* readDocuments(
  { db, database }: FirestoreSource,
  plan: FirestorePlan,
  { at, notes }: DocumentContext,
): Generator<StoredRecord> {
  const values = new ValueConverter(database, notes);
  const rows = db.rows(
    "SELECT _id, path, line FROM documents WHERE collection = ? ORDER BY _id",
    plan.source.path,
  );
  for (const row of rows) {
    const path = String(row.path);
    const { fields = {}, createTime, updateTime } = parseJson(String(row.line)) as DocumentLine;
    const created = timeOf(createTime ?? null);
    const updated = timeOf(updateTime ?? null);
    yield {
      _id: String(row._id),
      [SOURCE_ID]: plan.parent === null ? lastSegment(path) : path,
      ...addedFields(plan, path),
      ...ownFields(plan, fields, { values, notes }),
      createdAt: created ?? updated ?? at,
      updatedAt: updated ?? created ?? at,
      isDeleted: false,
      deletedAt: null,
    };
  }
}

/** A validated line. */
interface DocumentLine {
  readonly fields?: TypedFields;
  readonly createTime?: string;
  readonly updateTime?: string;
}

function addedFields({ parent, owner }: FirestorePlan, path: string): { [name: string]: Json } {
  const above = path.split("/").slice(0, -2).join("/");
  return {
    ...(parent !== null && { [parent.key]: parent.isRef ? firestoreId(above) : above }),
    ...(owner !== null && { [owner]: userIdOf(lastSegment(path)) }),
  };
}

function ownFields(
  plan: FirestorePlan,
  fields: TypedFields,
  { values, notes }: { readonly values: ValueConverter; readonly notes: Notes },
): { [name: string]: Json } {
  const { source, names, types, users } = plan;
  const [used, reserved] = [new Set(Object.keys(fields)), reservedNames(plan)];
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const where = `${source.path}.${names.has(name) ? name : "…"}`;
      const key = names.get(name) ?? toStorableName(name, used, reserved);
      used.add(key);
      const type = types.get(name) ?? null;
      const json = values.toJson(value, where, isRef(type));
      const stored = users.has(name) && typeof json === "string" ? userIdOf(json) : json;
      // Validation uses only properties that a given definition has.
      return [key, toStorableValue(type as ItemDefinition | null, stored, { where, notes })];
    }),
  );
}

/** Returns names that fields with unexamined names cannot have. */
const reservedNames = ({ names, parent, owner }: FirestorePlan): ReadonlySet<string> =>
  new Set([
    ...SERVER_FIELDS,
    SOURCE_ID,
    ...(parent === null ? [] : [parent.key]),
    ...(owner === null ? [] : [owner]),
    ...names.values(),
  ]);

const isRef = (type: GivenField | null): boolean => (type?.items ?? type)?.ref !== undefined;
