import { deadlinePassed, timestamp } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedPlace } from "../crypto/sealed_place.ts";
import { Secret } from "../crypto/secret.ts";
import type { Egress } from "../http/egress.ts";
import { type JobRecord, JOBS } from "../jobs/jobs.ts";
import { NOTHING } from "./ledger.ts";
import { releaseExpired } from "./release.ts";
import { type FileServices, OBJECT_REMOVAL } from "./removals.ts";
import { INTERNAL } from "./stores.ts";
import { STORAGE_USAGE, type StorageUsageRecord } from "./uploads.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, eq, not, or, within } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Definition, Engine, Id, Stored, StoredRecord, Transaction } from "../store/port.ts";
import type { StorageInput, StorageKeys } from "./storage_input.ts";

/** A project's own bucket. Its keys are shown nowhere. */
export interface StorageSettings {
  /** What rows of the ledger call it: its endpoint and bucket. */
  readonly target: string;
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  readonly pathStyle: boolean;
  readonly publicUrl: string | null;
}

export type StorageRecord = StoredRecord & StorageSettings & {
  /** Both keys, sealed under the key ring for this project and target. */
  sealed: string;
  createdAt: string;
  updatedAt: string;
};

/** In each project's space, one record under the project's own id. */
export const STORAGE_SETTINGS: Definition = {
  name: "_storage",
  fields: {
    target: { type: "String" },
    endpoint: { type: "String" },
    region: { type: "String" },
    bucket: { type: "String" },
    pathStyle: { type: "Boolean" },
    publicUrl: { type: "String" },
    sealed: { type: "String" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
  },
  indexes: [],
  trash: false,
};

export interface StorageServices extends FileServices {
  readonly keyRing: KeyRing;
  readonly egress: Egress;
  readonly config: Pick<Config, "allowPrivateEndpoints">;
}

/** The project's own bucket as it is stored now; null when its files are in our store. */
export function findStorage(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<Stored<StorageRecord> | null> {
  return engine.records<StorageRecord>(projectId, STORAGE_SETTINGS).get(projectId);
}

const bindingOf = (project: Id, target: string) => ({ project, purpose: `storage-keys ${target}` });

export const STORAGE_SEALS: SealedPlace = {
  definition: STORAGE_SETTINGS,
  member: "sealed",
  binding: ({ _id, target }) => bindingOf(_id, String(target)),
};

/** Opens the keys of a stored record. */
export async function openStorageKeys(
  keyRing: KeyRing,
  { _id, target, sealed }: StorageRecord,
): Promise<StorageKeys> {
  const opened = parseJson(await keyRing.open(sealed, bindingOf(_id, target))) as [string, string];
  const [accessKeyId, secretAccessKey] = opened;
  return { accessKeyId: new Secret(accessKeyId), secretAccessKey: new Secret(secretAccessKey) };
}

function sealStorageKeys(keyRing: KeyRing, project: Id, target: string, keys: StorageKeys) {
  const plain = [keys.accessKeyId.reveal(), keys.secretAccessKey.reveal()];
  return keyRing.seal(JSON.stringify(plain), bindingOf(project, target));
}

const targetOf = ({ endpoint, bucket }: Pick<StorageInput, "endpoint" | "bucket">): string =>
  `${endpoint ?? "https://s3.amazonaws.com"}/${bucket}`;

/**
 * Gives a project a bucket of its own, where its files go from now on. Keys, `publicUrl`, region and
 * `pathStyle` may change at any time. Throws `INVALID_INPUT`, and `STORAGE_IN_USE` for another
 * endpoint or bucket while files are in the present one.
 */
export async function setStorage(
  services: StorageServices,
  projectId: Id,
  { keys, ...input }: StorageInput,
): Promise<StorageSettings> {
  const { engine, keyRing, clock } = services;
  const settings = { ...input, target: targetOf(input) };
  const fresh = keys && await sealStorageKeys(keyRing, projectId, settings.target, keys);
  const now = timestamp(clock);
  await drainStorage(services, projectId, settings.target);
  await retryOnConflict(() =>
    engine.transaction(projectId, async (tx) => {
      const records = tx.records<StorageRecord>(STORAGE_SETTINGS);
      const stored = (await records.get(projectId))?.value;
      const sealed = fresh ?? (stored?.target === settings.target ? stored.sealed : null);
      if (sealed === null) throw new Problem("INVALID_INPUT", { message: KEYS_MISSING });
      await switchUploadTarget(tx, projectId, settings.target);
      const values = { ...settings, sealed, createdAt: stored?.createdAt ?? now, updatedAt: now };
      if (stored === undefined) await records.insert({ _id: projectId, ...values });
      else await records.updateOne(eq("_id", projectId), { replace: values });
    })
  );
  return settings;
}

const KEYS_MISSING = "accessKeyId and secretAccessKey are missing: none are stored for this " +
  "endpoint and bucket.";

/**
 * Takes a project's own bucket away: its files go to our store from now on. Does nothing where
 * there is none. Throws `STORAGE_IN_USE` while files are in the bucket.
 */
export async function clearStorage(services: FileServices, projectId: Id): Promise<void> {
  await drainStorage(services, projectId, INTERNAL);
  await retryOnConflict(() =>
    services.engine.transaction(projectId, async (tx) => {
      const records = tx.records<StorageRecord>(STORAGE_SETTINGS);
      if (await records.deleteOne(eq("_id", projectId)) === null) return;
      await switchUploadTarget(tx, projectId, INTERNAL);
    })
  );
}

/** Somebody waits for it. */
const CLEAR_UP_MS = 10_000;

/**
 * Ends uploads that are over, and removes what is to be removed, in a bucket that uploads are about
 * to leave: nobody has its keys afterwards.
 */
async function drainStorage(services: FileServices, projectId: Id, target: string): Promise<void> {
  const present = (await findStorage(services, projectId))?.value.target ?? target;
  if (present === target) return;
  const isLate = deadlinePassed(services.clock, CLEAR_UP_MS);
  await releaseExpired(services, projectId, isLate);
  await services.jobRunner.runNow(services, OBJECT_REMOVAL, {
    space: projectId,
    which: eq("lane", present),
    isStopping: isLate,
  });
}

/**
 * An upload that is requested in this moment depends on the same record: it names the target that
 * it found there, so either it is counted here or it begins anew.
 */
async function switchUploadTarget(tx: Transaction, projectId: Id, target: string): Promise<void> {
  const records = tx.records<StorageUsageRecord>(STORAGE_USAGE);
  const pointed = await records.updateOne(
    and(eq("_id", projectId), or(eq("target", target), eq("external", 0))),
    { set: { target } },
  );
  if (pointed !== null) return await forgetRemovals(tx, target);
  const usage = (await records.get(projectId))?.value;
  if (usage === undefined) {
    await records.insert({ _id: projectId, ...NOTHING, target });
    return;
  }
  const { external } = usage;
  const files = external === 1 ? "1 file or upload is" : `${external} files and uploads are`;
  throw new Problem("STORAGE_IN_USE", {
    message: `${files} in the project's present storage: delete them first.`,
  });
}

/** What could not be removed in a bucket that is gone stays there: it is its owner's. */
async function forgetRemovals(tx: Transaction, target: string): Promise<void> {
  const removals = tx.records<JobRecord>(JOBS);
  const elsewhere = and(eq("kind", OBJECT_REMOVAL.name), not(within("lane", [INTERNAL, target])));
  while (await removals.deleteMany(elsewhere, REMOVALS_AT_ONCE) === REMOVALS_AT_ONCE);
}

const REMOVALS_AT_ONCE = 500;

/** Two that make the first record of a project in the same moment: the later finds it made. */
async function retryOnConflict(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    await work();
  }
}

/** What is told of a project's storage: no key. */
export const shownStorage = (
  { endpoint, region, bucket, pathStyle, publicUrl }: StorageSettings,
) => ({ provider: "external", endpoint, region, bucket, pathStyle, publicUrl, hasKeys: true });
