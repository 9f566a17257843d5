import { type Clock, timestamp } from "../clock.ts";
import type { Log } from "../runtime/log.ts";
import type { NewId } from "../ids.ts";
import { compare, eq } from "../store/filter.ts";
import type { Definition, Engine, Filter, Id, StoredRecord, Transaction } from "../store/port.ts";
import type { BlobStores } from "./stores.ts";

/** What the verbs on files need. */
export interface FileServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly blobStores: BlobStores;
}

/** Objects whose row is gone, noted with its removal and until they are gone too. */
export type RemovalRecord = StoredRecord & {
  path: string;
  /** The store of the objects, as their row named it. */
  target: string;
  /** How often it was tried in vain. */
  tries: number;
  /** When it is tried next. */
  dueAt: string;
};

/** In each project's space. */
export const REMOVALS: Definition = {
  name: "_removals",
  fields: {
    path: { type: "String" },
    target: { type: "String" },
    tries: { type: "Number" },
    dueAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "path", descending: false }] },
    { keys: [{ path: "dueAt", descending: false }] },
  ],
  trash: false,
};

/** Where the objects of a row that is no more lie. */
export interface Leftover {
  readonly path: string;
  readonly target: string;
}

/** Notes objects to be removed, in the transaction that removes their rows. */
export async function enqueueRemovals(
  tx: Transaction,
  { clock, newId }: Pick<FileServices, "clock" | "newId">,
  leftovers: readonly Leftover[],
): Promise<RemovalRecord[]> {
  const dueAt = timestamp(clock);
  const notes = leftovers.map(({ path, target }) => ({
    _id: newId(),
    path,
    target,
    tries: 0,
    dueAt,
  }));
  await tx.records<RemovalRecord>(REMOVALS).insertMany(notes);
  return notes;
}

const PAUSE_MS = 60_000;
const PAUSE_MS_MAX = 6 * 3_600_000;

/**
 * Removes the objects and then the note of them; false where that failed, which is logged, and
 * tried again later and later. May be done twice: paths are never used again.
 */
export async function executeRemoval(
  services: FileServices,
  projectId: Id,
  removal: RemovalRecord,
): Promise<boolean> {
  const { engine, log, blobStores } = services;
  const { _id, path, target, tries } = removal;
  try {
    const blobs = await blobStores.named(projectId, target);
    await blobs.remove("staged", path);
    await blobs.remove("stored", path);
    await engine.records<RemovalRecord>(projectId, REMOVALS).deleteOne(eq("_id", _id));
    return true;
  } catch (error) {
    log.write("warn", "Objects could not be removed", { path, tries, error: String(error) });
    // Where that cannot be stored either it stays due.
    await putOff(services, projectId, removal).catch(() => {});
    return false;
  }
}

async function putOff(
  { engine, clock }: FileServices,
  projectId: Id,
  { _id, tries }: RemovalRecord,
): Promise<void> {
  const pause = Math.min(PAUSE_MS * 2 ** tries, PAUSE_MS_MAX);
  await engine.records<RemovalRecord>(projectId, REMOVALS).updateOne(eq("_id", _id), {
    set: { dueAt: new Date(clock.now() + pause).toISOString() },
    increment: { tries: 1 },
  });
}

/** Removes objects that have no row. */
export async function removeLeftover(
  services: FileServices,
  projectId: Id,
  leftover: Leftover,
): Promise<void> {
  const [note] = await services.engine.transaction(
    projectId,
    (tx) => enqueueRemovals(tx, services, [leftover]),
  );
  await executeRemoval(services, projectId, note!);
}

/** Removals that are due. */
export const dueBy = (clock: Clock): Filter => compare("dueAt", "lte", timestamp(clock));

/**
 * Tries noted removals again, each once; resolves to how many succeeded. A store in which one
 * fails is left alone until the next pass, as it may be away.
 * @param which {@linkcode dueBy}, or all.
 */
export async function retryRemovals(
  services: FileServices,
  projectId: Id,
  which: Filter,
  stopped: () => boolean = () => false,
): Promise<number> {
  const removals = services.engine.records<RemovalRecord>(projectId, REMOVALS);
  const failing = new Set<string>();
  let done = 0;
  for await (const removal of removals.find({ filter: which })) {
    if (stopped()) break;
    if (failing.has(removal.target)) continue;
    if (await executeRemoval(services, projectId, removal)) done++;
    else failing.add(removal.target);
  }
  return done;
}
