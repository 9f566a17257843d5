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
import { addRow, addSums, findUsage, NO_SUMS, secondsToExpiry } from "./ledger.ts";
import { newPath } from "./paths.ts";
import { releaseBatch } from "./release.ts";
import type { FileServices } from "./removals.ts";
import { INTERNAL_TARGET } from "./stores.ts";
import {
  assertUserMayUpload,
  chargeUserQuota,
  prepareUserQuota,
  type Uploader,
} from "./user_quota.ts";
import {
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
  type Visibility,
} from "./uploads.ts";

export interface UploadInput {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Default: `public`. */
  readonly visibility?: Visibility | undefined;
}

export interface RequestedUpload {
  /** Accepts a `PUT` of the file; null if the file is too large for one `PUT`. */
  readonly signedUrl: string | null;
  /** Accepts a resumable upload by the tus protocol. */
  readonly resumableUrl: string;
  readonly filePath: string;
}

/** A try fails only if another process takes the space or changes the store at the same time. */
const TRIES_MAX = 20;

/**
 * Reserves space by inserting a row, and signs the upload URL. A refused request stores nothing.
 * Throws `FILE_TYPE_REFUSED`, `FILE_TOO_LARGE`, `STORAGE_QUOTA_EXCEEDED`, `PLAN_LIMIT_REACHED`,
 * `TOO_MANY_UPLOADS`, and `STORAGE_UNAVAILABLE` after `TRIES_MAX` conflicts.
 */
export async function requestUpload(
  services: FileServices & { readonly plans: Plans },
  projectId: Id,
  input: UploadInput,
  uploader: Uploader | null = null,
): Promise<RequestedUpload> {
  if (uploader !== null) assertUserMayUpload(uploader.rules, input);
  const plan = await services.plans.ofProject(projectId);
  const filePath = newPath(projectId, crypto.randomUUID(), input.filename);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { name: target, blobs } = await services.blobStores.currentTarget(projectId);
    const { bytes, contentType } = input;
    assertFileSize(plan, target, bytes);
    await ensureRoom(services, plan, { projectId, target, bytes });
    const expiresAt = services.clock.now() + UPLOAD_URL_MS;
    const signedUrl = bytes > EXTERNAL_PUT_BYTES_MAX
      ? null
      : await blobs.signUpload({ path: filePath, bytes, contentType, expiresAt });
    const resumableUrl = services.blobStores.resumableUrl(filePath);
    if (uploader !== null) await prepareUserQuota(services, projectId, uploader);
    const ownerId = uploader?.userId ?? null;
    const row = newRow(services, { ...input, path: filePath, target, ownerId });
    if (await reserve(services, plan, { projectId, row, uploader })) {
      return { signedUrl, resumableUrl, filePath };
    }
  }
  throw new Problem("STORAGE_UNAVAILABLE");
}

function assertFileSize({ fileBytesMax }: Plan, target: string, bytes: number): void {
  const max = target === INTERNAL_TARGET ? fileBytesMax : EXTERNAL_FILE_BYTES_MAX;
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

/** Returns the largest values of the sums at which one more row with these bytes fits the plan. */
const usageLimits = (plan: Plan, { target, bytes }: Pick<UploadRecord, "target" | "bytes">) => ({
  ...(target === INTERNAL_TARGET && { held: plan.storageBytes - bytes }),
  files: plan.files - 1,
  open: plan.openUploads - 1,
});

type UsageLimits = ReturnType<typeof usageLimits>;

/** Returns false, without a change, if the space is taken or uploads now go to another store. */
async function reserve(
  { engine, clock }: Pick<FileServices, "engine" | "clock">,
  plan: Plan,
  { projectId, row, uploader }: {
    readonly projectId: Id;
    readonly row: UploadRecord;
    readonly uploader: Uploader | null;
  },
): Promise<boolean> {
  const fits = Object.entries(usageLimits(plan, row))
    .map(([sum, most]) => compare(sum, "lte", most));
  const hasRoom = and(eq("_id", projectId), eq("target", row.target), ...fits);
  return await engine.transaction(projectId, async (tx) => {
    const reserved = await tx.records<StorageUsageRecord>(STORAGE_USAGE)
      .updateOne(hasRoom, { increment: addRow(NO_SUMS, row) });
    if (reserved === null) return false;
    await tx.records<UploadRecord>(UPLOADS).insert(row);
    if (uploader !== null) await chargeUserQuota(tx, clock, uploader);
    return true;
  });
}

/**
 * Releases expired reservations if they take the space. Refuses early: {@linkcode reserve} decides.
 * Throws `STORAGE_QUOTA_EXCEEDED`, `PLAN_LIMIT_REACHED` and `TOO_MANY_UPLOADS`.
 */
async function ensureRoom(
  services: FileServices,
  plan: Plan,
  { projectId, target, bytes }: Pick<UploadRecord, "target" | "bytes"> & { readonly projectId: Id },
): Promise<void> {
  let usage = await findUsage(services, projectId);
  if (usage === null) {
    // If another process has created the record in the meantime, it stays unchanged.
    await services.engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE)
      .upsert(eq("_id", projectId), {}, { _id: projectId, ...NO_SUMS, target });
    return;
  }
  if (usage.files === undefined) {
    await services.engine.transaction(projectId, (tx) => addSums(tx, projectId, NO_SUMS));
    usage = await findUsage(services, projectId);
  }
  const limits = usageLimits(plan, { target, bytes });
  if (exceededSum(usage, limits) === null) return;
  // The reaper removes their objects later, so that this request does not wait for it.
  const { rows } = await releaseBatch(services, projectId);
  if (rows.length > 0) return;
  // Another process may have released them.
  const exceeded = exceededSum(await findUsage(services, projectId), limits);
  if (exceeded !== null) throw await noRoomProblem(services, plan, projectId, exceeded);
}

const exceededSum = (
  usage: StorageUsageRecord | null,
  limits: UsageLimits,
): keyof UsageLimits | null =>
  (Object.keys(limits) as (keyof UsageLimits)[])
    .find((sum) => usage !== null && (usage[sum] ?? 0) > limits[sum]!) ?? null;

async function noRoomProblem(
  services: FileServices,
  plan: Plan,
  projectId: Id,
  exceeded: keyof UsageLimits,
): Promise<Problem> {
  if (exceeded === "held") return new Problem("STORAGE_QUOTA_EXCEEDED");
  if (exceeded === "files") {
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
