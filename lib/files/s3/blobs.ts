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
import { isShown } from "../active_types.ts";
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
import { isDerivedPath, projectOf, uploadOf } from "../paths.ts";
import { boundAnswers } from "./bounded_answers.ts";
import { clientOf, type S3Options } from "./client.ts";
import { isPassing, nameOf, statusOf, unavailable } from "./failures.ts";

/** What a call may take of a request's budget, with what settling it takes kept back. */
const CALL_MS = BLOB_CALL_MS - 500;
const PUBLISH_WITHIN_MS = PUBLISH_MS - 500;
/** Until an answer begins, connecting included. Two fit into a call: a kept connection may be dead. */
const ATTEMPT_MS = 2000;
const COPY_ATTEMPT_MS = 20_000;
/** For bytes of an object that is read. */
const IDLE_MS = BLOB_CALL_MS;
const ATTEMPTS = 2;
const PAUSE_MS = 100;
/** A staged object may be replaced while it is copied; who does that all the time has to wait. */
const COPIES = 3;

/** Behind every key of another place, before whatever a project's id may begin with. */
const BEHIND_HIDDEN = "_private0";
const PREFIX = /^(?:[0-9a-f]{24}\/)?$/;

/**
 * Objects of one bucket: `<path>`, `_private/<path>`, `_incoming/<path>` and
 * `_derived/<path>.<variant>`. Uploads are whole or not at all there.
 */
export class S3Blobs implements Blobs {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #publicUrl: string | null;
  readonly #sharesHost: boolean;
  readonly #clock: Clock;
  readonly #ownsAgents: boolean;
  /** For operators. */
  readonly #name: string;

  constructor(options: S3Options) {
    const { endpoint, region, bucket, publicUrl, agents, clock = systemClock } = options;
    this.#bucket = bucket;
    this.#publicUrl = publicUrl;
    this.#sharesHost = options.sharesHost ?? false;
    this.#clock = clock;
    this.#ownsAgents = agents === undefined;
    this.#name = `The bucket "${bucket}" at ${endpoint ?? `AWS in ${region}`}`;
    this.#client = clientOf(options);
    boundAnswers(this.#client);
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
    if (place === "partial") return noPartial(path);
    // No range of HTTP is empty.
    if (range?.length === 0) return await this.stat(place, path) && emptyStream();
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: key(place, path),
      ...(range && { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
    });
    const answer = await this.#ask(within(CALL_MS), (o) => this.#client.send(command, o));
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
    throw new BlobsUnavailable(`${this.#name} gets other bytes whenever an upload is published`);
  }

  async keep(path: string, bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key("derived", path),
      Body: bytes,
      ContentType: contentType,
    });
    const kept = await this.#ask(within(CALL_MS), (o) => this.#client.send(command, o));
    if (kept === null) throw new BlobsUnavailable(`${this.#name} does not keep what is put there`);
  }

  async remove(place: Place, path: string): Promise<void> {
    if (place === "partial") return void noPartial(path);
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: key(place, path) });
    await this.#ask(within(CALL_MS), (o) => this.#client.send(command, o));
  }

  async list(
    place: Place,
    { prefix, after, limit }: { prefix: string; after: string | null; limit: number },
  ): Promise<BlobPage> {
    if (!PREFIX.test(prefix)) throw new TypeError(`Not a prefix of the port: ${prefix}`);
    if (place === "partial") return { blobs: [], next: null };
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
    if (await this.#ask(by, (o) => this.#client.send(probe, o)) === null) return;
    throw new BlobsUnavailable(
      `${this.#name} cannot be used: what answers there has whatever it is asked for, so it is no ` +
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
    if (place === "partial") return noPartial(path);
    const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: key(place, path) });
    const found = await this.#ask(by, (o) => this.#client.send(command, o));
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
      ContentType: contentType,
      CacheControl: CACHE_CONTROL[to],
      ...(!isShown(contentType, this.#sharesHost) && { ContentDisposition: "attachment" }),
    });
    const copied = await this.#ask(
      by,
      (o) => this.#client.send(command, o),
      COPY_ATTEMPT_MS,
    );
    return copied !== null;
  }

  /** Whoever walks a list must come to its end, also in a store that makes it up. */
  #assertForward(objects: readonly S3Object[], prefix: string, after: string): void {
    let before = Buffer.from(after);
    for (const { Key = "" } of objects) {
      const key = Buffer.from(Key);
      if (!Key.startsWith(prefix) || key.compare(before) <= 0) {
        throw new BlobsUnavailable(`${this.#name} lists other objects than it was asked for`);
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
    const answer = await this.#ask(by, (o) => this.#client.send(command, o));
    if (answer === null) throw new BlobsUnavailable(`${this.#name} does not list its objects`);
    return answer;
  }

  /**
   * What the store answers; null for an object that is not there, or is not the expected one.
   * Settles by `by`, whatever the store does.
   */
  async #ask<T>(
    by: number,
    send: (options: { abortSignal: AbortSignal; requestTimeout: number }) => Promise<T>,
    attemptMs = ATTEMPT_MS,
  ): Promise<T | null> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), Math.max(0, by - performance.now()));
    const options = { abortSignal: giveUp.signal, requestTimeout: attemptMs };
    try {
      for (let attempt = 1;; attempt++) {
        try {
          return await send(options);
        } catch (error) {
          if (isAbsence(error)) return null;
          if (attempt === ATTEMPTS || giveUp.signal.aborted || !isPassing(error)) {
            throw unavailable(this.#name, error);
          }
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Opens a bucket. Nothing is asked of it so far: {@linkcode S3Blobs.ping} tells whether it is. */
export const openS3Blobs = (options: S3Options): S3Blobs => new S3Blobs(options);

/** From where to where an object is copied. */
interface Way {
  readonly from: Exclude<Place, "partial" | "derived">;
  readonly to: FilePlace;
}

const within = (ms: number): number => performance.now() + ms;

/** A bucket shows nothing of an upload before it is whole. Throws for what is no path of ours. */
function noPartial(path: string): null {
  key("staged", uploadOf(path));
  return null;
}

/** Throws for what is no path of ours. */
function key(place: Exclude<Place, "partial">, path: string): string {
  if (!isPathOf(place, path)) throw new TypeError(`Not a path of the port: ${path}`);
  return `${FOLDERS[place]}${path}`;
}

const isPathOf = (place: Exclude<Place, "partial">, path: string): boolean =>
  place === "derived" ? isDerivedPath(path) : projectOf(path) !== null;

const isHidden = (key: string): boolean =>
  [FOLDERS.staged, FOLDERS.private, FOLDERS.derived].some((folder) => key.startsWith(folder));

/** Nothing for what somebody else put into the bucket. */
function listed(
  { Key = "", Size = 0, LastModified }: S3Object,
  place: Exclude<Place, "partial">,
): ListedBlob[] {
  const path = Key.slice(FOLDERS[place].length);
  if (!isPathOf(place, path)) return [];
  return [{ path, bytes: Size, writtenAt: LastModified?.getTime() ?? 0 }];
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

/** A missing bucket is not a missing object. */
const isAbsence = (error: unknown): boolean =>
  statusOf(error) === 412 || (statusOf(error) === 404 && nameOf(error) !== "NoSuchBucket");
