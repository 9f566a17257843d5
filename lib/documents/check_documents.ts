import { type Clock, deadlinePassed, timestamp } from "../clock.ts";
import { CORBEL } from "../store/changes.ts";
import type { FieldFault } from "../problems.ts";
import { Outdated, StoreUnavailable } from "../store/errors.ts";
import { ALL, and, compare, eq, not, or } from "../store/filter.ts";
import { pagesOf } from "../store/pages.ts";
import type { Actor, Engine, Filter, Id, Json, Records } from "../store/port.ts";
import { datePaths, own } from "../store/shape.ts";
import { collectionOf, COLLECTIONS } from "./catalog.ts";
import type { StoredDocument } from "./collection.ts";
import { DefaultsRoom, DefaultsTooLarge, filledValue } from "./defaults.ts";
import type { FieldDefinition } from "./fields.ts";
import { type Validated, validateValue } from "./validate.ts";
import { type Violation, VIOLATIONS_MAX } from "./violations.ts";
import { findRecord } from "./redefine.ts";

export interface Checked {
  readonly checked: number;
  /** Documents that were stored in another way than their definition says, and no longer are. */
  readonly mended: number;
  /** The first ten that do not fit, and that nobody but their owner can make fit. */
  readonly violations: readonly Violation[];
}

const PAGE = 100;

/**
 * Looks at every stored document of a collection, trash included, under the definition that stands:
 * dates and ids that are not stored as such are stored anew, required fields that are missing get
 * their default. Others may write meanwhile. Throws `COLLECTION_NOT_FOUND`.
 *
 * @param actor Who stores anew; Corbel itself, if left out.
 * @param limitMs Milliseconds after which it leaves off.
 */
export async function checkDocuments(
  { engine, clock }: { engine: Engine; clock: Clock },
  { projectId, name, actor = CORBEL, limitMs = Infinity }: {
    projectId: Id;
    name: string;
    actor?: Actor;
    limitMs?: number;
  },
): Promise<Checked> {
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
  for await (const page of pagesOf(documents, { filter: ALL, sort: [], limit: PAGE })) {
    const found = page.records();
    const misread = await misreadAmong(documents, found, dates);
    for (const document of found) {
      const { _id: id } = document;
      const { fault, isAsStored } = validated(fields, document);
      if (fault !== null) {
        if (violations.length < VIOLATIONS_MAX) violations.push({ id, fault });
      } else if (!isAsStored || misread.has(id)) {
        if (await storeAnew(documents, fields, id)) mended++;
      }
    }
    checked += found.length;
    if (isOver()) break;
  }
  return { checked, mended, violations };
}

/** A document's declared fields as they are to be stored. */
interface DocumentCheck {
  readonly values: Readonly<Record<string, Json>>;
  readonly isAsStored: boolean;
  /** What is wrong with the first that cannot be stored so. */
  readonly fault: FieldFault | null;
}

function validated(fields: readonly FieldDefinition[], document: StoredDocument): DocumentCheck {
  const values: Record<string, Json> = {};
  let isAsStored = true;
  let fault: FieldFault | null = null;
  const room = new DefaultsRoom();
  for (const field of fields) {
    const { key, required, default: given = null } = field;
    const before = own(document, key) ?? null;
    const value = before === null && required ? given : before;
    if (value === null) {
      if (required) fault ??= { path: key, message: "is required" };
      continue;
    }
    const { value: valid, faults } = fitted(field, value, room);
    if (faults.length > 0) {
      fault ??= { path: key, message: faults[0]!.message };
      continue;
    }
    values[key] = valid;
    isAsStored &&= JSON.stringify(valid) === JSON.stringify(before);
  }
  return { values, isAsStored, fault };
}

function fitted(field: FieldDefinition, value: Json, room: DefaultsRoom): Validated {
  try {
    return validateValue(field, filledValue(field, value, room), IN_DOCUMENT);
  } catch (error) {
    if (!(error instanceof DefaultsTooLarge)) throw error;
    return { value, faults: [{ path: field.key, message: "is too large with its defaults" }] };
  }
}

const IN_DOCUMENT = { strict: false, depth: 2 } as const;

/** Ids of those that have a value at one of these paths which no date can be compared with. */
async function misreadAmong(
  documents: Records<StoredDocument>,
  found: readonly StoredDocument[],
  paths: readonly string[],
): Promise<ReadonlySet<Id>> {
  if (found.length === 0 || paths.length === 0) return new Set();
  const among = and(
    compare("_id", "gte", found.at(0)!._id),
    compare("_id", "lte", found.at(-1)!._id),
  );
  const misread: Filter = or(...paths.map((path) =>
    and(
      compare(path, "ne", null),
      not(or(compare(path, "gte", ANY_DATE), compare(path, "lt", ANY_DATE))),
    )
  ));
  const unreadable = documents.find({ filter: and(among, misread), limit: PAGE });
  return new Set(await Array.fromAsync(unreadable, ({ _id }) => _id));
}

const ANY_DATE = "2000-01-01T00:00:00.000Z";

/** How often a document may change beside it. */
const TRIES = 5;

/** Whether it was; not where it is gone, or others change it all the time. */
async function storeAnew(
  documents: Records<StoredDocument>,
  fields: readonly FieldDefinition[],
  id: Id,
): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const stored = await documents.get(id);
    if (stored === null) return false;
    const set = validated(fields, stored.value).values;
    const same = and(eq("_id", id), { op: "revision", value: stored.revision });
    try {
      if (await documents.updateOne(same, { set }) !== null) return true;
    } catch (cause) {
      if (!(cause instanceof Outdated)) throw cause;
      throw new StoreUnavailable("The definition has changed: look again", { cause });
    }
  }
  return false;
}
