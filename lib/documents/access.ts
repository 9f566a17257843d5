import { actorOf, type Caller } from "../auth/principals.ts";
import { timestamp } from "../clock.ts";
import type { DeclaredUserField } from "../auth/public_profile.ts";
import type { NewId } from "../ids.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { Backoff } from "../backoff.ts";
import { Problem } from "../problems.ts";
import { Outdated, StoreUnavailable } from "../store/errors.ts";
import { ALL, and, eq, or } from "../store/filter.ts";
import type { Authorship, Definition, Filter, Id, Records } from "../store/port.ts";
import { nearestWord } from "../text/nearest.ts";
import { type Catalog, collectionNotFound } from "./catalog.ts";
import type { Collection, StoredDocument } from "./collection.ts";
import type { FileLookup } from "./populated_files.ts";
import { finishDefinitionChange } from "./redefine.ts";

/** A collection that a caller may read. */
export interface ReadAccess {
  readonly collection: Collection;
  readonly records: Records<StoredDocument>;
  readonly projectId: Id;
  readonly callerTag: string;
  /** Returns the filter of the documents that the caller may see, regardless of the query. */
  visible(includeDeleted: boolean): Filter;
}

/** A collection that a caller may write. */
export interface WriteAccess extends ReadAccess {
  /** The user whose documents may be written; null if documents of all users may be. */
  readonly ownerId: Id | null;
  readonly by: Authorship;
  readonly caller: Caller;
}

interface UserFieldsLookup {
  ofProject(projectId: Id): MaybePromise<readonly DeclaredUserField[]>;
}

export interface AccessServices extends FileLookup {
  readonly catalog: Omit<Catalog, "forgetProject">;
  readonly userFields: UserFieldsLookup;
}

export interface WriteAccessServices extends AccessServices {
  readonly newId: NewId;
}

const LIVE = eq("isDeleted", false);

/** Throws `COLLECTION_NOT_FOUND`, and `ACCESS_TOKEN_REQUIRED` if only users may read. */
export async function openForReading(
  services: AccessServices,
  caller: Caller,
  name: string,
): Promise<ReadAccess> {
  return grantRead(services, caller, await findCollection(services, caller, name));
}

/** Throws `RLS_REQUIRED` and the errors of {@linkcode openForReading}. */
export async function openForWriting(
  services: WriteAccessServices,
  caller: Caller,
  name: string,
): Promise<WriteAccess> {
  const collection = await findCollection(services, caller, name);
  let ownerId: Id | null = null;
  if (caller.kind === "publishable") {
    if (!collection.definition.rls.enabled) throw new Problem("RLS_REQUIRED");
    if (caller.userId === null) throw new Problem("ACCESS_TOKEN_REQUIRED");
    ownerId = caller.userId;
  }
  const by = { actor: actorOf(caller), at: timestamp(services.clock) };
  const { projectId } = caller;
  const records = services.engine.records<StoredDocument>(projectId, collection.records, { by });
  return { ...grantRead(services, caller, collection), records, ownerId, by, caller };
}

/** Milliseconds that a write waits for changes of its definitions, counted from the first one. */
const WAIT_MS = 4_000;
/** A write finishes an abandoned change at a random time, so that not all writes do it at once. */
const CHANGE_MS = [1_500, 2_500] as const;

/** Reopens the targets of one write, and waits while their definitions are being changed. */
export class DefinitionWait {
  readonly #services: WriteAccessServices;
  readonly #backoff = new Backoff();
  #isLast = false;
  #hasEndedChange = false;

  constructor(services: WriteAccessServices) {
    this.#services = services;
  }

  /**
   * Returns the targets under the current definitions, and waits while the store rejects these.
   * Throws `StoreUnavailable` after `WAIT_MS`, and the errors of {@linkcode openForWriting}.
   */
  async reopen<Targets extends readonly WriteAccess[]>(
    before: Targets,
    cause: Outdated,
  ): Promise<Targets> {
    if (this.#isLast) throw new StoreUnavailable("The definition is being changed", { cause });
    // Allows one more attempt, because the store may have delayed the write until the change ended.
    this.#isLast = this.#backoff.isOver(WAIT_MS);
    const targets = await Promise.all(before.map((one) => this.#reopenOne(one)));
    const isSame = targets.every((one, i) =>
      isSameState(one.collection.records, before[i]!.collection.records)
    );
    if (isSame) await this.#wait(targets);
    return targets as unknown as Targets; // The number of targets is unchanged.
  }

  #reopenOne({ caller, collection }: WriteAccess): Promise<WriteAccess> {
    const { name } = collection.definition;
    this.#services.catalog.forget(caller.projectId, name);
    return openForWriting(this.#services, caller, name);
  }

  async #wait(targets: readonly WriteAccess[]): Promise<void> {
    if (this.#hasEndedChange || !this.#backoff.isOver(...CHANGE_MS)) {
      return await this.#backoff.pause();
    }
    this.#hasEndedChange = true;
    for (const { projectId, collection } of targets) {
      await finishDefinitionChange(this.#services, projectId, collection.definition.name);
    }
  }
}

const isSameState = (one: Definition, other: Definition): boolean =>
  one.version === other.version && one.dependsOn?.revision === other.dependsOn?.revision;

export function requireSecretKey(caller: Caller): void {
  if (caller.kind !== "secret") throw new Problem("SECRET_KEY_REQUIRED");
}

/** Throws `COLLECTION_NOT_FOUND`. */
export async function findCollection(
  services: AccessServices,
  caller: Caller,
  name: string,
): Promise<Collection> {
  const collection = await services.catalog.find(caller.projectId, name);
  if (collection !== null) return collection;
  throw collectionNotFound(name, await suggestReadableNames(services, caller, name));
}

const SIMILAR_NAMES_MAX = 5;

/** Leaves out collections that the caller may not read, because their names are secret. */
export async function suggestReadableNames(
  { catalog }: AccessServices,
  caller: Caller,
  missing: string,
): Promise<string[]> {
  const names = new Set(await catalog.names(caller.projectId));
  for (let tries = 0; tries < SIMILAR_NAMES_MAX; tries++) {
    const name = nearestWord(missing, names);
    if (name === null) break;
    const collection = await catalog.find(caller.projectId, name);
    if (collection !== null && canRead(collection, caller)) return [name];
    names.delete(name);
  }
  return [];
}

/** Throws `ACCESS_TOKEN_REQUIRED` if row-level security requires a user. */
export function grantRead(
  services: AccessServices,
  caller: Caller,
  collection: Collection,
): ReadAccess {
  return {
    collection,
    records: services.engine.records<StoredDocument>(caller.projectId, collection.records),
    projectId: caller.projectId,
    callerTag: callerTag(caller),
    visible: createVisibility(collection, caller),
  };
}

/** Returns a text that differs between callers who may see different documents. */
export const callerTag = (caller: Caller): string =>
  caller.kind === "secret" ? "secret" : `publishable ${caller.userId ?? ""}`;

/** Builds the filter of row-level security for all reads. Throws `ACCESS_TOKEN_REQUIRED`. */
function createVisibility(collection: Collection, caller: Caller): ReadAccess["visible"] {
  if (!canRead(collection, caller)) throw new Problem("ACCESS_TOKEN_REQUIRED");
  if (caller.kind === "secret") return (includeDeleted) => includeDeleted ? ALL : LIVE;
  const { rls } = collection.definition;
  const own = rls.enabled && caller.userId !== null ? eq(rls.ownerField, caller.userId) : null;
  if (own !== null && rls.mode === "private") {
    return (includeDeleted) => includeDeleted ? own : and(LIVE, own);
  }
  return (includeDeleted) => includeDeleted && own !== null ? or(LIVE, own) : LIVE;
}

const canRead = ({ definition: { rls } }: Collection, caller: Caller): boolean =>
  caller.kind === "secret" || caller.userId !== null || !rls.enabled || rls.mode === "public-read";

/** Returns the filter of the documents that may be written: a user's own, or all. */
export function ownerFilter({ collection, ownerId }: WriteAccess): Filter {
  return ownerId === null ? ALL : eq(collection.definition.rls.ownerField, ownerId);
}

/** Returns `OWNER_MISMATCH` if the caller can see the document, otherwise `DOCUMENT_NOT_FOUND`. */
export async function explainMissingWrite(
  target: WriteAccess,
  id: Id,
  includeDeleted = false,
): Promise<Problem> {
  const seen = await target.records.findOne(and(eq("_id", id), target.visible(includeDeleted)));
  if (seen === null || target.ownerId === null) return new Problem("DOCUMENT_NOT_FOUND");
  const isOwn = seen.value[target.collection.definition.rls.ownerField] === target.ownerId;
  return new Problem(isOwn ? "DOCUMENT_NOT_FOUND" : "OWNER_MISMATCH");
}
