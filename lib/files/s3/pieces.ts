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
  type Begun,
  type BlobStat,
  BlobsUnavailable,
  type FilePlace,
  type PiecedUpload,
  type Pieces,
  PiecesLost,
  type PieceWriter,
  type Place,
  PUBLISH_MS,
} from "../blobs.ts";
import { piecesPath } from "../paths.ts";
import { CALL_MS, type S3Calls, within } from "./calls.ts";
import { statusOf } from "./failures.ts";

/** The least that stores take, but for the last part. */
const PART_BYTES_MIN = 5_242_880;
/** The most that stores take. */
const PARTS_MAX = 10_000;

/** Buffers that are kept for the next uploads, of 5 MiB each. */
const FREE_MAX = 12;

/** A part goes over the network as a whole. */
const PART_WITHIN_MS = 60_000;
const PART_ATTEMPT_MS = 28_000;
const JOIN_WITHIN_MS = PUBLISH_MS - 500;
const JOIN_ATTEMPT_MS = 20_000;

/** How an object is served. */
export interface Description {
  readonly ContentType: string;
  readonly CacheControl: string;
  readonly ContentDisposition?: string;
}

interface S3PiecesOptions {
  readonly calls: S3Calls;
  readonly keyOf: (place: Place, path: string) => string;
  readonly describe: (contentType: string, place: FilePlace) => Description;
  readonly stat: (place: Place, path: string) => Promise<BlobStat | null>;
}

/** All parts of an upload are of the same length, but for the last one. */
const partBytesOf = ({ bytes }: PiecedUpload): number =>
  Math.max(PART_BYTES_MIN, Math.ceil(bytes / PARTS_MAX));

/** Of so many bytes, those that are no whole part so far. */
const restOf = (upload: PiecedUpload, arrived: number): number =>
  arrived === upload.bytes ? 0 : arrived % partBytesOf(upload);

/** From 1 on, which part the byte at a place belongs to. */
const partAt = (upload: PiecedUpload, place: number): number =>
  Math.floor(place / partBytesOf(upload)) + 1;

/** What an object with the rest of a part says of itself: a process that froze may write it late. */
const PART = "part";

const isOfPart = ({ Metadata }: { Metadata?: Record<string, string> | undefined }, part: number) =>
  Metadata?.[PART] === String(part);

/**
 * An upload in pieces is a multipart upload to where the file will lie: until it is completed nothing
 * of it is there. What is less than a part lies under `_incoming/_parts/`, as an object that is there
 * from the beginning, so that whoever lists those finds every upload.
 */
export class S3Pieces implements Pieces {
  readonly #options: S3PiecesOptions;

  constructor(options: S3PiecesOptions) {
    this.#options = options;
  }

  async begin({ path, contentType, place }: PiecedUpload): Promise<string> {
    const { calls, describe } = this.#options;
    await this.#keepRest(path, { part: 1, bytes: new Uint8Array() });
    const command = new CreateMultipartUploadCommand({
      ...this.#object(place, path),
      ...describe(contentType, place),
    });
    const begun = await calls.ask(within(CALL_MS), (client, o) => client.send(command, o));
    if (begun?.UploadId === undefined) {
      throw new BlobsUnavailable(`${calls.name} takes no upload in parts`);
    }
    return begun.UploadId;
  }

  /** Parts that are there are not looked for: whoever misses one finds out. */
  async arrived(upload: PiecedUpload, { arrived }: Begun): Promise<number> {
    const rest = restOf(upload, arrived);
    if (rest === 0) return arrived;
    const command = new HeadObjectCommand(this.#object("partial", piecesPath(upload.path)));
    const { calls } = this.#options;
    const kept = await calls.ask(within(CALL_MS), (client, o) => client.send(command, o));
    const isThere = kept !== null && isOfPart(kept, partAt(upload, arrived)) &&
      kept.ContentLength! >= rest;
    return isThere ? arrived : arrived - rest;
  }

  async goOn(
    upload: PiecedUpload,
    { name, arrived }: Begun,
    hold: (bytes: number) => void = () => {},
  ): Promise<PieceWriter> {
    const rest = restOf(upload, arrived);
    hold(Math.min(partBytesOf(upload), upload.bytes - arrived + rest));
    const writer = new PartWriter(upload, arrived, {
      put: (part, bytes) => this.#putPart(upload, name, { part, bytes }),
      keepRest: (part, bytes) => this.#keepRest(upload.path, { part, bytes }),
    });
    if (rest > 0) writer.refill(await this.#rest(upload, arrived));
    return writer;
  }

  async join(whole: PiecedUpload, name: string): Promise<BlobStat | null> {
    const { path, place } = whole;
    const { calls, stat } = this.#options;
    if (whole.bytes === 0) return await this.#putEmpty(whole);
    const upload = { ...this.#object(place, path), UploadId: name };
    const by = within(JOIN_WITHIN_MS);
    const Parts: CompletedPart[] = [];
    let PartNumberMarker: string | undefined;
    do {
      const command = new ListPartsCommand({ ...upload, PartNumberMarker });
      const page = await calls.ask(by, (client, o) => client.send(command, o));
      if (page === null) return null;
      Parts.push(...(page.Parts ?? []).map(({ PartNumber, ETag }) => ({ PartNumber, ETag })));
      PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (PartNumberMarker !== undefined);
    const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    const joined = await calls.ask(by, (client, o) => client.send(command, o), JOIN_ATTEMPT_MS);
    return joined && await stat(place, path);
  }

  /** Stores complete no upload without a part. */
  async #putEmpty({ path, place, contentType }: PiecedUpload): Promise<BlobStat | null> {
    const { calls, describe, stat } = this.#options;
    const command = new PutObjectCommand({
      ...this.#object(place, path),
      Body: new Uint8Array(),
      ...describe(contentType, place),
    });
    await calls.ask(within(CALL_MS), (client, o) => client.send(command, o));
    return await stat(place, path);
  }

  async remove(path: string): Promise<void> {
    const { calls, stat } = this.#options;
    // What was never begun costs no more than this question.
    if (await stat("partial", piecesPath(path)) === null) return;
    for (const place of ["stored", "private"] as const) {
      const { Bucket, Key } = this.#object(place, path);
      const list = new ListMultipartUploadsCommand({ Bucket, Prefix: Key });
      const found = await calls.ask(within(CALL_MS), (client, o) => client.send(list, o));
      for (const upload of found?.Uploads ?? []) {
        if (upload.Key !== Key) continue;
        const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId: upload.UploadId });
        await calls.ask(within(CALL_MS), (client, o) => client.send(abort, o));
      }
    }
    const rest = new DeleteObjectCommand(this.#object("partial", piecesPath(path)));
    await calls.ask(within(CALL_MS), (client, o) => client.send(rest, o));
  }

  /** Stores that know no such upload may close the connection before they have said so. */
  async #putPart(
    { path, place }: PiecedUpload,
    UploadId: string,
    { part: PartNumber, bytes: Body }: { part: number; bytes: Uint8Array },
  ): Promise<void> {
    const { calls } = this.#options;
    const upload = { ...this.#object(place, path), UploadId };
    const command = new UploadPartCommand({ ...upload, PartNumber, Body });
    const by = within(PART_WITHIN_MS);
    try {
      const put = await calls.ask(by, (client, o) => client.send(command, o), PART_ATTEMPT_MS);
      if (put === null) throw new PiecesLost();
    } catch (error) {
      if (!(error instanceof BlobsUnavailable) || statusOf(error.cause) !== undefined) throw error;
      const list = new ListPartsCommand({ ...upload, MaxParts: 1 });
      const known = await calls.ask(within(CALL_MS), (client, o) => client.send(list, o));
      throw known === null ? new PiecesLost() : error;
    }
  }

  async #keepRest(
    path: string,
    { part, bytes: Body }: { part: number; bytes: Uint8Array },
  ): Promise<void> {
    const { calls } = this.#options;
    const command = new PutObjectCommand({
      ...this.#object("partial", piecesPath(path)),
      Body,
      ContentType: "application/octet-stream",
      Metadata: { [PART]: String(part) },
    });
    const by = within(PART_WITHIN_MS);
    const kept = await calls.ask(by, (client, o) => client.send(command, o), PART_ATTEMPT_MS);
    if (kept === null) throw new BlobsUnavailable(`${calls.name} does not keep what is put there`);
  }

  async #rest(upload: PiecedUpload, arrived: number): Promise<Uint8Array> {
    const bytes = restOf(upload, arrived);
    const command = new GetObjectCommand({
      ...this.#object("partial", piecesPath(upload.path)),
      Range: `bytes=0-${bytes - 1}`,
    });
    const { calls } = this.#options;
    const rest = await calls.ask(within(PART_WITHIN_MS), async (client, o) => {
      const kept = await client.send(command, o);
      const body = await kept.Body?.transformToByteArray();
      return isOfPart(kept, partAt(upload, arrived)) ? body : undefined;
    }, PART_ATTEMPT_MS);
    if (rest?.length !== bytes) throw new PiecesLost();
    return rest;
  }

  #object(place: Place, path: string): { Bucket: string; Key: string } {
    const { calls, keyOf } = this.#options;
    return { Bucket: calls.bucket, Key: keyOf(place, path) };
  }
}

/**
 * Buffers of the usual length that are free, of the uploads into whatever bucket: of those that are
 * thrown away most are collected late, and twelve uploads at once took twice the memory.
 */
const free: Uint8Array[] = [];

const takeBuffer = (bytes: number): Uint8Array =>
  (bytes === PART_BYTES_MIN ? free.pop() : undefined) ?? new Uint8Array(bytes);

function giveBuffer(buffer: Uint8Array): void {
  if (buffer.length === PART_BYTES_MIN && free.length < FREE_MAX) free.push(buffer);
}

interface PartSink {
  put(part: number, bytes: Uint8Array): Promise<void>;
  keepRest(part: number, bytes: Uint8Array): Promise<void>;
}

/** Holds one part in memory. */
class PartWriter implements PieceWriter {
  readonly #upload: PiecedUpload;
  readonly #sink: PartSink;
  readonly #buffer: Uint8Array;
  /** Bytes of whole parts that are there. */
  #parts: number;
  #filled = 0;
  #safe: number;
  /** Whether nothing of the buffer may be on its way still, as after a call that was given up. */
  #isSent = true;

  constructor(upload: PiecedUpload, arrived: number, sink: PartSink) {
    this.#upload = upload;
    this.#sink = sink;
    this.#parts = arrived - restOf(upload, arrived);
    this.#safe = arrived;
    this.#buffer = takeBuffer(Math.min(partBytesOf(upload), upload.bytes - this.#parts));
  }

  get safe(): number {
    return this.#safe;
  }

  /** Takes in what of a part had arrived before. */
  refill(rest: Uint8Array): void {
    this.#buffer.set(rest);
    this.#filled = rest.length;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const whole = this.#whole;
      const taken = bytes.subarray(at, at + whole - this.#filled);
      this.#buffer.set(taken, this.#filled);
      this.#filled += taken.length;
      at += taken.length;
      if (this.#filled === whole) await this.#put();
    }
  }

  /** How long the part will be. */
  get #whole(): number {
    return Math.min(this.#buffer.length, this.#upload.bytes - this.#parts);
  }

  get #part(): number {
    return partAt(this.#upload, this.#parts);
  }

  async #put(): Promise<void> {
    this.#isSent = false;
    await this.#sink.put(this.#part, this.#buffer.subarray(0, this.#filled));
    this.#isSent = true;
    this.#parts += this.#filled;
    this.#filled = 0;
    this.#safe = this.#parts;
  }

  /**
   * What is kept of a part is written over only once nothing that is noted rests on it. A whole part
   * that the store has refused is no rest.
   */
  async keep(note: () => Promise<unknown>): Promise<void> {
    if (this.#filled === 0 || this.#filled === this.#whole) return;
    await note();
    this.#isSent = false;
    await this.#sink.keepRest(this.#part, this.#buffer.subarray(0, this.#filled));
    this.#isSent = true;
    this.#safe = this.#parts + this.#filled;
  }

  // deno-lint-ignore require-await -- Disposed like others.
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isSent) giveBuffer(this.#buffer);
  }
}
