import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { ALL, and, compare, eq } from "../store/filter.ts";
import type { Change, Filter, Id, Json, Stored } from "../store/port.ts";
import { ownMember } from "../store/shape.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { explainMissingWrite, ownerFilter, type WriteAccess } from "./access.ts";
import { type Collection, newDocument, type StoredDocument } from "./collection.ts";
import type { DefaultsBudget } from "./defaults.ts";
import {
  asMembers,
  checkOwnerUnchanged,
  type Members,
  rejectFaults,
  validateDocument,
  withoutServerFields,
  withOwner,
} from "./document.ts";
import { unchangedSince } from "./precondition.ts";
import { recoverableFilter } from "./trash.ts";
import { requiredSiblings, validateChanges } from "./validate_changes.ts";

/** A write of one document. */
export type DocumentWrite =
  | { readonly action: "create"; readonly body: Json }
  | {
    readonly action: "replace";
    readonly id: Id;
    readonly body: Json;
    readonly ifMatch: string | null;
  }
  /** Creates a document with this id, or replaces the document that has it. */
  | { readonly action: "upsert"; readonly id: Id; readonly body: Json }
  /** Creates a document, or changes the live document with the body's value in a unique field. */
  | { readonly action: "upsertBy"; readonly field: string; readonly body: Json }
  | {
    readonly action: "patch";
    readonly id: Id;
    readonly body: Json;
    readonly ifMatch: string | null;
  }
  /** Moves a document to the trash, or removes it permanently, which only the secret key may do. */
  | {
    readonly action: "delete";
    readonly id: Id;
    readonly ifMatch: string | null;
    readonly permanent: boolean;
  }
  | { readonly action: "recover"; readonly id: Id };

export interface WrittenDocument {
  readonly id: Id;
  /** Null if the document was deleted. */
  readonly stored: Stored<StoredDocument> | null;
  readonly isNew: boolean;
}

/** A write that has passed all checks that do not need the store. */
export interface PreparedWrite {
  /** Whether the write needs document quota. */
  readonly isLimited: boolean;
  /** Matches the document from which the write may remove values; null if it removes none. */
  readonly changes: Filter | null;
  /** @param target The target, with the records of the write's transaction. */
  run(target: WriteAccess): Promise<WrittenDocument>;
  /**
   * Explains why an upsert violated a unique field although no document matched. Returns `again` if
   * a document matches now, and null if the upsert does not select by this field.
   */
  explainTaken?(target: WriteAccess, path: string): Promise<Problem | "again" | null>;
}

export interface PrepareServices {
  readonly clock: Clock;
  readonly newId: NewId;
  /** If left out, each document has its own budget. */
  readonly defaultsBudget?: DefaultsBudget;
}

const LIVE = eq("isDeleted", false);

/** Throws `INVALID_DOCUMENT` and other problems of the body. Does not use the store. */
export function prepareWrite(
  services: PrepareServices,
  target: WriteAccess,
  write: DocumentWrite,
): PreparedWrite {
  switch (write.action) {
    case "create": {
      const document = buildDocument(services, target, asMembers(write.body));
      return quotaWrite(null, async ({ records }) => newResult(await records.insert(document)));
    }
    case "replace": {
      const members = membersOf(write);
      checkOwnerUnchanged(target, members);
      const kept = keptOwnerField(target, members);
      const { defaultsBudget } = services;
      const complete = validateDocument(target.collection, members, { kept, defaultsBudget });
      const change = replaceChange(services, complete, kept);
      const writable = writableLive(target, write.id);
      return quotaWrite(writable, (target) => changeLive(target, write, { change, siblings: [] }));
    }
    case "upsert":
      return prepareUpsert(services, target, write);
    case "upsertBy":
      return prepareUpsertBy(services, target, write);
    case "patch": {
      const members = membersOf(write);
      checkOwnerUnchanged(target, members);
      const { change, siblings } = patchChange(services, target.collection, members);
      const writable = writableLive(target, write.id);
      return quotaWrite(writable, (target) => changeLive(target, write, { change, siblings }));
    }
    case "delete": {
      const changes = write.permanent ? eq("_id", write.id) : null;
      return { isLimited: false, changes, run: (target) => deleteOne(services, target, write) };
    }
    case "recover": {
      const changes = eq("_id", write.id);
      return { isLimited: false, changes, run: (target) => recoverOne(services, target, write.id) };
    }
  }
}

const quotaWrite = (changes: Filter | null, run: PreparedWrite["run"]): PreparedWrite => ({
  isLimited: true,
  changes,
  run,
});

const writableLive = (target: WriteAccess, id: Id): Filter =>
  and(eq("_id", id), LIVE, ownerFilter(target));

const newResult = (stored: Stored<StoredDocument>): WrittenDocument => ({
  id: stored.value._id,
  stored,
  isNew: true,
});

const changedResult = (stored: Stored<StoredDocument>): WrittenDocument => ({
  ...newResult(stored),
  isNew: false,
});

/** A document is new if it is in its first revision. */
const upsertResult = (stored: Stored<StoredDocument>): WrittenDocument => ({
  ...newResult(stored),
  isNew: stored.revision === 1,
});

const membersOf = ({ id, body }: { readonly id: Id; readonly body: Json }): Members =>
  withoutServerFields(asMembers(body), id);

export const buildDocument = (
  { clock, newId, defaultsBudget }: PrepareServices,
  target: WriteAccess,
  members: Members,
): StoredDocument =>
  newDocument(
    newId(),
    validate(target, withoutServerFields(members, null), defaultsBudget),
    timestamp(clock),
  );

const validate = (
  target: WriteAccess,
  members: Members,
  defaultsBudget?: DefaultsBudget,
): Members => validateDocument(target.collection, withOwner(target, members), { defaultsBudget });

/** Does not check unique values and the quota, because only the store can. */
export function creationProblem(target: WriteAccess, body: Json): Problem | null {
  try {
    validate(target, withoutServerFields(asMembers(body), null));
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Returns the owner field if the client did not send it. */
function keptOwnerField({ collection: { definition: { rls } } }: WriteAccess, given: Members) {
  return rls.enabled && !Object.hasOwn(given, rls.ownerField) ? rls.ownerField : null;
}

/** Keeps only the id, the kept owner and the creation time. */
function replaceChange({ clock }: PrepareServices, members: Members, kept: string | null): Change {
  const server = { updatedAt: timestamp(clock), isDeleted: false, deletedAt: null };
  const keep = kept === null ? ["createdAt"] : [kept, "createdAt"];
  return { replace: { ...members, ...server }, keep };
}

/** A change, and required members that must exist already. */
interface Patch {
  readonly change: Change;
  readonly siblings: readonly string[];
}

function patchChange({ clock }: PrepareServices, collection: Collection, members: Members): Patch {
  const { value: change, faults } = validateChanges(collection, members, timestamp(clock));
  rejectFaults(faults);
  const { set, increment, min, max, push, addToSet } = change;
  // Operators that only remove something do not create objects on their paths.
  const createdPaths = [set, increment, min, max, push, addToSet].flatMap((part) =>
    Object.keys(part ?? {})
  );
  return { change, siblings: requiredSiblings(collection, createdPaths) };
}

interface Conditional {
  readonly id: Id;
  readonly ifMatch: string | null;
}

async function changeLive(
  target: WriteAccess,
  { id, ifMatch }: Conditional,
  { change, siblings }: Patch,
): Promise<WrittenDocument> {
  const { records } = target;
  const writable = writableLive(target, id);
  // Without `If-Match` nothing is read first, so that writes keep the order of their arrival.
  const unchanged = ifMatch === null
    ? ALL
    : await readPrecondition(target, { id, ifMatch, writable, inTrash: false });
  const siblingsExist = siblings.map((path) => compare(path, "ne", null));
  const stored = await records.updateOne(and(writable, unchanged, ...siblingsExist), change);
  if (stored !== null) return changedResult(stored);
  if (siblings.length > 0 && await records.findOne(and(writable, unchanged)) !== null) {
    rejectFaults(siblings.map((path) => ({ path, message: "is required in its object" })));
  }
  throw await explainLostWrite(target, { id, ifMatch, writable, inTrash: false });
}

interface WriteLookup<IfMatch extends string | null = string | null> extends Conditional {
  readonly ifMatch: IfMatch;
  readonly writable: Filter;
  readonly inTrash: boolean;
}

/** Throws `PRECONDITION_FAILED` if the stored document does not match. */
async function readPrecondition(
  target: WriteAccess,
  { id, ifMatch, writable, inTrash }: WriteLookup<string>,
): Promise<Filter> {
  const current = await target.records.findOne(writable);
  if (current === null) throw await explainMissingWrite(target, id, inTrash);
  return unchangedSince(current, ifMatch);
}

async function explainLostWrite(
  target: WriteAccess,
  { id, ifMatch, writable, inTrash }: WriteLookup,
): Promise<Problem> {
  if (ifMatch !== null && await target.records.findOne(writable) !== null) {
    return new Problem("PRECONDITION_FAILED");
  }
  return await explainMissingWrite(target, id, inTrash);
}

function prepareUpsert(
  services: PrepareServices,
  target: WriteAccess,
  write: Extract<DocumentWrite, { action: "upsert" }>,
): PreparedWrite {
  const given = membersOf(write);
  checkOwnerUnchanged(target, given);
  const members = validate(target, given, services.defaultsBudget);
  const change = replaceChange(services, members, keptOwnerField(target, given));
  const document = newDocument(write.id, members, timestamp(services.clock));
  const writable = writableLive(target, write.id);
  return {
    isLimited: true,
    changes: writable,
    run: async ({ records }) => upsertResult(await records.upsert(writable, change, document)),
    async explainTaken(target, path) {
      if (path !== "_id") return null;
      if (await target.records.findOne(writable) !== null) return "again";
      const problem = await explainMissingWrite(target, write.id, true);
      return problem.code === "DOCUMENT_NOT_FOUND" ? new Problem(problem.code, IN_TRASH) : problem;
    },
  };
}

const IN_TRASH = {
  message:
    "You cannot replace the document that has this id. If it is yours, it is in the trash: " +
    "recover it first.",
};

function prepareUpsertBy(
  services: PrepareServices,
  target: WriteAccess,
  { field, body }: Extract<DocumentWrite, { action: "upsertBy" }>,
): PreparedWrite {
  assertUniqueField(target.collection, field);
  const members = withoutServerFields(asMembers(body), null);
  const document = buildDocument(services, target, members);
  const { change } = patchChange(services, target.collection, withOwner(target, members));
  const value = ownMember(document, field) ?? null;
  if (value === null || typeof value === "object") {
    rejectFaults([{ path: field, message: "selects the document: send a value in it" }]);
  }
  const hasValue = eq(field, value as string | number); // Unique fields hold texts or numbers.
  const writable = and(hasValue, LIVE, ownerFilter(target));
  return {
    isLimited: true,
    changes: writable,
    run: async ({ records }) => upsertResult(await records.upsert(writable, change, document)),
    async explainTaken(target, path) {
      if (path !== field) return null;
      if (await target.records.findOne(writable) !== null) return "again";
      const isSeen = await target.records.findOne(and(hasValue, target.visible(false))) !== null;
      return isSeen ? new Problem("OWNER_MISMATCH") : null;
    },
  };
}

function assertUniqueField({ definition }: Collection, field: string): void {
  const names = definition.fields.filter(({ unique }) => unique).map(({ key }) => key);
  if (names.includes(field)) return;
  const why = `"upsert" names ${quoted(field)}, which is not a unique field of the collection.`;
  throw new Problem("INVALID_QUERY", { message: why + didYouMean(field, names) });
}

async function deleteOne(
  { clock }: PrepareServices,
  target: WriteAccess,
  { id, permanent, ifMatch }: Extract<DocumentWrite, { action: "delete" }>,
): Promise<WrittenDocument> {
  const writable = and(eq("_id", id), permanent ? ALL : LIVE, ownerFilter(target));
  const searched = { id, ifMatch, writable, inTrash: permanent };
  const filter = ifMatch === null
    ? writable
    : and(writable, await readPrecondition(target, { ...searched, ifMatch }));
  const now = timestamp(clock);
  const deleted = permanent
    ? await target.records.deleteOne(filter)
    : await target.records.updateOne(filter, {
      set: { isDeleted: true, deletedAt: now, updatedAt: now },
    });
  if (deleted === null) throw await explainLostWrite(target, searched);
  return { id, stored: null, isNew: false };
}

/** Leaves a document unchanged that is not in the trash. */
async function recoverOne(
  { clock }: PrepareServices,
  target: WriteAccess,
  id: Id,
): Promise<WrittenDocument> {
  const writable = and(eq("_id", id), ownerFilter(target));
  const recovered = await target.records.updateOne(and(writable, recoverableFilter(clock)), {
    set: { isDeleted: false, deletedAt: null, updatedAt: timestamp(clock) },
  });
  const found = recovered ?? await target.records.findOne(and(writable, LIVE));
  if (found === null) throw await explainMissingWrite(target, id, true);
  return changedResult(found);
}
