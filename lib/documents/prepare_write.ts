import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { ALL, and, compare, eq } from "../store/filter.ts";
import type { Change, Filter, Id, Json, Stored } from "../store/port.ts";
import { own } from "../store/shape.ts";
import { shown } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { explainMissingWrite, ownerFilter, type WriteAccess } from "./access.ts";
import { type Collection, newDocument, type StoredDocument } from "./collection.ts";
import type { DefaultsRoom } from "./defaults.ts";
import {
  asMembers,
  checkOwnerUnchanged,
  type Members,
  refuseFaults,
  validateDocument,
  withoutServerFields,
  withOwner,
} from "./document.ts";
import { unchangedSince } from "./precondition.ts";
import { recoverable } from "./trash.ts";
import { requiredBeside, validateChanges } from "./validate_changes.ts";

/** A write of one document. `ifMatch` is the `If-Match` header. */
export type DocumentWrite =
  | { readonly action: "create"; readonly body: Json }
  | {
    readonly action: "replace";
    readonly id: Id;
    readonly body: Json;
    readonly ifMatch: string | null;
  }
  /** Creates a document under this id, or replaces the one that has it. */
  | { readonly action: "upsert"; readonly id: Id; readonly body: Json }
  /** Creates a document, or changes the live one that has the body's value in this unique field. */
  | { readonly action: "upsertBy"; readonly field: string; readonly body: Json }
  | {
    readonly action: "patch";
    readonly id: Id;
    readonly body: Json;
    readonly ifMatch: string | null;
  }
  /** Moves a document to the trash, or removes it for good, which only the secret key may do. */
  | {
    readonly action: "delete";
    readonly id: Id;
    readonly ifMatch: string | null;
    readonly permanent: boolean;
  }
  | { readonly action: "recover"; readonly id: Id };

export interface Written {
  readonly id: Id;
  /** Null if the document was deleted. */
  readonly stored: Stored<StoredDocument> | null;
  /** Whether the write has created the document. */
  readonly isNew: boolean;
}

/** A write that is right as far as this can be decided without the store. */
export interface PreparedWrite {
  /** Whether the write counts towards the document quota. */
  readonly isLimited: boolean;
  /** Matches the stored document that the write may take values away from; null if it takes none. */
  readonly changes: Filter | null;
  /**
   * Does the write. Throws the refusal if the stored document does not allow it or is missing.
   * @param target Has the records of the transaction that the write is a part of.
   */
  run(target: WriteAccess): Promise<Written>;
  /**
   * Explains why an upsert found a unique value taken although no document matched: returns the
   * refusal, or `again` if a document matches by now. Returns null for a value that the upsert has
   * not looked for.
   */
  taken?(target: WriteAccess, path: string): Promise<Problem | "again" | null>;
}

export interface PrepareServices {
  readonly clock: Clock;
  readonly newId: NewId;
  /** Limits the defaults of all documents of a request; each document has its own limit if left out. */
  readonly defaultsRoom?: DefaultsRoom;
}

const LIVE = eq("isDeleted", false);

/** Checks a write without the store. Throws `INVALID_DOCUMENT` and other faults of the body. */
export function prepareWrite(
  services: PrepareServices,
  target: WriteAccess,
  write: DocumentWrite,
): PreparedWrite {
  switch (write.action) {
    case "create": {
      const document = documentOf(services, target, asMembers(write.body));
      return growing(null, async ({ records }) => created(await records.insert(document)));
    }
    case "replace": {
      const members = membersOf(write);
      checkOwnerUnchanged(target, members);
      const kept = keptOwner(target, members);
      const room = services.defaultsRoom;
      const whole = validateDocument(target.collection, members, { kept, room });
      const change = replacement(services, whole, kept);
      const mine = mineLive(target, write.id);
      return growing(mine, (target) => changeLive(target, write, { change, beside: [] }));
    }
    case "upsert":
      return upsert(services, target, write);
    case "upsertBy":
      return upsertBy(services, target, write);
    case "patch": {
      const members = membersOf(write);
      checkOwnerUnchanged(target, members);
      const { change, beside } = patch(services, target.collection, members);
      const mine = mineLive(target, write.id);
      return growing(mine, (target) => changeLive(target, write, { change, beside }));
    }
    case "delete": {
      const changes = write.permanent ? eq("_id", write.id) : null;
      return { isLimited: false, changes, run: (target) => remove(services, target, write) };
    }
    case "recover": {
      const changes = eq("_id", write.id);
      return { isLimited: false, changes, run: (target) => recover(services, target, write.id) };
    }
  }
}

const growing = (changes: Filter | null, run: PreparedWrite["run"]): PreparedWrite => ({
  isLimited: true,
  changes,
  run,
});

/** Matches a document that is not in the trash and that the caller may write. */
const mineLive = (target: WriteAccess, id: Id): Filter =>
  and(eq("_id", id), LIVE, ownerFilter(target));

const created = (stored: Stored<StoredDocument>): Written => ({
  id: stored.value._id,
  stored,
  isNew: true,
});

const changed = (stored: Stored<StoredDocument>): Written => ({
  ...created(stored),
  isNew: false,
});

/** Returns the result of an upsert: a document in its first revision is new. */
const upserted = (stored: Stored<StoredDocument>): Written => ({
  ...created(stored),
  isNew: stored.revision === 1,
});

const membersOf = ({ id, body }: { readonly id: Id; readonly body: Json }): Members =>
  withoutServerFields(asMembers(body), id);

/** Returns a new document with these members. */
export const documentOf = (
  { clock, newId, defaultsRoom: room }: PrepareServices,
  target: WriteAccess,
  members: Members,
): StoredDocument =>
  newDocument(
    newId(),
    validated(target, withoutServerFields(members, null), room),
    timestamp(clock),
  );

const validated = (target: WriteAccess, members: Members, room?: DefaultsRoom): Members =>
  validateDocument(target.collection, withOwner(target, members), { room });

/**
 * Returns why a document with these members cannot be created, or null. Whether a unique value is
 * taken, and whether the document fits the quota, is decided when it is stored.
 */
export function creationProblem(target: WriteAccess, body: Json): Problem | null {
  try {
    validated(target, withoutServerFields(asMembers(body), null));
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Returns the owner's field if none is sent, so that the stored owner stays. */
function keptOwner({ collection: { definition: { rls } } }: WriteAccess, given: Members) {
  return rls.enabled && !Object.hasOwn(given, rls.ownerField) ? rls.ownerField : null;
}

/** Returns a change that replaces everything but the id, the kept owner and the creation time. */
function replacement({ clock }: PrepareServices, members: Members, kept: string | null): Change {
  const server = { updatedAt: timestamp(clock), isDeleted: false, deletedAt: null };
  const keep = kept === null ? ["createdAt"] : [kept, "createdAt"];
  return { replace: { ...members, ...server }, keep };
}

/** A change, and the paths of members that must exist already for the document to stay valid. */
interface Wanted {
  readonly change: Change;
  readonly beside: readonly string[];
}

/** Returns a change of the named fields; a dotted path changes a part of a field. */
function patch({ clock }: PrepareServices, collection: Collection, members: Members): Wanted {
  const { value: change, faults } = validateChanges(collection, members, timestamp(clock));
  refuseFaults(faults);
  const { set, increment, min, max, push, addToSet } = change;
  // Steps that only remove something create no objects on their paths.
  const making = [set, increment, min, max, push, addToSet].flatMap((part) =>
    Object.keys(part ?? {})
  );
  return { change, beside: requiredBeside(collection, making) };
}

/** A document's id, and the `If-Match` header. */
interface Conditional {
  readonly id: Id;
  readonly ifMatch: string | null;
}

async function changeLive(
  target: WriteAccess,
  { id, ifMatch }: Conditional,
  { change, beside }: Wanted,
): Promise<Written> {
  const { records } = target;
  const mine = mineLive(target, id);
  // Without `If-Match` nothing is read first, so that writes are done in the order in which they came.
  const unchanged = ifMatch === null
    ? ALL
    : await precondition(target, { id, ifMatch, mine, inTrash: false });
  const whole = beside.map((path) => compare(path, "ne", null));
  const stored = await records.updateOne(and(mine, unchanged, ...whole), change);
  if (stored !== null) return changed(stored);
  if (beside.length > 0 && await records.findOne(and(mine, unchanged)) !== null) {
    refuseFaults(beside.map((path) => ({ path, message: "is required in the object it lies in" })));
  }
  throw await lostOrRefused(target, { id, ifMatch, mine, inTrash: false });
}

interface Searched<IfMatch extends string | null = string | null> extends Conditional {
  readonly ifMatch: IfMatch;
  readonly mine: Filter;
  readonly inTrash: boolean;
}

/** Returns the condition of an `If-Match`. Throws if the stored document does not meet it. */
async function precondition(
  target: WriteAccess,
  { id, ifMatch, mine, inTrash }: Searched<string>,
): Promise<Filter> {
  const current = await target.records.findOne(mine);
  if (current === null) throw await explainMissingWrite(target, id, inTrash);
  return unchangedSince(current, ifMatch);
}

/** Returns why a write found nothing: the document has changed, or the caller may not write it. */
async function lostOrRefused(
  target: WriteAccess,
  { id, ifMatch, mine, inTrash }: Searched,
): Promise<Problem> {
  if (ifMatch !== null && await target.records.findOne(mine) !== null) {
    return new Problem("PRECONDITION_FAILED");
  }
  return await explainMissingWrite(target, id, inTrash);
}

function upsert(
  services: PrepareServices,
  target: WriteAccess,
  write: Extract<DocumentWrite, { action: "upsert" }>,
): PreparedWrite {
  const given = membersOf(write);
  checkOwnerUnchanged(target, given);
  const members = validated(target, given, services.defaultsRoom);
  const change = replacement(services, members, keptOwner(target, given));
  const document = newDocument(write.id, members, timestamp(services.clock));
  const mine = mineLive(target, write.id);
  return {
    isLimited: true,
    changes: mine,
    run: async ({ records }) => upserted(await records.upsert(mine, change, document)),
    async taken(target, path) {
      if (path !== "_id") return null;
      if (await target.records.findOne(mine) !== null) return "again";
      const problem = await explainMissingWrite(target, write.id, true);
      return problem.code === "DOCUMENT_NOT_FOUND" ? new Problem(problem.code, IN_TRASH) : problem;
    },
  };
}

const IN_TRASH = {
  message: "A document has this id that you cannot replace. If it is yours, it is in the trash: " +
    "recover it first.",
};

function upsertBy(
  services: PrepareServices,
  target: WriteAccess,
  { field, body }: Extract<DocumentWrite, { action: "upsertBy" }>,
): PreparedWrite {
  refuseNotUnique(target.collection, field);
  const members = withoutServerFields(asMembers(body), null);
  const document = documentOf(services, target, members);
  const { change } = patch(services, target.collection, withOwner(target, members));
  const value = own(document, field) ?? null;
  if (value === null || typeof value === "object") {
    refuseFaults([{ path: field, message: "is what to look for: send a value in it" }]);
  }
  const same = eq(field, value as string | number); // Unique fields hold one or the other.
  const mine = and(same, LIVE, ownerFilter(target));
  return {
    isLimited: true,
    changes: mine,
    run: async ({ records }) => upserted(await records.upsert(mine, change, document)),
    async taken(target, path) {
      if (path !== field) return null;
      if (await target.records.findOne(mine) !== null) return "again";
      const isSeen = await target.records.findOne(and(same, target.visible(false))) !== null;
      return isSeen ? new Problem("OWNER_MISMATCH") : null;
    },
  };
}

function refuseNotUnique({ definition }: Collection, field: string): void {
  const names = definition.fields.filter(({ unique }) => unique).map(({ key }) => key);
  if (names.includes(field)) return;
  const why = `"upsert" names ${shown(field)}, which is no unique field of the collection.`;
  throw new Problem("INVALID_QUERY", { message: why + didYouMean(field, names) });
}

async function remove(
  { clock }: PrepareServices,
  target: WriteAccess,
  { id, permanent, ifMatch }: Extract<DocumentWrite, { action: "delete" }>,
): Promise<Written> {
  const mine = and(eq("_id", id), permanent ? ALL : LIVE, ownerFilter(target));
  const searched = { id, ifMatch, mine, inTrash: permanent };
  const filter = ifMatch === null
    ? mine
    : and(mine, await precondition(target, { ...searched, ifMatch }));
  const now = timestamp(clock);
  const gone = permanent
    ? await target.records.deleteOne(filter)
    : await target.records.updateOne(filter, {
      set: { isDeleted: true, deletedAt: now, updatedAt: now },
    });
  if (gone === null) throw await lostOrRefused(target, searched);
  return { id, stored: null, isNew: false };
}

/** Takes a document out of the trash. A document that is not in the trash stays as it is. */
async function recover(
  { clock }: PrepareServices,
  target: WriteAccess,
  id: Id,
): Promise<Written> {
  const mine = and(eq("_id", id), ownerFilter(target));
  const recovered = await target.records.updateOne(and(mine, recoverable(clock)), {
    set: { isDeleted: false, deletedAt: null, updatedAt: timestamp(clock) },
  });
  const found = recovered ?? await target.records.findOne(and(mine, LIVE));
  if (found === null) throw await explainMissingWrite(target, id, true);
  return changed(found);
}
