import { Buffer } from "node:buffer";
import { decodeUtf8, NotUtf8 } from "../../text/utf8.ts";
import { invalidSource } from "./scratch.ts";

/** Limit of a line: a document of up to 1 MiB, and the types of its values. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface Line {
  readonly text: string;
  readonly number: number;
}

/** Yields the lines that are not empty. Throws `INVALID_INPUT` for invalid UTF-8 and long lines. */
export async function* readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Line> {
  let [pieces, length, number]: [Uint8Array[], number, number] = [[], 0, 1];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const text = decodeLine([...pieces, chunk.subarray(start, end)], number);
      if (text !== "") yield { text, number };
      [pieces, length, start] = [[], 0, end + 1];
      number++;
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > LINE_BYTES_MAX) {
      throw invalidSource(`Line ${number} is longer than ${LINE_BYTES_MAX} bytes.`);
    }
  }
  const text = decodeLine(pieces, number);
  if (text !== "") yield { text, number };
}

/** Trims white space. Throws `INVALID_INPUT`. */
function decodeLine(pieces: readonly Uint8Array[], number: number): string {
  try {
    return decodeUtf8(Buffer.concat(pieces)).trim();
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    throw invalidSource(`Line ${number} ${error.why}, or was cut off.`, error);
  }
}
