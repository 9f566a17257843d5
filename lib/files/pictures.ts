import { createReadThrough } from "../cache.ts";
import { type Clock, timestamp } from "../clock.ts";
import { readAllBytes } from "../http/bounded_reader.ts";
import { contentDisposition } from "../http/disposition.ts";
import { createRequestShares } from "../http/request_shares.ts";
import type { NewId } from "../ids.ts";
import {
  PICTURE_BYTES_MAX,
  PICTURE_MEMORY_BYTES,
  PICTURES_WAITING_MAX,
  PICTURES_WAITING_SHARE_MAX,
  PRO_STORAGE_BYTES,
} from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Plans } from "../projects/plans.ts";
import { isInUse } from "../projects/projects.ts";
import { UniqueViolation } from "../store/errors.ts";
import type { Engine, Id } from "../store/port.ts";
import { CACHE_CONTROL, type FilePlace } from "./blobs.ts";
import { DERIVED, type DerivedRecord, ofVariant, removeDerived, trimDerived } from "./derived.ts";
import { derivedPath, fileEtag, projectIdOf } from "./paths.ts";
import { type PictureJob, PictureQueue } from "./picture_queue.ts";
import { type PictureSize, variantOf } from "./picture_size.ts";
import { resizePicture } from "./resize.ts";
import type { ServedFile } from "./served_files.ts";
import type { BlobStores } from "./stores.ts";
import { filePlaceOf, findUpload, type UploadRecord } from "./uploads.ts";

export interface ServedPicture extends ServedFile {
  /** Path of its object in the `derived` place of the server's own store. */
  readonly path: string;
}

/** Makes each size of a picture at its first request and keeps it in the server's own store. */
export interface Pictures {
  /** Returns the row of the confirmed file with this path in this place; null if there is none. */
  source(place: FilePlace, path: string): Promise<UploadRecord | null>;
  /**
   * Returns a size, making it if necessary. A waiting job is dropped when all its clients have
   * disconnected. Throws `PICTURE_UNUSABLE`, `FILE_NOT_FOUND`, and `SERVER_BUSY`, also on
   * disconnect.
   */
  find(row: UploadRecord, size: PictureSize, caller: PictureCaller): Promise<ServedPicture>;
  /** Deletes the record of a picture whose object is missing, so that the next request makes it. */
  forgetMissing(picture: ServedPicture): Promise<void>;
}

export interface PictureCaller {
  /** Key of the client for limits and fairness. */
  readonly client: string;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

interface ResizeJob extends PictureJob {
  readonly clients: string[];
  readonly work: Promise<DerivedRecord>;
  make(): Promise<void>;
  /** Ends a waiting job with `SERVER_BUSY`. */
  drop(): void;
}

export interface PictureServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly blobStores: BlobStores;
  readonly plans: Plans;
}

const SOURCES_MAX = 5_000;
const PICTURES_MAX = 20_000;
const TOUCH_EVERY_MS = 3_600_000;

/** @param workers Number of serving threads, which share the memory of the process. */
export function createPictures(services: PictureServices, workers: number): Pictures {
  const { engine, clock, newId, blobStores, plans } = services;
  const limits = { max: PICTURES_WAITING_MAX, shareMax: PICTURES_WAITING_SHARE_MAX };
  const [projectShares, clientShares] = [createRequestShares(limits), createRequestShares(limits)];
  const jobs = new Map<string, ResizeJob>();
  const queue = new PictureQueue<ResizeJob>();
  let isWorking = false;
  const recordsOf = (projectId: Id) => engine.records<DerivedRecord>(projectId, DERIVED);

  const sources = createReadThrough<UploadRecord>(
    { clock, max: SOURCES_MAX },
    async (path) => {
      const projectId = projectIdOf(path);
      if (projectId === null || !await isInUse(services, projectId)) return null;
      const row = await findUpload(services, projectId, path);
      return row?.state === "confirmed" ? row : null;
    },
  );

  const records = createReadThrough<DerivedRecord>(
    { clock, max: PICTURES_MAX },
    async (key) => {
      const { path, variant } = readKey(key);
      const found = await recordsOf(projectIdOf(path)!).findOne(ofVariant(path, variant));
      return found?.value ?? null;
    },
  );

  /** Makes a size. Concurrent requests for one size share a job. */
  async function makeOnce(
    row: UploadRecord,
    size: PictureSize,
    caller: PictureCaller,
  ): Promise<DerivedRecord> {
    const { client, gone } = caller;
    const key = derivedPath(row.path, variantOf(size));
    const job = jobs.get(key) ?? enqueue(key, row, { size, client });
    job.clients.push(client);
    const disconnected = Promise.withResolvers<never>();
    const onGone = () => disconnected.reject(new Problem("SERVER_BUSY"));
    gone.addEventListener("abort", onGone);
    if (gone.aborted) onGone();
    try {
      return await Promise.race([job.work, disconnected.promise]);
    } finally {
      gone.removeEventListener("abort", onGone);
      job.clients.splice(job.clients.indexOf(client), 1);
      if (job.clients.length === 0 && queue.remove(job)) job.drop();
    }
  }

  function enqueue(
    key: string,
    row: UploadRecord,
    { size, client }: { readonly size: PictureSize; readonly client: string },
  ): ResizeJob {
    const projectId = projectIdOf(row.path)!;
    projectShares.assertAvailable(projectId);
    clientShares.assertAvailable(client);
    const { promise, resolve, reject } = Promise.withResolvers<DerivedRecord>();
    const forget = () => jobs.get(key) === job && jobs.delete(key);
    const work = promise.finally(forget);
    work.catch(() => {}); // Disconnected clients do not await it.
    const job: ResizeJob = {
      projectId,
      clients: [],
      work,
      make: () => make(projectId, row, size).then(resolve, reject),
      drop() {
        forget(); // The next request for this size needs a new job.
        reject(new Problem("SERVER_BUSY"));
      },
    };
    jobs.set(key, job);
    queue.add(job);
    projectShares.track(projectId, work);
    clientShares.track(client, work);
    queueMicrotask(makeWaiting);
    return job;
  }

  /** Runs jobs one at a time: concurrent jobs need more memory and are not faster. */
  async function makeWaiting(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (let job = queue.next(); job !== undefined; job = queue.next()) await job.make();
    isWorking = false;
  }

  async function make(
    projectId: Id,
    row: UploadRecord,
    size: PictureSize,
  ): Promise<DerivedRecord> {
    const { path } = row;
    const bytes = await resizePicture(
      await sourceOf(projectId, row),
      size,
      PICTURE_MEMORY_BYTES / workers,
    );
    const record = {
      _id: newId(),
      path,
      variant: variantOf(size),
      bytes: bytes.length,
      contentType: `image/${size.format}`,
      usedAt: timestamp(clock),
    };
    await storeRecord(projectId, record);
    await blobStores.internal.putDerived(
      derivedPath(path, record.variant),
      bytes,
      record.contentType,
    );
    // If the file was deleted in the meantime, its removal did not include this object.
    if (await findUpload(services, projectId, path) === null) {
      await removeDerived(services, projectId, path);
      throw new Problem("FILE_NOT_FOUND");
    }
    const { storageBytes } = await plans.ofProject(projectId);
    // Everybody can request further sizes, so a limit applies even to unlimited plans.
    await trimDerived(services, projectId, Math.min(storageBytes, PRO_STORAGE_BYTES));
    return record;
  }

  async function sourceOf(projectId: Id, row: UploadRecord): Promise<Uint8Array> {
    if (row.bytes > PICTURE_BYTES_MAX) throw new Problem("PICTURE_UNUSABLE");
    const blobs = await blobStores.blobsOf(projectId, row.target);
    const stream = await blobs.read(filePlaceOf(row), row.path);
    if (stream === null) throw new Problem("FILE_NOT_FOUND");
    return await readAllBytes(stream as ReadableStream<Uint8Array<ArrayBuffer>>, {
      bytesMax: PICTURE_BYTES_MAX,
    });
  }

  async function storeRecord(projectId: Id, record: DerivedRecord): Promise<void> {
    const { path, variant, bytes } = record;
    try {
      await recordsOf(projectId).upsert(ofVariant(path, variant), { set: { bytes } }, record);
    } catch (error) {
      // Another process has stored the record at the same time.
      if (!(error instanceof UniqueViolation)) throw error;
    }
  }

  async function touch({ path, variant, usedAt }: DerivedRecord): Promise<void> {
    if (clock.now() - Date.parse(usedAt) < TOUCH_EVERY_MS) return;
    const change = { set: { usedAt: timestamp(clock) } };
    await recordsOf(projectIdOf(path)!).updateOne(ofVariant(path, variant), change);
    records.drop(derivedPath(path, variant));
  }

  return {
    async source(place, path) {
      const row = await sources.get(path);
      return row !== null && filePlaceOf(row) === place ? row : null;
    },
    async find(row, size, caller) {
      const record = await records.get(derivedPath(row.path, variantOf(size)));
      if (record === null) return toServedPicture(row, await makeOnce(row, size, caller));
      await touch(record);
      return toServedPicture(row, record);
    },
    async forgetMissing({ path: key }) {
      const { path, variant } = readKey(key);
      await recordsOf(projectIdOf(path)!).deleteOne(ofVariant(path, variant));
      records.drop(key);
    },
  };
}

/** Splits a path at its last dot, because file names may contain dots and variants do not. */
const readKey = (key: string): { readonly path: string; readonly variant: string } => {
  const dot = key.lastIndexOf(".");
  return { path: key.slice(0, dot), variant: key.slice(dot + 1) };
};

function toServedPicture(
  row: UploadRecord,
  { path, variant, bytes, contentType }: DerivedRecord,
): ServedPicture {
  const etag = fileEtag(path).replace(/"$/, `-${variant}"`);
  const name = row.filename.replace(/\.[^.]*$/, "");
  return {
    path: derivedPath(path, variant),
    bytes,
    contentType,
    etag,
    headers: [
      ["etag", etag],
      ["accept-ranges", "bytes"],
      ["cache-control", CACHE_CONTROL[filePlaceOf(row)]],
      ["content-disposition", contentDisposition("inline", `${name}.${contentType.slice(6)}`)],
      ["x-content-type-options", "nosniff"],
      ["cross-origin-resource-policy", "cross-origin"],
    ],
  };
}
