import { createReadThrough } from "../cache.ts";
import { type Clock, timestamp } from "../clock.ts";
import { readWhole } from "../http/bounded_reader.ts";
import { disposition } from "../http/disposition.ts";
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
import { boundDerived, DERIVED, derivedAt, type DerivedRecord, removeDerived } from "./derived.ts";
import { derivedPath, fileEtag, projectOf } from "./paths.ts";
import { type PictureJob, PictureQueue } from "./picture_queue.ts";
import { type PictureSize, variantOf } from "./picture_size.ts";
import { resized } from "./resize.ts";
import type { ServedFile } from "./served_files.ts";
import type { BlobStores } from "./stores.ts";
import { findUpload, placeOf, type UploadRecord } from "./uploads.ts";

/** A size of a picture, as it is served. */
export interface ServedPicture extends ServedFile {
  /** Of its object, in the `derived` place of our own store. */
  readonly path: string;
}

/**
 * Sizes of pictures, from whichever store: made when they are first asked for, each once, and kept in
 * our own store. Those that were not asked for the longest go first. Protects the process by how
 * many are made and wait, so each has its own.
 */
export interface Pictures {
  /** The row of a confirmed file that lies in the place; null for every other path. */
  source(place: FilePlace, path: string): Promise<UploadRecord | null>;
  /**
   * Throws `PICTURE_UNUSABLE`, `FILE_NOT_FOUND` for a file that is gone, and `SERVER_BUSY`, also to a
   * client that has left. A size that all who asked for it have left is not made.
   */
  find(row: UploadRecord, size: PictureSize, asker: Asker): Promise<ServedPicture>;
  /** Its object is missing: it is made again when it is asked for. */
  lost(picture: ServedPicture): Promise<void>;
}

/** Who asks for a size. */
export interface Asker {
  /** What counts as one client. */
  readonly client: string;
  /** Aborted when the client has left. */
  readonly gone: AbortSignal;
}

/** A size that is made, or waits for it. */
interface Job extends PictureJob {
  readonly clients: string[];
  readonly work: Promise<DerivedRecord>;
  make(): Promise<void>;
  /** Ends a job that waits. */
  drop(): void;
}

export interface PictureServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly blobStores: BlobStores;
  readonly plans: Plans;
}

const SOURCES_KEPT = 5_000;
const PICTURES_KEPT = 20_000;
const USED_EVERY_MS = 3_600_000;

/** @param workers Threads that serve: they share the memory of the process. */
export function createPictures(services: PictureServices, workers: number): Pictures {
  const { engine, clock, newId, blobStores, plans } = services;
  const limits = { max: PICTURES_WAITING_MAX, shareMax: PICTURES_WAITING_SHARE_MAX };
  const [projectShares, clientShares] = [createRequestShares(limits), createRequestShares(limits)];
  const jobs = new Map<string, Job>();
  const queue = new PictureQueue<Job>();
  let isWorking = false;
  const recordsOf = (projectId: Id) => engine.records<DerivedRecord>(projectId, DERIVED);

  const sources = createReadThrough<UploadRecord>({ clock, max: SOURCES_KEPT }, async (path) => {
    const projectId = projectOf(path);
    if (projectId === null || !await isInUse(services, projectId)) return null;
    const row = await findUpload(services, projectId, path);
    return row?.state === "confirmed" ? row : null;
  });

  const known = createReadThrough<DerivedRecord>({ clock, max: PICTURES_KEPT }, async (key) => {
    const { path, variant } = readKey(key);
    const found = await recordsOf(projectOf(path)!).findOne(derivedAt(path, variant));
    return found?.value ?? null;
  });

  /** One that is asked for by many at once is made once. */
  async function made(row: UploadRecord, size: PictureSize, asker: Asker): Promise<DerivedRecord> {
    const { client, gone } = asker;
    const key = derivedPath(row.path, variantOf(size));
    const job = jobs.get(key) ?? begin(key, row, { size, client });
    job.clients.push(client);
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(new Problem("SERVER_BUSY"));
    gone.addEventListener("abort", leave);
    if (gone.aborted) leave();
    try {
      return await Promise.race([job.work, left.promise]);
    } finally {
      gone.removeEventListener("abort", leave);
      job.clients.splice(job.clients.indexOf(client), 1);
      if (job.clients.length === 0 && queue.remove(job)) job.drop();
    }
  }

  function begin(
    key: string,
    row: UploadRecord,
    { size, client }: { readonly size: PictureSize; readonly client: string },
  ): Job {
    const projectId = projectOf(row.path)!;
    projectShares.assertRoom(projectId);
    clientShares.assertRoom(client);
    const { promise, resolve, reject } = Promise.withResolvers<DerivedRecord>();
    const forget = () => jobs.get(key) === job && jobs.delete(key);
    const work = promise.finally(forget);
    work.catch(() => {}); // Those who have left do not wait for it.
    const job: Job = {
      projectId,
      clients: [],
      work,
      make: () => make(projectId, row, size).then(resolve, reject),
      drop() {
        forget(); // Who asks for it from now on needs another job.
        reject(new Problem("SERVER_BUSY"));
      },
    };
    jobs.set(key, job);
    queue.add(job);
    projectShares.count(projectId, work);
    clientShares.count(client, work);
    queueMicrotask(makeWaiting);
    return job;
  }

  /** One at a time: of several, each would take its share of the memory and be as slow. */
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
    const bytes = await resized(
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
    await note(projectId, record);
    await blobStores.internal.keep(derivedPath(path, record.variant), bytes, record.contentType);
    // Whoever removed the file could not know of what was made of it meanwhile.
    if (await findUpload(services, projectId, path) === null) {
      await removeDerived(services, projectId, path);
      throw new Problem("FILE_NOT_FOUND");
    }
    const { storageBytes } = await plans.of(projectId);
    // Anybody may ask for further sizes: there is a bound without plans, too.
    await boundDerived(services, projectId, Math.min(storageBytes, PRO_STORAGE_BYTES));
    return record;
  }

  async function sourceOf(projectId: Id, row: UploadRecord): Promise<Uint8Array> {
    if (row.bytes > PICTURE_BYTES_MAX) throw new Problem("PICTURE_UNUSABLE");
    const blobs = await blobStores.named(projectId, row.target);
    const stream = await blobs.read(placeOf(row), row.path);
    if (stream === null) throw new Problem("FILE_NOT_FOUND");
    return await readWhole(stream as ReadableStream<Uint8Array<ArrayBuffer>>, {
      bytesMax: PICTURE_BYTES_MAX,
    });
  }

  async function note(projectId: Id, record: DerivedRecord): Promise<void> {
    const { path, variant, bytes } = record;
    try {
      await recordsOf(projectId).upsert(derivedAt(path, variant), { set: { bytes } }, record);
    } catch (error) {
      // Another process has made the same in this very moment.
      if (!(error instanceof UniqueViolation)) throw error;
    }
  }

  async function used({ path, variant, usedAt }: DerivedRecord): Promise<void> {
    if (clock.now() - Date.parse(usedAt) < USED_EVERY_MS) return;
    const change = { set: { usedAt: timestamp(clock) } };
    await recordsOf(projectOf(path)!).updateOne(derivedAt(path, variant), change);
    known.drop(derivedPath(path, variant));
  }

  return {
    async source(place, path) {
      const row = await sources.get(path);
      return row !== null && placeOf(row) === place ? row : null;
    },
    async find(row, size, asker) {
      const record = await known.get(derivedPath(row.path, variantOf(size)));
      if (record === null) return servedAs(row, await made(row, size, asker));
      await used(record);
      return servedAs(row, record);
    },
    async lost({ path: key }) {
      const { path, variant } = readKey(key);
      await recordsOf(projectOf(path)!).deleteOne(derivedAt(path, variant));
      known.drop(key);
    },
  };
}

/** Names may have dots in them, variants have none. */
const readKey = (key: string): { readonly path: string; readonly variant: string } => {
  const dot = key.lastIndexOf(".");
  return { path: key.slice(0, dot), variant: key.slice(dot + 1) };
};

function servedAs(
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
      ["cache-control", CACHE_CONTROL[placeOf(row)]],
      ["content-disposition", disposition("inline", `${name}.${contentType.slice(6)}`)],
      ["x-content-type-options", "nosniff"],
      ["cross-origin-resource-policy", "cross-origin"],
    ],
  };
}
