import { createHash } from "node:crypto";
import { createTarPacker } from "modern-tar";
import type { Stored } from "../../store/port.ts";
import {
  type ArchivedFile,
  type End,
  FILE_CONTENT,
  FILE_ROW,
  fileFolder,
  fileLine,
  type Part,
  recordLine,
} from "./format.ts";

/** A file with the name at the end of its path. */
export interface WrittenFile {
  readonly name: string;
  readonly row: ArchivedFile;
  readonly content: ReadableStream<Uint8Array>;
}

/** Writes the entries of an archive one after the other, with backpressure from the reader. */
export class ArchiveWriter {
  readonly #tar = createTarPacker();
  readonly #encoder = new TextEncoder();
  readonly #modifiedAt: Date;

  constructor(modifiedAt: Date) {
    this.#modifiedAt = modifiedAt;
  }

  get readable(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#tar.readable;
  }

  async json(name: string, value: unknown): Promise<void> {
    await this.#textEntry(name, `${JSON.stringify(value, null, 2)}\n`);
  }

  /** Writes an entry for each page. @param written Called with the number of its records. */
  async records(
    folder: string,
    pages: AsyncIterable<readonly Pick<Stored, "json" | "revision">[]>,
    written: (count: number) => void = () => {},
  ): Promise<Part> {
    const hash = createHash("sha256");
    let [number, count] = [0, 0];
    for await (const page of pages) {
      const lines = page.map(recordLine).join("");
      hash.update(lines);
      count += page.length;
      await this.#textEntry(`${folder}/${String(++number).padStart(7, "0")}.ndjson`, lines);
      written(page.length);
    }
    return { count, sha256: hash.digest("hex") };
  }

  /** @param written Called after each file. */
  async files(
    files: AsyncIterable<WrittenFile>,
    written: (count: number) => void,
  ): Promise<End["files"]> {
    const hash = createHash("sha256");
    let [count, bytes] = [0, 0];
    for await (const file of files) {
      hash.update(fileLine(file.name, file.row, await this.#file(file)));
      count++;
      bytes += file.row.bytes;
      written(1);
    }
    return { count, bytes, sha256: hash.digest("hex") };
  }

  /** Returns the SHA-256 of the bytes, in hexadecimal digits. */
  async #file({ name, row, content }: WrittenFile): Promise<string> {
    await this.json(`${fileFolder(name)}/${FILE_ROW}`, row);
    const hash = createHash("sha256");
    const hashed = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        hash.update(chunk);
        controller.enqueue(chunk);
      },
    });
    await content.pipeThrough(hashed)
      .pipeTo(this.#entry(`${fileFolder(name)}/${FILE_CONTENT}`, row.bytes));
    return hash.digest("hex");
  }

  end(): void {
    this.#tar.controller.finalize();
  }

  fail(error: unknown): void {
    this.#tar.controller.error(error);
  }

  async #textEntry(name: string, text: string): Promise<void> {
    const bytes = this.#encoder.encode(text);
    const entry = this.#entry(name, bytes.length).getWriter();
    await entry.write(bytes);
    await entry.close();
  }

  #entry(name: string, size: number): WritableStream<Uint8Array> {
    return this.#tar.controller.add({ name, size, mtime: this.#modifiedAt, mode: 0o600 });
  }
}
