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

/** What is done to one document. `ifMatch` is the header of that name. */
export type DocumentWrite =
  | { readonly action: "create"; readonly body: Json }
  | {
    readonly action: "replace";
    readonly id: Id;
    readonly body: Json;
    readonly ifMatch: string | null;
  }
  /** Creates under this id, or replaces. */
  | { readonly action: "upsert"; readonly id: Id; readonly body: Json }
  /** Creates, or changes the live document that has the body's value in this unique field. */
  | { readonly action: "upsertBy"; readonly field: string; readonly body: Json }
  | {
    readonly action: "patch";
    readonly id: Id;
    readonly body: Json;
    readonly ifMatch: string | null;
  }
  /** To the trash; or away for good, out of the trash too, which is the secret key's alone. */
  | {
    readonly action: "delete";
    readonly id: Id;
    readonly ifMatch: string | null;
    readonly permanent: boolean;
  }
  | { readonly action: "recover"; readonly id: Id };

export interface Written {
  readonly id: Id;
  /** Null where the document is gone. */
  readonly stored: Stored<StoredDocument> | null;
  /** Whether the write has made it. */
  readonly isNew: boolean;
}

/** A write that is right as far as that can be told without the store. */
export interface PreparedWrite {
  /** Whether the project's plan has to have room for it. */
  readonly needsRoom: boolean;
  /** The stored document that it may take values of; null where it takes none. */
  readonly changes: Filter | null;
  /**
   * Throws what of the stored document is in its way, or that there is none.
   * @param target Whose records it is done to.
   */
  run(target: WriteAccess): Promise<Written>;
  /**
   * Of an upsert that found the value of a unique field taken, though no document that it might
   * change had it: why, or `again` where there is such a document by now. Null where the value is
   * not what it looked for.
   */
  taken?(target: WriteAccess, path: string): Promise<Problem | "again" | null>;
}

export interface PrepareServices {
  readonly clock: Clock;
  readonly newId: NewId;
  /** For the defaults of all documents of a request; each has its own if left out. */
  readonly defaultsRoom?: DefaultsRoom;
}

const LIVE = eq("isDeleted", false);

/** Throws `INVALID_DOCUMENT` and what else is wrong with the body, whatever is stored. */
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
      const { defaultsRoom: room } = services;
      const whole = validateDocument(target.collection, members, { kept, ...(room && { room }) });
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
      return { needsRoom: false, changes, run: (target) => remove(services, target, write) };
    }
    case "recover": {
      const changes = eq("_id", write.id);
      return { needsRoom: false, changes, run: (target) => recover(services, target, write.id) };
    }
  }
}

const growing = (changes: Filter | null, run: PreparedWrite["run"]): PreparedWrite => ({
  needsRoom: true,
  changes,
  run,
});

/** A document that is not in the trash, if it is the caller's to write. */
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

/** Of a record that was just written by an upsert: those that are new are in their first revision. */
const upserted = (stored: Stored<StoredDocument>): Written => ({
  ...created(stored),
  isNew: stored.revision === 1,
});

const membersOf = ({ id, body }: { readonly id: Id; readonly body: Json }): Members =>
  withoutServerFields(asMembers(body), id);

/** A new document of these members. */
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
  validateDocument(target.collection, withOwner(target, members), { ...(room && { room }) });

/**
 * Why these members are no document that could be created, as far as they alone can tell: whether
 * a unique value is taken, and whether there is room, is seen when they are stored.
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

/** The owner's field where the stored owner stays, because none is sent. */
function keptOwner({ collection: { definition: { rls } } }: WriteAccess, given: Members) {
  return rls.enabled && !Object.hasOwn(given, rls.ownerField) ? rls.ownerField : null;
}

/** Everything but the id, the kept owner and the creation time is replaced. */
function replacement({ clock }: PrepareServices, members: Members, kept: string | null): Change {
  const server = { updatedAt: timestamp(clock), isDeleted: false, deletedAt: null };
  const keep = kept === null ? ["createdAt"] : [kept, "createdAt"];
  return { replace: { ...members, ...server }, keep };
}

/** What a change is, and which members must be there already for it to leave a document whole. */
interface Wanted {
  readonly change: Change;
  readonly beside: readonly string[];
}

/** Each named top-level field is replaced whole; a dotted path changes a part. */
function patch({ clock }: PrepareServices, collection: Collection, members: Members): Wanted {
  const { value: change, faults } = validateChanges(collection, members, timestamp(clock));
  refuseFaults(faults);
  const { set, increment, min, max, push, addToSet } = change;
  // What takes away makes no objects on its way.
  const making = [set, increment, min, max, push, addToSet].flatMap((part) =>
    Object.keys(part ?? {})
  );
  return { change, beside: requiredBeside(collection, making) };
}

/** One of the caller's documents that is not in the trash. */
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
  // Without one nothing is waited for, so that writes are done in the order in which they came.
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

/** The condition of an `If-Match`, which is looked at first. */
async function precondition(
  target: WriteAccess,
  { id, ifMatch, mine, inTrash }: Searched<string>,
): Promise<Filter> {
  const current = await target.records.findOne(mine);
  if (current === null) throw await explainMissingWrite(target, id, inTrash);
  return unchangedSince(current, ifMatch);
}

/** A write found nothing: the document changed meanwhile, or it is not to be written. */
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
    needsRoom: true,
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
    needsRoom: true,
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

/** Out of the trash. A document that is not in it stays as it is. */
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
