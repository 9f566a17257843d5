import { dirname } from "node:path";
import {
  BLOB_CALL_MS,
  type BlobStat,
  type FilePlace,
  type PiecedUpload,
  type Pieces,
  type PieceWriter,
  PUBLISH_MS,
  type RecordedProgress,
} from "../blobs.ts";
import { piecesPath } from "../paths.ts";
import type { Folders } from "./folders.ts";
import { ifExists, limitTime, unavailable } from "./guarded.ts";

const FILE_MODE = 0o600;

interface DiskPiecesOptions {
  readonly fileOf: (place: FilePlace | "partial", path: string) => string;
  readonly folders: Folders;
  /** Runs `put`, which creates `file`, and makes the file durable. */
  readonly put: (file: string, put: () => Promise<void>) => Promise<BlobStat | null>;
}

/** Stores a resumable upload as a growing file, `_partial/<path>.resumable_upload`. */
export class DiskPieces implements Pieces {
  readonly #options: DiskPiecesOptions;

  constructor(options: DiskPiecesOptions) {
    this.#options = options;
  }

  async begin({ path }: PiecedUpload): Promise<string> {
    const file = this.#fileOf(path);
    await limitTime(BLOB_CALL_MS, "begin a file", async () => {
      const { folders } = this.#options;
      await folders.runIn(dirname(file), () => createFile(file, { create: true, truncate: true }));
      await folders.sync(dirname(file));
    });
    return "file";
  }

  async countArrived({ path }: PiecedUpload, { arrived }: RecordedProgress): Promise<number> {
    const file = this.#fileOf(path);
    const found = await limitTime(BLOB_CALL_MS, "look for a file", () => ifExists(Deno.stat(file)));
    return Math.min(found?.size ?? 0, arrived);
  }

  async resume({ path }: PiecedUpload, { arrived }: RecordedProgress): Promise<PieceWriter> {
    const name = this.#fileOf(path);
    const open = () => Deno.open(name, { write: true, create: true, mode: FILE_MODE });
    return await limitTime(BLOB_CALL_MS, "go on with a file", async () => {
      const file = await this.#options.folders.runIn(dirname(name), open);
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
      // Recorded bytes survive a killed process, but may not be flushed to the disk yet.
      using file = await Deno.open(from, { write: true });
      await file.syncData();
      await Deno.rename(from, to);
    };
    return await limitTime(PUBLISH_MS, "join a file", () => put(to, join));
  }

  async remove(path: string): Promise<void> {
    const file = this.#fileOf(path);
    await limitTime(BLOB_CALL_MS, "remove a file", () => ifExists(Deno.remove(file)));
  }

  #fileOf(path: string): string {
    return this.#options.fileOf("partial", piecesPath(path));
  }
}

async function createFile(file: string, options: Deno.OpenOptions): Promise<void> {
  (await Deno.open(file, { write: true, mode: FILE_MODE, ...options })).close();
}

class FileWriter implements PieceWriter {
  readonly #file: Deno.FsFile;
  #safe: number;

  constructor(file: Deno.FsFile, arrived: number) {
    this.#file = file;
    this.#safe = arrived;
  }

  /** Written bytes survive the end of the process; flushed bytes also survive a power failure. */
  get safeBytes(): number {
    return this.#safe;
  }

  // deno-lint-ignore require-await -- A failed write must reject, not throw.
  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch (error) {
      throw unavailable("write a file", error);
    }
    this.#safe += bytes.length;
  }

  async flush(): Promise<void> {
    await limitTime(PUBLISH_MS, "keep a file", () => this.#file.syncData());
  }

  // deno-lint-ignore require-await -- The interface is async.
  async [Symbol.asyncDispose](): Promise<void> {
    this.#file.close();
  }
}
