import { deadlinePassed, timestamp } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedField } from "../crypto/sealed_field.ts";
import { Secret } from "../crypto/secret.ts";
import type { Egress } from "../http/egress.ts";
import { type JobRecord, JOBS } from "../jobs/jobs.ts";
import { NO_SUMS } from "./ledger.ts";
import { releaseExpired } from "./release.ts";
import { type FileServices, OBJECT_REMOVAL } from "./removals.ts";
import { INTERNAL_TARGET } from "./stores.ts";
import { STORAGE_USAGE, type StorageUsageRecord } from "./uploads.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, eq, not, or, within } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Definition, Engine, Id, Stored, StoredRecord, Transaction } from "../store/port.ts";
import type { StorageInput, StorageKeys } from "./storage_input.ts";

/** Settings of a project's own bucket, without its keys, which are never returned. */
export interface StorageSettings {
  /** Name of the store in rows of the ledger, made of its endpoint and bucket. */
  readonly target: string;
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  readonly pathStyle: boolean;
  readonly publicUrl: string | null;
}

export type StorageRecord = StoredRecord & StorageSettings & {
  /** The access key, encrypted under the key ring and bound to this project and target. */
  sealed: string;
  createdAt: string;
  updatedAt: string;
};

/** Settings of a project's own bucket: one record in its space, under the project's id. */
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

export function findStorage(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<Stored<StorageRecord> | null> {
  return engine.records<StorageRecord>(projectId, STORAGE_SETTINGS).get(projectId);
}

const bindingOf = (project: Id, target: string) => ({ project, purpose: `storage-keys ${target}` });

export const STORAGE_SEALS: SealedField = {
  definition: STORAGE_SETTINGS,
  member: "sealed",
  binding: ({ _id, target }) => bindingOf(_id, String(target)),
};

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
 * Sets the bucket for new files. Keys, `publicUrl`, region and `pathStyle` may change at any time.
 * Throws `INVALID_INPUT`, and `STORAGE_IN_USE` for another bucket while the current one has files.
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

/** Directs new files to the server's store. Throws `STORAGE_IN_USE` while the bucket has files. */
export async function clearStorage(services: FileServices, projectId: Id): Promise<void> {
  await drainStorage(services, projectId, INTERNAL_TARGET);
  await retryOnConflict(() =>
    services.engine.transaction(projectId, async (tx) => {
      const records = tx.records<StorageRecord>(STORAGE_SETTINGS);
      if (await records.deleteOne(eq("_id", projectId)) === null) return;
      await switchUploadTarget(tx, projectId, INTERNAL_TARGET);
    })
  );
}

/** Time limit for emptying the old bucket, in milliseconds, because the caller waits for it. */
const DRAIN_MS = 10_000;

/** Ends expired uploads and runs removals in a bucket whose keys are about to be deleted. */
async function drainStorage(services: FileServices, projectId: Id, target: string): Promise<void> {
  const present = (await findStorage(services, projectId))?.value.target ?? target;
  if (present === target) return;
  const isLate = deadlinePassed(services.clock, DRAIN_MS);
  await releaseExpired(services, projectId, isLate);
  await services.jobRunner.runNow(services, OBJECT_REMOVAL, {
    space: projectId,
    which: eq("lane", present),
    isStopping: isLate,
  });
}

/**
 * Throws `STORAGE_IN_USE` if the current external store has rows. A concurrent upload request
 * updates the usage record only if its target is unchanged, so it is counted here or tries again.
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
    await records.insert({ _id: projectId, ...NO_SUMS, target });
    return;
  }
  const { external } = usage;
  const files = external === 1 ? "1 file or upload is" : `${external} files and uploads are`;
  throw new Problem("STORAGE_IN_USE", {
    message: `${files} in the project's present storage: delete them first.`,
  });
}

/** Deletes pending removals in the former bucket. Its remaining objects are left to its owner. */
async function forgetRemovals(tx: Transaction, target: string): Promise<void> {
  const removals = tx.records<JobRecord>(JOBS);
  const elsewhere = and(
    eq("kind", OBJECT_REMOVAL.name),
    not(within("lane", [INTERNAL_TARGET, target])),
  );
  while (await removals.deleteMany(elsewhere, REMOVALS_AT_ONCE_MAX) === REMOVALS_AT_ONCE_MAX);
}

const REMOVALS_AT_ONCE_MAX = 500;

/** Runs `work` again if another process has inserted the first record at the same time. */
async function retryOnConflict(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    await work();
  }
}

export const describeStorage = (
  { endpoint, region, bucket, pathStyle, publicUrl }: StorageSettings,
) => ({ provider: "external", endpoint, region, bucket, pathStyle, publicUrl, hasKeys: true });
