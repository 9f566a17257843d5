import { timestamp } from "../clock.ts";
import {
  EXTERNAL_FILE_BYTES_MAX,
  EXTERNAL_PUT_BYTES_MAX,
  UPLOAD_HOLD_MS,
  UPLOAD_URL_MS,
} from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Plan, Plans } from "../projects/plans.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { exactBytesText } from "../text/amounts.ts";
import { addSums, findUsage, NOTHING, plus, secondsToExpiry } from "./ledger.ts";
import { newPath } from "./paths.ts";
import { releaseBatch } from "./release.ts";
import type { FileServices } from "./removals.ts";
import { INTERNAL } from "./stores.ts";
import { prepareUserRoom, refuseByRules, takeUserRoom, type Uploader } from "./user_room.ts";
import {
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
  type Visibility,
} from "./uploads.ts";

/** A file as an application announces it. */
export interface UploadInput {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Public if left out. */
  readonly visibility?: Visibility | undefined;
}

export interface RequestedUpload {
  /** Null where the file is larger than one PUT may be. */
  readonly signedUrl: string | null;
  /** Takes the bytes in pieces, by tus. */
  readonly resumableUrl: string;
  readonly filePath: string;
}

/** Each further one needs that somebody else took the room, or changed the store, meanwhile. */
const TRIES = 20;

/**
 * Holds space for a file, together with its row, and signs the address that takes it. What is
 * refused leaves no trace. Throws `FILE_TYPE_REFUSED`, `FILE_TOO_LARGE`, `STORAGE_QUOTA_EXCEEDED`,
 * `PLAN_LIMIT_REACHED` and `TOO_MANY_UPLOADS`, and `STORAGE_UNAVAILABLE` where others come in between
 * again and again.
 */
export async function requestUpload(
  services: FileServices & { readonly plans: Plans },
  projectId: Id,
  input: UploadInput,
  uploader: Uploader | null = null,
): Promise<RequestedUpload> {
  if (uploader !== null) refuseByRules(uploader.rules, input);
  const plan = await services.plans.of(projectId);
  const filePath = newPath(projectId, crypto.randomUUID(), input.filename);
  for (let tries = 0; tries < TRIES; tries++) {
    const { name: target, blobs } = await services.blobStores.current(projectId);
    const { bytes, contentType } = input;
    refuseTooLarge(plan, target, bytes);
    await findRoom(services, plan, { projectId, target, bytes });
    const expiresAt = services.clock.now() + UPLOAD_URL_MS;
    const signedUrl = bytes > EXTERNAL_PUT_BYTES_MAX
      ? null
      : await blobs.signUpload({ path: filePath, bytes, contentType, expiresAt });
    const resumableUrl = services.blobStores.resumableUrl(filePath);
    if (uploader !== null) await prepareUserRoom(services, projectId, uploader);
    const ownerId = uploader?.userId ?? null;
    const row = newRow(services, { ...input, path: filePath, target, ownerId });
    if (await hold(services, plan, { projectId, row, uploader })) {
      return { signedUrl, resumableUrl, filePath };
    }
  }
  throw new Problem("STORAGE_UNAVAILABLE");
}

function refuseTooLarge({ fileBytesMax }: Plan, target: string, bytes: number): void {
  const max = target === INTERNAL ? fileBytesMax : EXTERNAL_FILE_BYTES_MAX;
  if (bytes <= max) return;
  throw new Problem("FILE_TOO_LARGE", {
    message: `The file is larger than ${exactBytesText(max)}.`,
  });
}

function newRow(
  { clock, newId }: Pick<FileServices, "clock" | "newId">,
  upload: UploadInput & {
    readonly path: string;
    readonly target: string;
    readonly ownerId: Id | null;
  },
): UploadRecord {
  const { path, filename, contentType, bytes, target, ownerId, visibility = "public" } = upload;
  return {
    _id: newId(),
    path,
    filename,
    contentType,
    bytes,
    state: "requested",
    claim: null,
    claimedUntil: null,
    target,
    expiresAt: new Date(clock.now() + UPLOAD_HOLD_MS).toISOString(),
    createdAt: timestamp(clock),
    ownerId,
    visibility,
  };
}

/** What the sums must be at most for these bytes to fit, and one row more. */
const roomFor = (plan: Plan, { target, bytes }: Pick<UploadRecord, "target" | "bytes">) => ({
  ...(target === INTERNAL && { held: plan.storageBytes - bytes }),
  files: plan.files - 1,
  open: plan.openUploads - 1,
});

type UploadRoom = ReturnType<typeof roomFor>;

/**
 * Row and space in one transaction, if the space is there and uploads still go to this store;
 * else false, and nothing is done. Throws what `takeUserRoom` throws.
 */
async function hold(
  { engine, clock }: Pick<FileServices, "engine" | "clock">,
  plan: Plan,
  { projectId, row, uploader }: {
    readonly projectId: Id;
    readonly row: UploadRecord;
    readonly uploader: Uploader | null;
  },
): Promise<boolean> {
  const fits = Object.entries(roomFor(plan, row))
    .map(([sum, most]) => compare(sum, "lte", most));
  const mine = and(eq("_id", projectId), eq("target", row.target), ...fits);
  return await engine.transaction(projectId, async (tx) => {
    const held = await tx.records<StorageUsageRecord>(STORAGE_USAGE)
      .updateOne(mine, { increment: plus(NOTHING, row) });
    if (held === null) return false;
    await tx.records<UploadRecord>(UPLOADS).insert(row);
    if (uploader !== null) await takeUserRoom(tx, clock, uploader);
    return true;
  });
}

/**
 * Makes the sums, where there are none so far, counts the rows, where an earlier version did not,
 * and makes room, where holds that have expired take it. Whether there is room in the end is for
 * {@linkcode hold} to say: here those are turned away who would only be in the way of others.
 * Throws `STORAGE_QUOTA_EXCEEDED`, `PLAN_LIMIT_REACHED` and `TOO_MANY_UPLOADS`.
 */
async function findRoom(
  services: FileServices,
  plan: Plan,
  { projectId, target, bytes }: Pick<UploadRecord, "target" | "bytes"> & { readonly projectId: Id },
): Promise<void> {
  let usage = await findUsage(services, projectId);
  if (usage === null) {
    // Others may have made them meanwhile: then they stay as they are.
    await services.engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE)
      .upsert(eq("_id", projectId), {}, { _id: projectId, ...NOTHING, target });
    return;
  }
  if (usage.files === undefined) {
    await services.engine.transaction(projectId, (tx) => addSums(tx, projectId, NOTHING));
    usage = await findUsage(services, projectId);
  }
  const room = roomFor(plan, { target, bytes });
  if (fullOf(usage, room) === null) return;
  // The reaper will remove their objects: nobody waits for that here.
  const { rows } = await releaseBatch(services, projectId);
  if (rows.length > 0) return;
  // Others may have released them.
  const full = fullOf(await findUsage(services, projectId), room);
  if (full !== null) throw await noRoom(services, plan, projectId, full);
}

/** The first sum that leaves no room; null where all do. */
const fullOf = (usage: StorageUsageRecord | null, room: UploadRoom): keyof UploadRoom | null =>
  (Object.keys(room) as (keyof UploadRoom)[])
    .find((sum) => usage !== null && (usage[sum] ?? 0) > room[sum]!) ?? null;

async function noRoom(
  services: FileServices,
  plan: Plan,
  projectId: Id,
  full: keyof UploadRoom,
): Promise<Problem> {
  if (full === "held") return new Problem("STORAGE_QUOTA_EXCEEDED");
  if (full === "files") {
    return new Problem("PLAN_LIMIT_REACHED", {
      message: `The ${plan.name} plan allows ${plan.files} files of a project: delete some, or ` +
        "use a larger plan.",
    });
  }
  return new Problem("TOO_MANY_UPLOADS", {
    message: `The ${plan.name} plan allows ${plan.openUploads} open uploads of a project: ` +
      "confirm or delete some of them, or wait as long as Retry-After says.",
    retryAfter: await secondsToExpiry(
      services.engine.records<UploadRecord>(projectId, UPLOADS),
      services.clock,
    ),
  });
}
