import type { ByteRange } from "../../http/ranges.ts";
import { ifExists } from "./guarded.ts";

/** Reads a file or a range of it; null if the file is missing or its length is not `bytes`. */
export async function readPart(
  path: string,
  bytes: number,
  range: ByteRange | null,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (range === null) {
    const content = await ifExists(Deno.readFile(path));
    return content?.length === bytes ? content : null;
  }
  using file = await ifExists(Deno.open(path));
  if (file === null || (await file.stat()).size !== bytes) return null;
  await file.seek(range.offset, Deno.SeekMode.Start);
  const part = new Uint8Array(range.length);
  for (let at = 0; at < part.length;) {
    const count = await file.read(part.subarray(at));
    if (count === null) return null;
    at += count;
  }
  return part;
}

/** Opens a file or a range as a stream; null if it is missing or its length is not `bytes`. */
export async function openPart(
  path: string,
  range: ByteRange | null,
  bytes?: number,
): Promise<ReadableStream<Uint8Array> | null> {
  const file = await ifExists(Deno.open(path));
  if (file === null) return null;
  try {
    if (bytes !== undefined && (await file.stat()).size !== bytes) {
      file.close();
      return null;
    }
    if (range === null) return file.readable;
    if (range.offset > 0) await file.seek(range.offset, Deno.SeekMode.Start);
    return streamBytes(file, range.length);
  } catch (error) {
    file.close();
    throw error;
  }
}

const CHUNK_BYTES = 65_536;

/** Returns a stream of the next `length` bytes of a file, which are read on demand. */
function streamBytes(file: Deno.FsFile, length: number): ReadableStream<Uint8Array> {
  let left = length;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = new Uint8Array(Math.min(left, CHUNK_BYTES));
      let count: number | null;
      try {
        count = await file.read(chunk);
        if (count === null) throw new Error("The file has become shorter");
      } catch (error) {
        file.close();
        throw error;
      }
      left -= count;
      controller.enqueue(chunk.subarray(0, count));
      if (left > 0) return;
      file.close();
      controller.close();
    },
    cancel: () => file.close(),
  }, { highWaterMark: 0 });
}
