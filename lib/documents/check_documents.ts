import { type Clock, deadlinePassed, timestamp } from "../clock.ts";
import { CORBEL } from "../store/changes.ts";
import type { FieldFault } from "../problems.ts";
import { Outdated, StoreUnavailable } from "../store/errors.ts";
import { ALL, and, compare, eq, not, or } from "../store/filter.ts";
import { pagesOf } from "../store/pages.ts";
import type { Actor, Engine, Filter, Id, Json, Records } from "../store/port.ts";
import { datePaths, ownMember } from "../store/shape.ts";
import { collectionOf, COLLECTIONS } from "./catalog.ts";
import type { StoredDocument } from "./collection.ts";
import { DefaultsBudget, DefaultsTooLarge, fillValue } from "./defaults.ts";
import type { FieldDefinition } from "./fields.ts";
import { type Validated, validateValue } from "./validate.ts";
import { type Violation, VIOLATIONS_MAX } from "./violations.ts";
import { findRecord } from "./redefine.ts";

export interface CheckResult {
  readonly checked: number;
  /** Number of documents that were rewritten. */
  readonly mended: number;
  /** The first ten documents that are not valid and cannot be repaired automatically. */
  readonly violations: readonly Violation[];
}

const PAGE_MAX = 100;

/**
 * Checks all documents, including the trash, against the current definition. Rewrites dates and ids
 * that are not stored as such, and adds missing required fields that have a default. Other requests
 * may write at the same time. Throws `COLLECTION_NOT_FOUND`.
 *
 * @param actor Author of the repairs; Corbel itself if left out.
 */
export async function checkDocuments(
  { engine, clock }: { engine: Engine; clock: Clock },
  { projectId, name, actor = CORBEL, limitMs = Infinity }: {
    projectId: Id;
    name: string;
    actor?: Actor;
    limitMs?: number;
  },
): Promise<CheckResult> {
  const stored = await findRecord(engine.records(projectId, COLLECTIONS), name);
  const { definition: { fields }, records } = collectionOf(stored);
  const writing = { by: { actor, at: timestamp(clock) } };
  const documents = engine.records<StoredDocument>(projectId, records, writing);
  const isOver = deadlinePassed(clock, limitMs);
  const dates = datePaths(
    Object.fromEntries(fields.map(({ key }) => [key, records.fields[key]!])),
  );
  const violations: Violation[] = [];
  let [checked, mended] = [0, 0];
  for await (const page of pagesOf(documents, { filter: ALL, sort: [], limit: PAGE_MAX })) {
    const found = page.records();
    const misread = await findMisread(documents, found, dates);
    for (const document of found) {
      const { _id: id } = document;
      const { fault, isAsStored } = checkFields(fields, document);
      if (fault !== null) {
        if (violations.length < VIOLATIONS_MAX) violations.push({ id, fault });
      } else if (!isAsStored || misread.has(id)) {
        if (await rewriteDocument(documents, fields, id)) mended++;
      }
    }
    checked += found.length;
    if (isOver()) break;
  }
  return { checked, mended, violations };
}

interface DocumentCheck {
  /** Values of the declared fields in their stored form. */
  readonly values: Readonly<Record<string, Json>>;
  readonly isAsStored: boolean;
  readonly fault: FieldFault | null;
}

function checkFields(fields: readonly FieldDefinition[], document: StoredDocument): DocumentCheck {
  const values: Record<string, Json> = {};
  let isAsStored = true;
  let fault: FieldFault | null = null;
  const budget = new DefaultsBudget();
  for (const field of fields) {
    const { key, required, default: given = null } = field;
    const before = ownMember(document, key) ?? null;
    const value = before === null && required ? given : before;
    if (value === null) {
      if (required) fault ??= { path: key, message: "is required" };
      continue;
    }
    const { value: valid, faults } = validateFilled(field, value, budget);
    if (faults.length > 0) {
      fault ??= { path: key, message: faults[0]!.message };
      continue;
    }
    values[key] = valid;
    isAsStored &&= JSON.stringify(valid) === JSON.stringify(before);
  }
  return { values, isAsStored, fault };
}

function validateFilled(field: FieldDefinition, value: Json, budget: DefaultsBudget): Validated {
  try {
    return validateValue(field, fillValue(field, value, budget), IN_DOCUMENT);
  } catch (error) {
    if (!(error instanceof DefaultsTooLarge)) throw error;
    return { value, faults: [{ path: field.key, message: "is too large with its defaults" }] };
  }
}

const IN_DOCUMENT = { strict: false, depth: 2 } as const;

/** Returns the ids of documents with a value at one of these paths that is not a date. */
async function findMisread(
  documents: Records<StoredDocument>,
  documentsOfPage: readonly StoredDocument[],
  paths: readonly string[],
): Promise<ReadonlySet<Id>> {
  if (documentsOfPage.length === 0 || paths.length === 0) return new Set();
  const among = and(
    compare("_id", "gte", documentsOfPage.at(0)!._id),
    compare("_id", "lte", documentsOfPage.at(-1)!._id),
  );
  const misread: Filter = or(...paths.map((path) =>
    and(
      compare(path, "ne", null),
      not(or(compare(path, "gte", ANY_DATE), compare(path, "lt", ANY_DATE))),
    )
  ));
  const unreadable = documents.find({ filter: and(among, misread), limit: PAGE_MAX });
  return new Set(await Array.fromAsync(unreadable, ({ _id }) => _id));
}

const ANY_DATE = "2000-01-01T00:00:00.000Z";

const ATTEMPTS_MAX = 5;

/** Returns false if the document is gone or other writes keep changing it. */
async function rewriteDocument(
  documents: Records<StoredDocument>,
  fields: readonly FieldDefinition[],
  id: Id,
): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const stored = await documents.get(id);
    if (stored === null) return false;
    const set = checkFields(fields, stored.value).values;
    const unchanged = and(eq("_id", id), { op: "revision", value: stored.revision });
    try {
      if (await documents.updateOne(unchanged, { set }) !== null) return true;
    } catch (cause) {
      if (!(cause instanceof Outdated)) throw cause;
      throw new StoreUnavailable("The definition has changed: check again", { cause });
    }
  }
  return false;
}
