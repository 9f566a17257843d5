import pLimit from "p-limit";
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
  /** Throws `PICTURE_UNUSABLE`, `SERVER_BUSY`, and `FILE_NOT_FOUND` for a file that is gone. */
  find(row: UploadRecord, size: PictureSize): Promise<ServedPicture>;
  /** Its object is missing: it is made again when it is asked for. */
  lost(picture: ServedPicture): Promise<void>;
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
  // Of several, each would take its share of the memory and be as slow.
  const turn = pLimit(1);
  const shares = createRequestShares({
    max: PICTURES_WAITING_MAX,
    shareMax: PICTURES_WAITING_SHARE_MAX,
  });
  const making = new Map<string, Promise<DerivedRecord>>();
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
  function made(row: UploadRecord, size: PictureSize): Promise<DerivedRecord> {
    const key = derivedPath(row.path, variantOf(size));
    let work = making.get(key);
    if (work === undefined) {
      const projectId = projectOf(row.path)!;
      shares.assertRoom(projectId);
      work = turn(() => make(projectId, row, size)).finally(() => making.delete(key));
      making.set(key, work);
      shares.count(projectId, work);
    }
    return work;
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
    async find(row, size) {
      const record = await known.get(derivedPath(row.path, variantOf(size)));
      if (record === null) return servedAs(row, await made(row, size));
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
