import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import {
  type BlobPlace,
  type BlobStat,
  BlobsUnavailable,
  type FilePlace,
  type PiecedUpload,
  type Pieces,
  PiecesLost,
  type PieceWriter,
  PUBLISH_MS,
  type RecordedProgress,
} from "../blobs.ts";
import { piecesPath } from "../paths.ts";
import { CALL_MS, dueIn, type S3Calls } from "./calls.ts";
import { statusOf } from "./failures.ts";

/** Minimum length of a part that stores accept, except for the last part. */
const PART_BYTES_MIN = 5_242_880;
const PARTS_MAX = 10_000;

/** Maximum number of buffers, of 5 MiB each, that are kept for later uploads. */
const FREE_MAX = 12;

/** Time limit for sending a complete part, in milliseconds. */
const PART_WITHIN_MS = 60_000;
const PART_TRY_MS = 28_000;
const JOIN_WITHIN_MS = PUBLISH_MS - 500;
const JOIN_TRY_MS = 20_000;

export interface ObjectHeaders {
  readonly ContentType: string;
  readonly CacheControl: string;
  readonly ContentDisposition?: string;
}

interface S3PiecesOptions {
  readonly calls: S3Calls;
  readonly keyOf: (place: BlobPlace, path: string) => string;
  readonly describe: (contentType: string, place: FilePlace) => ObjectHeaders;
  readonly stat: (place: BlobPlace, path: string) => Promise<BlobStat | null>;
}

/** Returns the length of all parts of an upload except for the last one, in bytes. */
const partBytesOf = ({ bytes }: PiecedUpload): number =>
  Math.max(PART_BYTES_MIN, Math.ceil(bytes / PARTS_MAX));

/** Returns the number of arrived bytes that do not fill a part yet. */
const restOf = (upload: PiecedUpload, arrived: number): number =>
  arrived === upload.bytes ? 0 : arrived % partBytesOf(upload);

/** Returns the number of the part, from 1, that the byte at an offset belongs to. */
const partNumberAt = (upload: PiecedUpload, offset: number): number =>
  Math.floor(offset / partBytesOf(upload)) + 1;

/** Number of the part in the metadata of its rest, because a frozen process may write late. */
const PART_METADATA = "part";

const isOfPart = ({ Metadata }: { Metadata?: Record<string, string> | undefined }, part: number) =>
  Metadata?.[PART_METADATA] === String(part);

/**
 * A multipart upload to the final key. The rest, which fills no part, is an object under
 * `_incoming/_parts/`. It exists from the beginning, so listing these objects finds every upload.
 */
export class S3Pieces implements Pieces {
  readonly #options: S3PiecesOptions;

  constructor(options: S3PiecesOptions) {
    this.#options = options;
  }

  async begin({ path, contentType, place }: PiecedUpload): Promise<string> {
    const { calls, describe } = this.#options;
    await this.#putRest(path, { part: 1, bytes: new Uint8Array() });
    const command = new CreateMultipartUploadCommand({
      ...this.#object(place, path),
      ...describe(contentType, place),
    });
    const created = await calls.send(dueIn(CALL_MS), (client, o) => client.send(command, o));
    if (created?.UploadId === undefined) {
      throw new BlobsUnavailable(`${calls.name} accepts no multipart uploads`);
    }
    return created.UploadId;
  }

  /** Checks only the rest object. A missing part is noticed by the next write or join. */
  async countArrived(upload: PiecedUpload, { arrived }: RecordedProgress): Promise<number> {
    const rest = restOf(upload, arrived);
    if (rest === 0) return arrived;
    const command = new HeadObjectCommand(this.#object("partial", piecesPath(upload.path)));
    const { calls } = this.#options;
    const stored = await calls.send(dueIn(CALL_MS), (client, o) => client.send(command, o));
    const isThere = stored !== null && isOfPart(stored, partNumberAt(upload, arrived)) &&
      stored.ContentLength! >= rest;
    return isThere ? arrived : arrived - rest;
  }

  async resume(
    upload: PiecedUpload,
    { name, arrived }: RecordedProgress,
    reserveMemory: (bytes: number) => void = () => {},
  ): Promise<PieceWriter> {
    const rest = restOf(upload, arrived);
    reserveMemory(Math.min(partBytesOf(upload), upload.bytes - arrived + rest));
    const writer = new PartWriter(upload, arrived, {
      put: (part, bytes) => this.#putPart(upload, name, { part, bytes }),
      putRest: (part, bytes) => this.#putRest(upload.path, { part, bytes }),
    });
    if (rest > 0) writer.refill(await this.#rest(upload, arrived));
    return writer;
  }

  async join(upload: PiecedUpload, name: string): Promise<BlobStat | null> {
    const { path, place } = upload;
    const { calls, stat } = this.#options;
    if (upload.bytes === 0) return await this.#putEmpty(upload);
    const target = { ...this.#object(place, path), UploadId: name };
    const deadline = dueIn(JOIN_WITHIN_MS);
    const Parts: CompletedPart[] = [];
    let PartNumberMarker: string | undefined;
    do {
      const command = new ListPartsCommand({ ...target, PartNumberMarker });
      const page = await calls.send(deadline, (client, o) => client.send(command, o));
      if (page === null) return null;
      Parts.push(...(page.Parts ?? []).map(({ PartNumber, ETag }) => ({ PartNumber, ETag })));
      PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (PartNumberMarker !== undefined);
    const command = new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts } });
    const joined = await calls.send(deadline, (client, o) => client.send(command, o), JOIN_TRY_MS);
    return joined && await stat(place, path);
  }

  /** Writes an empty object, because stores do not complete an upload without parts. */
  async #putEmpty({ path, place, contentType }: PiecedUpload): Promise<BlobStat | null> {
    const { calls, describe, stat } = this.#options;
    const command = new PutObjectCommand({
      ...this.#object(place, path),
      Body: new Uint8Array(),
      ...describe(contentType, place),
    });
    await calls.send(dueIn(CALL_MS), (client, o) => client.send(command, o));
    return await stat(place, path);
  }

  async remove(path: string): Promise<void> {
    const { calls, stat } = this.#options;
    // An upload that has never begun costs only this request.
    if (await stat("partial", piecesPath(path)) === null) return;
    for (const place of ["stored", "private"] as const) {
      const { Bucket, Key } = this.#object(place, path);
      const list = new ListMultipartUploadsCommand({ Bucket, Prefix: Key });
      const found = await calls.send(dueIn(CALL_MS), (client, o) => client.send(list, o));
      for (const upload of found?.Uploads ?? []) {
        if (upload.Key !== Key) continue;
        const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId: upload.UploadId });
        await calls.send(dueIn(CALL_MS), (client, o) => client.send(abort, o));
      }
    }
    const rest = new DeleteObjectCommand(this.#object("partial", piecesPath(path)));
    await calls.send(dueIn(CALL_MS), (client, o) => client.send(rest, o));
  }

  /** Sends a part. If the connection fails, checks whether the store still has the upload. */
  async #putPart(
    { path, place }: PiecedUpload,
    UploadId: string,
    { part: PartNumber, bytes: Body }: { part: number; bytes: Uint8Array },
  ): Promise<void> {
    const { calls } = this.#options;
    const upload = { ...this.#object(place, path), UploadId };
    const command = new UploadPartCommand({ ...upload, PartNumber, Body });
    const deadline = dueIn(PART_WITHIN_MS);
    try {
      const put = await calls.send(deadline, (client, o) => client.send(command, o), PART_TRY_MS);
      if (put === null) throw new PiecesLost();
    } catch (error) {
      if (!(error instanceof BlobsUnavailable) || statusOf(error.cause) !== undefined) throw error;
      const list = new ListPartsCommand({ ...upload, MaxParts: 1 });
      const known = await calls.send(dueIn(CALL_MS), (client, o) => client.send(list, o));
      throw known === null ? new PiecesLost() : error;
    }
  }

  async #putRest(
    path: string,
    { part, bytes: Body }: { part: number; bytes: Uint8Array },
  ): Promise<void> {
    const { calls } = this.#options;
    const command = new PutObjectCommand({
      ...this.#object("partial", piecesPath(path)),
      Body,
      ContentType: "application/octet-stream",
      Metadata: { [PART_METADATA]: String(part) },
    });
    const deadline = dueIn(PART_WITHIN_MS);
    const stored = await calls.send(deadline, (client, o) => client.send(command, o), PART_TRY_MS);
    if (stored === null) throw new BlobsUnavailable(`${calls.name} does not store objects`);
  }

  async #rest(upload: PiecedUpload, arrived: number): Promise<Uint8Array> {
    const bytes = restOf(upload, arrived);
    const command = new GetObjectCommand({
      ...this.#object("partial", piecesPath(upload.path)),
      Range: `bytes=0-${bytes - 1}`,
    });
    const { calls } = this.#options;
    const rest = await calls.send(dueIn(PART_WITHIN_MS), async (client, o) => {
      const stored = await client.send(command, o);
      const body = await stored.Body?.transformToByteArray();
      return isOfPart(stored, partNumberAt(upload, arrived)) ? body : undefined;
    }, PART_TRY_MS);
    if (rest?.length !== bytes) throw new PiecesLost();
    return rest;
  }

  #object(place: BlobPlace, path: string): { Bucket: string; Key: string } {
    const { calls, keyOf } = this.#options;
    return { Bucket: calls.bucket, Key: keyOf(place, path) };
  }
}

/** Unused buffers of the usual length for all buckets, since dropped ones are freed too late. */
const freeBuffers: Uint8Array[] = [];

const takeBuffer = (bytes: number): Uint8Array =>
  (bytes === PART_BYTES_MIN ? freeBuffers.pop() : undefined) ?? new Uint8Array(bytes);

function giveBuffer(buffer: Uint8Array): void {
  if (buffer.length === PART_BYTES_MIN && freeBuffers.length < FREE_MAX) freeBuffers.push(buffer);
}

interface PartSink {
  put(part: number, bytes: Uint8Array): Promise<void>;
  putRest(part: number, bytes: Uint8Array): Promise<void>;
}

/** Collects the bytes of one part in memory and sends complete parts. */
class PartWriter implements PieceWriter {
  readonly #upload: PiecedUpload;
  readonly #sink: PartSink;
  readonly #buffer: Uint8Array;
  /** Number of bytes in complete parts in the store. */
  #storedBytes: number;
  #filled = 0;
  #safeBytes: number;
  /** Whether the buffer can be reused: an aborted call may still be sending it. */
  #isReusable = true;

  constructor(upload: PiecedUpload, arrived: number, sink: PartSink) {
    this.#upload = upload;
    this.#sink = sink;
    this.#storedBytes = arrived - restOf(upload, arrived);
    this.#safeBytes = arrived;
    this.#buffer = takeBuffer(Math.min(partBytesOf(upload), upload.bytes - this.#storedBytes));
  }

  get safeBytes(): number {
    return this.#safeBytes;
  }

  /** Puts the rest of an earlier request into the buffer. */
  refill(rest: Uint8Array): void {
    this.#buffer.set(rest);
    this.#filled = rest.length;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const partBytes = this.#partBytes;
      const added = bytes.subarray(at, at + partBytes - this.#filled);
      this.#buffer.set(added, this.#filled);
      this.#filled += added.length;
      at += added.length;
      if (this.#filled === partBytes) await this.#put();
    }
  }

  get #partBytes(): number {
    return Math.min(this.#buffer.length, this.#upload.bytes - this.#storedBytes);
  }

  get #partNumber(): number {
    return partNumberAt(this.#upload, this.#storedBytes);
  }

  async #put(): Promise<void> {
    this.#isReusable = false;
    await this.#sink.put(this.#partNumber, this.#buffer.subarray(0, this.#filled));
    this.#isReusable = true;
    this.#storedBytes += this.#filled;
    this.#filled = 0;
    this.#safeBytes = this.#storedBytes;
  }

  /** Records the safe bytes before it overwrites the rest object, on which the progress depends. */
  async flush(record: () => Promise<unknown>): Promise<void> {
    if (this.#filled === 0 || this.#filled === this.#partBytes) return;
    await record();
    this.#isReusable = false;
    await this.#sink.putRest(this.#partNumber, this.#buffer.subarray(0, this.#filled));
    this.#isReusable = true;
    this.#safeBytes = this.#storedBytes + this.#filled;
  }

  // deno-lint-ignore require-await -- The interface is async.
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isReusable) giveBuffer(this.#buffer);
  }
}
