import type { ByteRange } from "../../http/ranges.ts";
import { ifThere } from "./guarded.ts";

/** The whole of a file that should have `bytes`, or a part of it, in memory. */
export async function readPart(
  path: string,
  bytes: number,
  range: ByteRange | null,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (range === null) {
    const whole = await ifThere(Deno.readFile(path));
    return whole?.length === bytes ? whole : null;
  }
  using file = await ifThere(Deno.open(path));
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

/** The same as a stream, which closes the file at its end or when it is cancelled. */
export async function openPart(
  path: string,
  range: ByteRange | null,
  bytes?: number,
): Promise<ReadableStream<Uint8Array> | null> {
  const file = await ifThere(Deno.open(path));
  if (file === null) return null;
  try {
    if (bytes !== undefined && (await file.stat()).size !== bytes) {
      file.close();
      return null;
    }
    if (range === null) return file.readable;
    if (range.offset > 0) await file.seek(range.offset, Deno.SeekMode.Start);
    return limited(file, range.length);
  } catch (error) {
    file.close();
    throw error;
  }
}

const CHUNK_BYTES = 65_536;

/** The next `length` bytes of a file, read as they are wanted. */
function limited(file: Deno.FsFile, length: number): ReadableStream<Uint8Array> {
  let left = length;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = new Uint8Array(Math.min(left, CHUNK_BYTES));
      let count: number | null;
      try {
        count = await file.read(chunk);
        if (count === null) throw new Error("The file is shorter than it was");
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
