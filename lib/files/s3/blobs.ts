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
import { isShown, servedTypeOf } from "../active_types.ts";
import {
  BLOB_CALL_MS,
  type BlobPage,
  type Blobs,
  type BlobStat,
  BlobsUnavailable,
  CACHE_CONTROL,
  type FilePlace,
  FOLDERS,
  type ListedBlob,
  type Place,
  PUBLISH_MS,
  type SignedReading,
  type Upload,
} from "../blobs.ts";
import type { ByteRange } from "../../http/ranges.ts";
import { boundedStream } from "../../http/bounded_reader.ts";
import { isPathOf, isPiecesPath, uploadOf } from "../paths.ts";
import { boundAnswers } from "./bounded_answers.ts";
import { clientOf, type S3Options } from "./client.ts";
import { CALL_MS, S3Calls, within } from "./calls.ts";
import { type Description, S3Pieces } from "./pieces.ts";

const PUBLISH_WITHIN_MS = PUBLISH_MS - 500;
const COPY_ATTEMPT_MS = 20_000;
/** For bytes of an object that is read. */
const IDLE_MS = BLOB_CALL_MS;
/** A staged object may be replaced while it is copied; who does that all the time has to wait. */
const COPIES = 3;

/** Behind every key of another place, before whatever a project's id may begin with. */
const BEHIND_HIDDEN = "_private0";
const PREFIX = /^(?:[0-9a-f]{24}\/)?$/;

/**
 * Objects of one bucket: `<path>`, `_private/<path>`, `_incoming/<path>`,
 * `_derived/<path>.<variant>`, and of uploads in pieces `_incoming/_parts/<path>.resumable_upload`.
 */
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
    this.#client = clientOf(options);
    boundAnswers(this.#client);
    const name = `The bucket "${bucket}" at ${endpoint ?? `AWS in ${region}`}`;
    this.#calls = new S3Calls(this.#client, { bucket, name });
    this.pieces = new S3Pieces({
      calls: this.#calls,
      keyOf: key,
      describe: (contentType, place) => this.#described(contentType, place),
      stat: (place, path) => this.stat(place, path),
    });
  }

  async signUpload({ path, bytes, contentType, expiresAt }: Upload): Promise<string> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key("staged", path),
      ContentType: contentType,
      ContentLength: bytes,
    });
    return await getSignedUrl(this.#client, command, {
      ...this.#until(expiresAt, UPLOAD_URL_MS),
      signableHeaders: new Set(["content-type", "content-length"]),
    });
  }

  async signReading({ place, path, expiresAt }: SignedReading): Promise<string> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key(place, path) });
    return await getSignedUrl(this.#client, command, this.#until(expiresAt, 0));
  }

  /**
   * Signed as of a moment that makes it end when it must, also when that is over already. Stores know
   * only whole seconds, so both are rounded down.
   */
  #until(expiresAt: number, leastMs: number) {
    const left = expiresAt - this.#clock.now();
    const lifeMs = Math.max(leastMs, left, 1000);
    return {
      signingDate: new Date(Date.now() + left - lifeMs),
      expiresIn: Math.floor(lifeMs / 1000),
    };
  }

  async stat(place: Place, path: string): Promise<BlobStat | null> {
    const found = await this.#head(place, path, within(CALL_MS));
    return found && { bytes: found.bytes };
  }

  async read(
    place: Place,
    path: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array> | null> {
    // No range of HTTP is empty.
    if (range?.length === 0) return await this.stat(place, path) && emptyStream();
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: key(place, path),
      ...(range && { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
    });
    const answer = await this.#calls.ask(within(CALL_MS), (client, o) => client.send(command, o));
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

  async #put(path: string, contentType: string, way: Way): Promise<BlobStat | null> {
    const by = within(PUBLISH_WITHIN_MS);
    for (let tries = 1; tries <= COPIES; tries++) {
      const found = await this.#head(way.from, path, by);
      if (found === null) return null;
      if (!await this.#copy(path, found.etag, { ...way, contentType }, by)) continue;
      const put = await this.#head(way.to, path, by);
      return put && { bytes: put.bytes };
    }
    throw new BlobsUnavailable(
      `${this.#calls.name} gets other bytes whenever an upload is published`,
    );
  }

  async keep(path: string, bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key("derived", path),
      Body: bytes,
      ContentType: contentType,
    });
    const kept = await this.#calls.ask(within(CALL_MS), (client, o) => client.send(command, o));
    if (kept === null) {
      throw new BlobsUnavailable(`${this.#calls.name} does not keep what is put there`);
    }
  }

  async remove(place: Place, path: string): Promise<void> {
    if (place === "partial" && isPiecesPath(path)) return await this.pieces.remove(uploadOf(path));
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: key(place, path) });
    await this.#calls.ask(within(CALL_MS), (client, o) => client.send(command, o));
  }

  async list(
    place: Place,
    { prefix, after, limit }: { prefix: string; after: string | null; limit: number },
  ): Promise<BlobPage> {
    if (!PREFIX.test(prefix)) throw new TypeError(`Not a prefix of the port: ${prefix}`);
    const folder = FOLDERS[place];
    const by = within(CALL_MS);
    const page = (startAfter: string | null) =>
      this.#page(by, `${folder}${prefix}`, startAfter, limit);
    let answer = await page(after === null ? null : `${folder}${after}`);
    // Those of other places stand in the midst of those of all projects.
    if (place === "stored" && answer.Contents?.every(({ Key = "" }) => isHidden(Key))) {
      if (answer.IsTruncated) answer = await page(BEHIND_HIDDEN);
    }
    const objects = answer.Contents ?? [];
    this.#assertForward(objects, `${folder}${prefix}`, after === null ? "" : `${folder}${after}`);
    const last = objects.at(-1)?.Key?.slice(folder.length) ?? null;
    return {
      blobs: objects.flatMap((o) => listed(o, place)),
      next: answer.IsTruncated ? last : null,
    };
  }

  publicUrl(path: string): string | null {
    return this.#publicUrl && `${this.#publicUrl}/${key("stored", path)}`;
  }

  /**
   * Also makes sure that a missing object is told from one that is there, and from a forbidden one:
   * without the right to list, stores answer 403 for both.
   */
  async ping(): Promise<void> {
    const by = within(CALL_MS);
    await this.#page(by, FOLDERS.staged, null, 1);
    const Key = `${FOLDERS.staged}probe-${crypto.randomUUID()}`;
    const probe = new HeadObjectCommand({ Bucket: this.#bucket, Key });
    if (await this.#calls.ask(by, (client, o) => client.send(probe, o)) === null) return;
    throw new BlobsUnavailable(
      `${this.#calls.name} cannot be used: what answers there has whatever it is asked for, so it is no ` +
        "S3 server: correct the endpoint",
    );
  }

  // deno-lint-ignore require-await -- The port's is async for others.
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ownsAgents) this.#client.destroy();
  }

  async #head(
    place: Place,
    path: string,
    by: number,
  ): Promise<{ bytes: number; etag: string | undefined } | null> {
    const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: key(place, path) });
    const found = await this.#calls.ask(by, (client, o) => client.send(command, o));
    return found && { bytes: found.ContentLength ?? 0, etag: found.ETag };
  }

  /** False when the object is another by now, or gone. */
  async #copy(
    path: string,
    etag: string | undefined,
    { from, to, contentType }: Way & { readonly contentType: string },
    by: number,
  ): Promise<boolean> {
    const command = new CopyObjectCommand({
      Bucket: this.#bucket,
      Key: key(to, path),
      CopySource: `${this.#bucket}/${key(from, path)}`,
      CopySourceIfMatch: etag,
      // Nothing that the upload said of itself is kept.
      MetadataDirective: "REPLACE",
      ...this.#described(contentType, to),
    });
    const copied = await this.#calls.ask(
      by,
      (client, o) => client.send(command, o),
      COPY_ATTEMPT_MS,
    );
    return copied !== null;
  }

  /** How an object is served. */
  #described(contentType: string, place: FilePlace): Description {
    const type = servedTypeOf(contentType);
    return {
      ContentType: type,
      CacheControl: CACHE_CONTROL[place],
      ...(!isShown(type, this.#sharesHost) && { ContentDisposition: "attachment" }),
    };
  }

  /** Whoever walks a list must come to its end, also in a store that makes it up. */
  #assertForward(objects: readonly S3Object[], prefix: string, after: string): void {
    let before = Buffer.from(after);
    for (const { Key = "" } of objects) {
      const key = Buffer.from(Key);
      if (!Key.startsWith(prefix) || key.compare(before) <= 0) {
        throw new BlobsUnavailable(`${this.#calls.name} lists other objects than it was asked for`);
      }
      before = key;
    }
  }

  async #page(
    by: number,
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
    const answer = await this.#calls.ask(by, (client, o) => client.send(command, o));
    if (answer === null) {
      throw new BlobsUnavailable(`${this.#calls.name} does not list its objects`);
    }
    return answer;
  }
}

/** Opens a bucket. Nothing is asked of it so far: {@linkcode S3Blobs.ping} tells whether it is. */
export const openS3Blobs = (options: S3Options): S3Blobs => new S3Blobs(options);

/** From where to where an object is copied. */
interface Way {
  readonly from: Exclude<Place, "partial" | "derived">;
  readonly to: FilePlace;
}

/** Throws for what is no path of ours. */
function key(place: Place, path: string): string {
  if (!isPathOf(place, path)) throw new TypeError(`Not a path of the port: ${path}`);
  return `${FOLDERS[place]}${path}`;
}

const isHidden = (key: string): boolean =>
  [FOLDERS.staged, FOLDERS.private, FOLDERS.derived].some((folder) => key.startsWith(folder));

/** Nothing for what somebody else put into the bucket. */
function listed(
  { Key = "", Size = 0, LastModified }: S3Object,
  place: Place,
): ListedBlob[] {
  const path = Key.slice(FOLDERS[place].length);
  if (!isPathOf(place, path)) return [];
  return [{ path, bytes: Size, writtenAt: LastModified?.getTime() ?? 0 }];
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
