import { Buffer } from "node:buffer";
import {
  type _Object as S3Object,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { type Clock, systemClock } from "../../clock.ts";
import { UPLOAD_URL_MS } from "../../limits.ts";
import { isShownInline, servedTypeOf } from "../active_types.ts";
import {
  BLOB_CALL_MS,
  type BlobPage,
  type BlobPlace,
  type Blobs,
  type BlobStat,
  BlobsUnavailable,
  CACHE_CONTROL,
  type FilePlace,
  type ListedBlob,
  PREFIXES,
  PUBLISH_MS,
  type ReadGrant,
  type UploadGrant,
} from "../blobs.ts";
import type { ByteRange } from "../../http/ranges.ts";
import { boundedStream } from "../../http/bounded_reader.ts";
import { isPathOf, isPiecesPath, uploadOf } from "../paths.ts";
import { boundAnswers } from "./bounded_answers.ts";
import { createClient, type S3Options } from "./client.ts";
import { CALL_MS, dueIn, S3Calls } from "./calls.ts";
import { type ObjectHeaders, S3Pieces } from "./pieces.ts";

const PUBLISH_WITHIN_MS = PUBLISH_MS - 500;
const COPY_TRY_MS = 20_000;
/** Milliseconds that a stream of an object may wait for its next bytes. */
const IDLE_MS = BLOB_CALL_MS;
/** Maximum number of tries, because a staged object may be replaced while it is copied. */
const COPIES_MAX = 3;

/** A key after all keys of the other places and before the project ids that follow them. */
const AFTER_HIDDEN = "_private0";
const PREFIX = /^(?:[0-9a-f]{24}\/)?$/;

/** Objects in one bucket, with the rest of resumable uploads under `_incoming/_parts/`. */
export class S3Blobs implements Blobs {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #publicUrl: string | null;
  readonly #sharesHost: boolean;
  readonly #clock: Clock;
  readonly #ownsAgents: boolean;
  readonly #calls: S3Calls;
  readonly pieces: S3Pieces;

  constructor(options: S3Options) {
    const { endpoint, region, bucket, publicUrl, agents, clock = systemClock } = options;
    this.#bucket = bucket;
    this.#publicUrl = publicUrl;
    this.#sharesHost = options.sharesHost ?? false;
    this.#clock = clock;
    this.#ownsAgents = agents === undefined;
    this.#client = createClient(options);
    boundAnswers(this.#client);
    const name = `The bucket "${bucket}" at ${endpoint ?? `AWS in ${region}`}`;
    this.#calls = new S3Calls(this.#client, { bucket, name });
    this.pieces = new S3Pieces({
      calls: this.#calls,
      keyOf: keyOf,
      describe: (contentType, place) => this.#headersOf(contentType, place),
      stat: (place, path) => this.stat(place, path),
    });
  }

  async signUpload({ path, bytes, contentType, expiresAt }: UploadGrant): Promise<string> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: keyOf("staged", path),
      ContentType: contentType,
      ContentLength: bytes,
    });
    return await getSignedUrl(this.#client, command, {
      ...this.#until(expiresAt, UPLOAD_URL_MS),
      signableHeaders: new Set(["content-type", "content-length"]),
    });
  }

  async signReading({ place, path, expiresAt }: ReadGrant): Promise<string> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: keyOf(place, path) });
    return await getSignedUrl(this.#client, command, this.#until(expiresAt, 0));
  }

  /** Ends the signature at `expiresAt` by its signing date, because stores count in seconds. */
  #until(expiresAt: number, leastMs: number) {
    const left = expiresAt - this.#clock.now();
    const lifeMs = Math.max(leastMs, left, 1000);
    return {
      signingDate: new Date(Date.now() + left - lifeMs),
      expiresIn: Math.floor(lifeMs / 1000),
    };
  }

  async stat(place: BlobPlace, path: string): Promise<BlobStat | null> {
    const found = await this.#head(place, path, dueIn(CALL_MS));
    return found && { bytes: found.bytes };
  }

  async read(
    place: BlobPlace,
    path: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array> | null> {
    // HTTP has no empty ranges.
    if (range?.length === 0) return await this.stat(place, path) && emptyStream();
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: keyOf(place, path),
      ...(range && { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
    });
    const answer = await this.#calls.send(dueIn(CALL_MS), (client, o) => client.send(command, o));
    const body = answer?.Body?.transformToWebStream();
    return body === undefined ? null : boundedStream(body, { stallMs: IDLE_MS });
  }

  publish(
    path: string,
    contentType: string,
    place: FilePlace = "stored",
  ): Promise<BlobStat | null> {
    return this.#put(path, contentType, { from: "staged", to: place });
  }

  copy(path: string, contentType: string, place: FilePlace): Promise<BlobStat | null> {
    return this.#put(path, contentType, {
      from: place === "stored" ? "private" : "stored",
      to: place,
    });
  }

  async #put(path: string, contentType: string, route: CopyRoute): Promise<BlobStat | null> {
    const deadline = dueIn(PUBLISH_WITHIN_MS);
    for (let tries = 1; tries <= COPIES_MAX; tries++) {
      const found = await this.#head(route.from, path, deadline);
      if (found === null) return null;
      if (!await this.#copy(path, found.etag, { ...route, contentType }, deadline)) continue;
      const put = await this.#head(route.to, path, deadline);
      return put && { bytes: put.bytes };
    }
    throw new BlobsUnavailable(
      `${this.#calls.name} receives other bytes whenever an upload is published`,
    );
  }

  async putDerived(
    path: string,
    bytes: Uint8Array<ArrayBuffer>,
    contentType: string,
  ): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: keyOf("derived", path),
      Body: bytes,
      ContentType: contentType,
    });
    const stored = await this.#calls.send(dueIn(CALL_MS), (client, o) => client.send(command, o));
    if (stored === null) {
      throw new BlobsUnavailable(`${this.#calls.name} does not store objects`);
    }
  }

  async remove(place: BlobPlace, path: string): Promise<void> {
    if (place === "partial" && isPiecesPath(path)) return await this.pieces.remove(uploadOf(path));
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: keyOf(place, path) });
    await this.#calls.send(dueIn(CALL_MS), (client, o) => client.send(command, o));
  }

  async list(
    place: BlobPlace,
    { prefix, after, limit }: { prefix: string; after: string | null; limit: number },
  ): Promise<BlobPage> {
    if (!PREFIX.test(prefix)) throw new TypeError(`Not a prefix of the port: ${prefix}`);
    const folder = PREFIXES[place];
    const deadline = dueIn(CALL_MS);
    const page = (startAfter: string | null) =>
      this.#page(deadline, `${folder}${prefix}`, startAfter, limit);
    let answer = await page(after === null ? null : `${folder}${after}`);
    // In a list of all projects, the keys of other places come between those of projects.
    if (place === "stored" && answer.Contents?.every(({ Key = "" }) => isHidden(Key))) {
      if (answer.IsTruncated) answer = await page(AFTER_HIDDEN);
    }
    const objects = answer.Contents ?? [];
    this.#assertForward(objects, `${folder}${prefix}`, after === null ? "" : `${folder}${after}`);
    const last = objects.at(-1)?.Key?.slice(folder.length) ?? null;
    return {
      blobs: objects.flatMap((o) => toListedBlobs(o, place)),
      next: answer.IsTruncated ? last : null,
    };
  }

  publicUrl(path: string): string | null {
    return this.#publicUrl && `${this.#publicUrl}/${keyOf("stored", path)}`;
  }

  /** Also checks that a missing object is reported as missing, which needs permission to list. */
  async ping(): Promise<void> {
    const deadline = dueIn(CALL_MS);
    await this.#page(deadline, PREFIXES.staged, null, 1);
    const Key = `${PREFIXES.staged}probe-${crypto.randomUUID()}`;
    const probe = new HeadObjectCommand({ Bucket: this.#bucket, Key });
    if (await this.#calls.send(deadline, (client, o) => client.send(probe, o)) === null) return;
    throw new BlobsUnavailable(
      `${this.#calls.name} cannot be used: the server there reports every object as existing, ` +
        "so it is not an S3 server: correct the endpoint",
    );
  }

  // deno-lint-ignore require-await -- The port is async.
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ownsAgents) this.#client.destroy();
  }

  async #head(
    place: BlobPlace,
    path: string,
    deadline: number,
  ): Promise<{ bytes: number; etag: string | undefined } | null> {
    const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: keyOf(place, path) });
    const found = await this.#calls.send(deadline, (client, o) => client.send(command, o));
    return found && { bytes: found.ContentLength ?? 0, etag: found.ETag };
  }

  /** Copies an object; false if it has changed or is missing. */
  async #copy(
    path: string,
    etag: string | undefined,
    { from, to, contentType }: CopyRoute & { readonly contentType: string },
    deadline: number,
  ): Promise<boolean> {
    const command = new CopyObjectCommand({
      Bucket: this.#bucket,
      Key: keyOf(to, path),
      CopySource: `${this.#bucket}/${keyOf(from, path)}`,
      CopySourceIfMatch: etag,
      // Drops the metadata that the upload request has set.
      MetadataDirective: "REPLACE",
      ...this.#headersOf(contentType, to),
    });
    const copied = await this.#calls.send(
      deadline,
      (client, o) => client.send(command, o),
      COPY_TRY_MS,
    );
    return copied !== null;
  }

  #headersOf(contentType: string, place: FilePlace): ObjectHeaders {
    const type = servedTypeOf(contentType);
    return {
      ContentType: type,
      CacheControl: CACHE_CONTROL[place],
      ...(!isShownInline(type, this.#sharesHost) && { ContentDisposition: "attachment" }),
    };
  }

  /** Throws if a list does not advance, so that a walk ends even if the store is faulty. */
  #assertForward(objects: readonly S3Object[], prefix: string, after: string): void {
    let before = Buffer.from(after);
    for (const { Key = "" } of objects) {
      const key = Buffer.from(Key);
      if (!Key.startsWith(prefix) || key.compare(before) <= 0) {
        throw new BlobsUnavailable(`${this.#calls.name} lists other objects than requested`);
      }
      before = key;
    }
  }

  async #page(
    deadline: number,
    prefix: string,
    startAfter: string | null,
    limit: number,
  ): Promise<ListObjectsV2CommandOutput> {
    const command = new ListObjectsV2Command({
      Bucket: this.#bucket,
      Prefix: prefix,
      MaxKeys: limit,
      ...(startAfter !== null && { StartAfter: startAfter }),
    });
    const answer = await this.#calls.send(deadline, (client, o) => client.send(command, o));
    if (answer === null) {
      throw new BlobsUnavailable(`${this.#calls.name} does not list its objects`);
    }
    return answer;
  }
}

/** Opens a bucket without a request. {@linkcode S3Blobs.ping} checks whether it can be used. */
export const openS3Blobs = (options: S3Options): S3Blobs => new S3Blobs(options);

interface CopyRoute {
  readonly from: Exclude<BlobPlace, "partial" | "derived">;
  readonly to: FilePlace;
}

/** Returns the key of an object. Throws if the path does not have the form of the place. */
function keyOf(place: BlobPlace, path: string): string {
  if (!isPathOf(place, path)) throw new TypeError(`Not a path of the port: ${path}`);
  return `${PREFIXES[place]}${path}`;
}

const isHidden = (key: string): boolean =>
  [PREFIXES.staged, PREFIXES.private, PREFIXES.derived].some((folder) => key.startsWith(folder));

/** Returns the object as an entry of the list; empty for an object of another program. */
function toListedBlobs(
  { Key = "", Size = 0, LastModified }: S3Object,
  place: BlobPlace,
): ListedBlob[] {
  const path = Key.slice(PREFIXES[place].length);
  if (!isPathOf(place, path)) return [];
  return [{ path, bytes: Size, writtenAt: LastModified?.getTime() ?? 0 }];
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
