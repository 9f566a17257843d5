import { dirname, resolve } from "node:path";
import { randomToken } from "../../crypto/random.ts";
import { UPLOADS_AT_ONCE_MAX } from "../../limits.ts";
import {
  BLOB_CALL_MS,
  type BlobPage,
  type BlobPlace,
  type Blobs,
  type BlobStat,
  type FilePlace,
  PREFIXES,
  PUBLISH_MS,
  type PublishedBlob,
  type ReadGrant,
  type UploadGrant,
} from "../blobs.ts";
import type { ByteRange } from "../../http/ranges.ts";
import type { IncomingUpload, LocalFiles } from "../local_files.ts";
import { isPathOf, uploadOf } from "../paths.ts";
import type { PathReadGrant } from "../read_signatures.ts";
import { Folders } from "./folders.ts";
import { ifExists, limitTime, unavailable } from "./guarded.ts";
import { FolderLister } from "./list.ts";
import { openPart, readPart } from "./part.ts";
import { DiskPieces } from "./pieces.ts";

export interface DiskOptions {
  /** Path of the folder, which is created at the first upload. */
  readonly folder: string;
  readonly filesUrl: string;
  readonly addressOf: (upload: UploadGrant) => string;
  readonly signatureOf: (reading: PathReadGrant) => string;
}

/** Subfolder of each place. None of them can be a project's id. */
const DISK_FOLDERS: Readonly<Record<BlobPlace, string>> = { ...PREFIXES, partial: "_partial/" };

const FILE_MODE = 0o600;
/** Number of random bytes in the suffix of a partial object; 16 characters in base64url. */
const SUFFIX_BYTES = 12;

/** Largest length, in bytes, at which one read costs less than a stream. */
const SINGLE_READ_BYTES_MAX = 65_536;

/** Objects in folders of one file system, so that an atomic rename moves them between places. */
export class DiskBlobs implements Blobs, LocalFiles {
  readonly #root: string;
  readonly #filesUrl: string;
  readonly #addressOf: (upload: UploadGrant) => string;
  readonly #signatureOf: (reading: PathReadGrant) => string;
  readonly #folders: Folders;
  readonly #lister = new FolderLister();
  readonly pieces: DiskPieces;
  /** Running uploads of each path, with the callback for their end. */
  readonly #uploads = new Map<string, Set<{ onAbandoned(): void }>>();

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

  // deno-lint-ignore require-await -- An invalid path must reject, not throw.
  async signUpload(upload: UploadGrant): Promise<string> {
    assertPath("staged", upload.path);
    return this.#addressOf(upload);
  }

  // deno-lint-ignore require-await -- An invalid path must reject, not throw.
  async signReading({ path, expiresAt }: ReadGrant): Promise<string> {
    return `${this.publicUrl(path)}?${this.#signatureOf({ path, expiresAt })}`;
  }

  async stat(place: BlobPlace, path: string): Promise<BlobStat | null> {
    const file = this.#file(place, path);
    const found = await limitTime(BLOB_CALL_MS, "look for a file", () => ifExists(Deno.stat(file)));
    return found && { bytes: found.size };
  }

  async read(
    place: BlobPlace,
    path: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array> | null> {
    const file = this.#file(place, path);
    return await limitTime(BLOB_CALL_MS, "read a file", () => openPart(file, range ?? null));
  }

  /** Needs no time limit of its own, because the request has one and files may be small. */
  async open(place: FilePlace | "derived", path: string, bytes: number, range: ByteRange | null) {
    const file = this.#file(place, path);
    try {
      return (range?.length ?? bytes) <= SINGLE_READ_BYTES_MAX
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
  ): Promise<PublishedBlob | null> {
    const [staged, published] = [this.#file("staged", path), this.#file(place, path)];
    const stored = await limitTime(
      PUBLISH_MS,
      "publish a file",
      () => this.#put(published, () => Deno.rename(staged, published)),
    );
    return stored && { ...stored, wasMoved: !this.#uploads.has(path) };
  }

  async copy(path: string, _contentType: string, place: FilePlace): Promise<BlobStat | null> {
    const other = place === "stored" ? "private" : "stored";
    const [from, to] = [this.#file(other, path), this.#file(place, path)];
    return await limitTime(PUBLISH_MS, "copy a file", () =>
      this.#put(to, async () => {
        try {
          await Deno.link(from, to); // A link is as good as a copy, because files never change.
        } catch (error) {
          if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
        }
      }));
  }

  /** Puts a file in place, durably; null if its source is missing or it was removed again. */
  async #put(file: string, place: () => Promise<void>): Promise<BlobStat | null> {
    const folder = dirname(file);
    const isPlaced = this.#folders.runIn(folder, place).then(() => true);
    if (await ifExists(isPlaced) === null) return null;
    const [found] = await Promise.all([ifExists(Deno.stat(file)), this.#folders.sync(folder)]);
    return found && { bytes: found.size };
  }

  async putDerived(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const file = this.#file("derived", path);
    const partial = this.#file("partial", `${uploadOf(path)}.${randomToken(SUFFIX_BYTES)}`);
    await limitTime(BLOB_CALL_MS, "store a derived file", async () => {
      const write = () => Deno.writeFile(partial, bytes, { createNew: true, mode: FILE_MODE });
      await this.#folders.runIn(dirname(partial), write);
      try {
        await this.#folders.runIn(dirname(file), () => Deno.rename(partial, file));
      } catch (error) {
        await Deno.remove(partial).catch(() => {}); // If this fails, the reaper removes it by age.
        throw error;
      }
    });
  }

  /** Removes an object. If it is a staged one, also ends running uploads of its path. */
  async remove(place: BlobPlace, path: string): Promise<void> {
    const file = this.#file(place, path);
    if (place === "staged") this.#uploads.get(path)?.forEach((upload) => upload.onAbandoned());
    await limitTime(BLOB_CALL_MS, "remove a file", async () => {
      const removed = await ifExists(Deno.remove(file).then(() => true));
      if (removed) await ifExists(this.#folders.sync(dirname(file)));
    });
  }

  async list(
    place: BlobPlace,
    page: { prefix: string; after: string | null; limit: number },
  ): Promise<BlobPage> {
    assertPrefix(page.prefix);
    const folder = `${this.#root}/${DISK_FOLDERS[place]}`;
    const isPath = (path: string) => isPathOf(place, path);
    return await limitTime(
      BLOB_CALL_MS,
      "list files",
      () => this.#lister.page(folder, page, isPath),
    );
  }

  publicUrl(path: string): string {
    assertPath("stored", path);
    return `${this.#filesUrl}/files/${path}`;
  }

  /** Resolves if files can be written, or if the folder does not exist yet. */
  async ping(): Promise<void> {
    await limitTime(BLOB_CALL_MS, "use the folder of files", async () => {
      if (await ifExists(Deno.stat(this.#root)) === null) return;
      const file = `${this.#root}/${DISK_FOLDERS.partial}ping.${randomToken(SUFFIX_BYTES)}`;
      await this.#folders.runIn(dirname(file), () => Deno.writeFile(file, new Uint8Array()));
      await Deno.remove(file);
    });
  }

  async receive(path: string, onAbandoned: () => void): Promise<IncomingUpload | null> {
    const uploads = this.#uploads.get(path) ?? new Set();
    if (uploads.size === UPLOADS_AT_ONCE_MAX) return null;
    const upload = { onAbandoned };
    this.#uploads.set(path, uploads.add(upload));
    const forget = () => {
      uploads.delete(upload);
      if (uploads.size === 0) this.#uploads.delete(path);
    };
    try {
      return await this.#receive(path, forget);
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #receive(path: string, forget: () => void): Promise<IncomingUpload> {
    const partial = this.#file("partial", `${path}.${randomToken(SUFFIX_BYTES)}`);
    const staged = this.#file("staged", path);
    const open = () => Deno.open(partial, { write: true, createNew: true, mode: FILE_MODE });
    const file = await limitTime(
      BLOB_CALL_MS,
      "begin a file",
      () => this.#folders.runIn(dirname(partial), open),
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
        limitTime(PUBLISH_MS, "keep a file", async () => {
          await file.syncData();
          const folder = dirname(staged);
          await this.#folders.runIn(folder, () => Deno.rename(partial, staged));
          isStaged = true;
          await this.#folders.sync(folder);
        }),
      async [Symbol.asyncDispose]() {
        forget();
        file.close();
        // If this fails, the reaper removes the file by its age.
        if (!isStaged) await Deno.remove(partial).catch(() => {});
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #file(place: BlobPlace, path: string): string {
    assertPath(place, path);
    return `${this.#root}/${DISK_FOLDERS[place]}${path}`;
  }
}

function assertPath(place: BlobPlace, path: string): void {
  if (!isPathOf(place, path)) throw new TypeError(`Not a path of the port: ${path}`);
}

function assertPrefix(prefix: string): void {
  if (!/^(?:[0-9a-f]{24}\/)?$/.test(prefix)) throw new TypeError(`Not a prefix: ${prefix}`);
}
