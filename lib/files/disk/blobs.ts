import { dirname, resolve } from "node:path";
import { randomToken } from "../../crypto/random.ts";
import { UPLOADS_AT_ONCE_MAX } from "../../limits.ts";
import {
  BLOB_CALL_MS,
  type BlobPage,
  type Blobs,
  type BlobStat,
  type FilePlace,
  FOLDERS,
  type Place,
  PUBLISH_MS,
  type Published,
  type SignedReading,
  type Upload,
} from "../blobs.ts";
import type { ByteRange } from "../../http/ranges.ts";
import type { Incoming, LocalFiles } from "../local_files.ts";
import { isPathOf, uploadOf } from "../paths.ts";
import type { Reading } from "../read_signatures.ts";
import { Folders } from "./folders.ts";
import { guarded, ifThere, unavailable } from "./guarded.ts";
import { Lister } from "./list.ts";
import { openPart, readPart } from "./part.ts";
import { DiskPieces } from "./pieces.ts";

export interface DiskOptions {
  /** Made at the first upload. */
  readonly folder: string;
  /** Origin that files are served at. */
  readonly filesUrl: string;
  /** The address that takes an upload. */
  readonly addressOf: (upload: Upload) => string;
  /** What lets a file be read, behind `?` in its address. */
  readonly signatureOf: (reading: Reading) => string;
}

/** Where the objects of a place lie within the folder; no project is called so. */
const DISK_FOLDERS: Readonly<Record<Place, string>> = { ...FOLDERS, partial: "_partial/" };

const PRIVATE = 0o600;
/** Of what a partial object has behind the path of its upload: 16 characters. */
const SUFFIX_BYTES = 12;

/** Up to this long, one read of the whole costs less than a stream. */
const WHOLE_BYTES_MAX = 65_536;

/**
 * Objects as files of one folder: `<path>`, `_private/<path>`, `_incoming/<path>`,
 * `_derived/<path>.<variant>` and `_partial/<path>.<random>`. All are of one file system, so that an object changes its place by one
 * atomic rename.
 */
export class DiskBlobs implements Blobs, LocalFiles {
  readonly #root: string;
  readonly #filesUrl: string;
  readonly #addressOf: (upload: Upload) => string;
  readonly #signatureOf: (reading: Reading) => string;
  readonly #folders: Folders;
  readonly #lister = new Lister();
  readonly pieces: DiskPieces;
  /** By path, whom to tell of the uploads under way that it is over. */
  readonly #arriving = new Map<string, Set<{ abandoned(): void }>>();

  constructor({ folder, filesUrl, addressOf, signatureOf }: DiskOptions) {
    this.#root = resolve(folder);
    this.#filesUrl = filesUrl;
    this.#addressOf = addressOf;
    this.#signatureOf = signatureOf;
    this.#folders = new Folders(this.#root);
    this.pieces = new DiskPieces({
      fileOf: (place, path) => this.#file(place, path),
      folders: this.#folders,
      put: (file, put) => this.#put(file, put),
    });
  }

  // deno-lint-ignore require-await -- Rejects where a plain return would throw.
  async signUpload(upload: Upload): Promise<string> {
    assertPath("staged", upload.path);
    return this.#addressOf(upload);
  }

  // deno-lint-ignore require-await -- Rejects where a plain return would throw.
  async signReading({ path, expiresAt }: SignedReading): Promise<string> {
    return `${this.publicUrl(path)}?${this.#signatureOf({ path, expiresAt })}`;
  }

  async stat(place: Place, path: string): Promise<BlobStat | null> {
    const file = this.#file(place, path);
    const found = await guarded(BLOB_CALL_MS, "look for a file", () => ifThere(Deno.stat(file)));
    return found && { bytes: found.size };
  }

  async read(
    place: Place,
    path: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array> | null> {
    const file = this.#file(place, path);
    return await guarded(BLOB_CALL_MS, "read a file", () => openPart(file, range ?? null));
  }

  /** The request that it is for has a time limit: one more would cost as much as a small file. */
  async body(place: FilePlace | "derived", path: string, bytes: number, range: ByteRange | null) {
    const file = this.#file(place, path);
    try {
      return (range?.length ?? bytes) <= WHOLE_BYTES_MAX
        ? await readPart(file, bytes, range)
        : await openPart(file, range, bytes);
    } catch (error) {
      throw unavailable("read a file", error);
    }
  }

  async publish(
    path: string,
    _contentType: string,
    place: FilePlace = "stored",
  ): Promise<Published | null> {
    const [staged, published] = [this.#file("staged", path), this.#file(place, path)];
    const stored = await guarded(
      PUBLISH_MS,
      "publish a file",
      () => this.#put(published, () => Deno.rename(staged, published)),
    );
    return stored && { ...stored, wasMoved: !this.#arriving.has(path) };
  }

  async copy(path: string, _contentType: string, place: FilePlace): Promise<BlobStat | null> {
    const other = place === "stored" ? "private" : "stored";
    const [from, to] = [this.#file(other, path), this.#file(place, path)];
    return await guarded(PUBLISH_MS, "copy a file", () =>
      this.#put(to, async () => {
        try {
          await Deno.link(from, to); // What lies at a path never changes.
        } catch (error) {
          if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
        }
      }));
  }

  /** Null when there is nothing to put there, or another has removed it in this moment. */
  async #put(file: string, put: () => Promise<void>): Promise<BlobStat | null> {
    const folder = dirname(file);
    const isPut = this.#folders.within(folder, put).then(() => true);
    if (await ifThere(isPut) === null) return null;
    const [found] = await Promise.all([ifThere(Deno.stat(file)), this.#folders.sync(folder)]);
    return found && { bytes: found.size };
  }

  async keep(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const file = this.#file("derived", path);
    const partial = this.#file("partial", `${uploadOf(path)}.${randomToken(SUFFIX_BYTES)}`);
    await guarded(BLOB_CALL_MS, "keep what was made of a file", async () => {
      const written = () => Deno.writeFile(partial, bytes, { createNew: true, mode: PRIVATE });
      await this.#folders.within(dirname(partial), written);
      try {
        await this.#folders.within(dirname(file), () => Deno.rename(partial, file));
      } catch (error) {
        await Deno.remove(partial).catch(() => {}); // One that stays is found by its age.
        throw error;
      }
    });
  }

  /** Ends uploads under way, too, where they would be staged there. */
  async remove(place: Place, path: string): Promise<void> {
    const file = this.#file(place, path);
    if (place === "staged") this.#arriving.get(path)?.forEach((one) => one.abandoned());
    await guarded(BLOB_CALL_MS, "remove a file", async () => {
      const removed = await ifThere(Deno.remove(file).then(() => true));
      if (removed) await ifThere(this.#folders.sync(dirname(file)));
    });
  }

  async list(
    place: Place,
    page: { prefix: string; after: string | null; limit: number },
  ): Promise<BlobPage> {
    assertPrefix(page.prefix);
    const folder = `${this.#root}/${DISK_FOLDERS[place]}`;
    const isPath = (path: string) => isPathOf(place, path);
    return await guarded(BLOB_CALL_MS, "list files", () => this.#lister.page(folder, page, isPath));
  }

  publicUrl(path: string): string {
    assertPath("stored", path);
    return `${this.#filesUrl}/files/${path}`;
  }

  /** A folder that does not exist so far is made when it is needed. */
  async ping(): Promise<void> {
    await guarded(BLOB_CALL_MS, "use the folder of files", async () => {
      if (await ifThere(Deno.stat(this.#root)) === null) return;
      const file = `${this.#root}/${DISK_FOLDERS.partial}ping.${randomToken(SUFFIX_BYTES)}`;
      await this.#folders.within(dirname(file), () => Deno.writeFile(file, new Uint8Array()));
      await Deno.remove(file);
    });
  }

  async receive(path: string, abandoned: () => void): Promise<Incoming | null> {
    const arriving = this.#arriving.get(path) ?? new Set();
    if (arriving.size === UPLOADS_AT_ONCE_MAX) return null;
    const one = { abandoned };
    this.#arriving.set(path, arriving.add(one));
    const left = () => {
      arriving.delete(one);
      if (arriving.size === 0) this.#arriving.delete(path);
    };
    try {
      return await this.#receive(path, left);
    } catch (error) {
      left();
      throw error;
    }
  }

  async #receive(path: string, left: () => void): Promise<Incoming> {
    const partial = this.#file("partial", `${path}.${randomToken(SUFFIX_BYTES)}`);
    const staged = this.#file("staged", path);
    const opened = () => Deno.open(partial, { write: true, createNew: true, mode: PRIVATE });
    const file = await guarded(
      BLOB_CALL_MS,
      "begin a file",
      () => this.#folders.within(dirname(partial), opened),
    );
    let isStaged = false;
    return {
      write(bytes) {
        try {
          for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
        } catch (error) {
          throw unavailable("write a file", error);
        }
      },
      stage: () =>
        guarded(PUBLISH_MS, "keep a file", async () => {
          await file.syncData();
          const folder = dirname(staged);
          await this.#folders.within(folder, () => Deno.rename(partial, staged));
          isStaged = true;
          await this.#folders.sync(folder);
        }),
      async [Symbol.asyncDispose]() {
        left();
        file.close();
        // One that stays is found by its age.
        if (!isStaged) await Deno.remove(partial).catch(() => {});
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #file(place: Place, path: string): string {
    assertPath(place, path);
    return `${this.#root}/${DISK_FOLDERS[place]}${path}`;
  }
}

function assertPath(place: Place, path: string): void {
  if (!isPathOf(place, path)) throw new TypeError(`Not a path of the port: ${path}`);
}

function assertPrefix(prefix: string): void {
  if (!/^(?:[0-9a-f]{24}\/)?$/.test(prefix)) throw new TypeError(`Not a prefix: ${prefix}`);
}
