import { dirname } from "node:path";
import {
  type Begun,
  BLOB_CALL_MS,
  type BlobStat,
  type FilePlace,
  type PiecedUpload,
  type Pieces,
  type PieceWriter,
  PUBLISH_MS,
} from "../blobs.ts";
import { piecesPath } from "../paths.ts";
import type { Folders } from "./folders.ts";
import { guarded, ifThere, unavailable } from "./guarded.ts";

const PRIVATE = 0o600;

interface DiskPiecesOptions {
  readonly fileOf: (place: FilePlace | "partial", path: string) => string;
  readonly folders: Folders;
  /** Puts something into a folder, durably. */
  readonly put: (file: string, put: () => Promise<void>) => Promise<BlobStat | null>;
}

/** An upload in pieces is a file that grows, `_partial/<path>.resumable_upload`. */
export class DiskPieces implements Pieces {
  readonly #options: DiskPiecesOptions;

  constructor(options: DiskPiecesOptions) {
    this.#options = options;
  }

  async begin({ path }: PiecedUpload): Promise<string> {
    const file = this.#fileOf(path);
    await guarded(BLOB_CALL_MS, "begin a file", async () => {
      const { folders } = this.#options;
      await folders.within(dirname(file), () => opened(file, { create: true, truncate: true }));
      await folders.sync(dirname(file));
    });
    return "file";
  }

  async arrived({ path }: PiecedUpload, { arrived }: Begun): Promise<number> {
    const file = this.#fileOf(path);
    const found = await guarded(BLOB_CALL_MS, "look for a file", () => ifThere(Deno.stat(file)));
    return Math.min(found?.size ?? 0, arrived);
  }

  async goOn({ path }: PiecedUpload, { arrived }: Begun): Promise<PieceWriter> {
    const name = this.#fileOf(path);
    const open = () => Deno.open(name, { write: true, create: true, mode: PRIVATE });
    return await guarded(BLOB_CALL_MS, "go on with a file", async () => {
      const file = await this.#options.folders.within(dirname(name), open);
      try {
        await file.truncate(arrived);
        await file.seek(arrived, Deno.SeekMode.Start);
        return new FileWriter(file, arrived);
      } catch (error) {
        file.close();
        throw error;
      }
    });
  }

  async join(upload: PiecedUpload): Promise<BlobStat | null> {
    const { path, place, bytes } = upload;
    const { fileOf, put } = this.#options;
    const [from, to] = [this.#fileOf(path), fileOf(place, path)];
    if (bytes === 0) await this.begin(upload);
    const join = async () => {
      // What is noted outlives the process that wrote it, but was not kept if that was killed.
      using file = await Deno.open(from, { write: true });
      await file.syncData();
      await Deno.rename(from, to);
    };
    return await guarded(PUBLISH_MS, "join a file", () => put(to, join));
  }

  async remove(path: string): Promise<void> {
    const file = this.#fileOf(path);
    await guarded(BLOB_CALL_MS, "remove a file", () => ifThere(Deno.remove(file)));
  }

  #fileOf(path: string): string {
    return this.#options.fileOf("partial", piecesPath(path));
  }
}

async function opened(file: string, options: Deno.OpenOptions): Promise<void> {
  (await Deno.open(file, { write: true, mode: PRIVATE, ...options })).close();
}

class FileWriter implements PieceWriter {
  readonly #file: Deno.FsFile;
  #safe: number;

  constructor(file: Deno.FsFile, arrived: number) {
    this.#file = file;
    this.#safe = arrived;
  }

  /** What is handed to the file system outlives this process; and a power cut, as far as it is kept. */
  get safe(): number {
    return this.#safe;
  }

  // deno-lint-ignore require-await -- Rejects where a plain return would throw.
  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch (error) {
      throw unavailable("write a file", error);
    }
    this.#safe += bytes.length;
  }

  async keep(): Promise<void> {
    await guarded(PUBLISH_MS, "keep a file", () => this.#file.syncData());
  }

  // deno-lint-ignore require-await -- Disposed like others.
  async [Symbol.asyncDispose](): Promise<void> {
    this.#file.close();
  }
}
