import { Buffer } from "node:buffer";
import { decodeUtf8, NotUtf8 } from "../../text/utf8.ts";
import { refuse } from "./scratch.ts";

/** A document has 1 MiB at most, and its types are written beside its values. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface Line {
  readonly text: string;
  readonly number: number;
}

/** The lines of a text that are not empty. Throws `INVALID_INPUT` for what is no text, or too long. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Line> {
  let [pieces, length, number]: [Uint8Array[], number, number] = [[], 0, 1];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const text = textOf([...pieces, chunk.subarray(start, end)], number);
      if (text !== "") yield { text, number };
      [pieces, length, start] = [[], 0, end + 1];
      number++;
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > LINE_BYTES_MAX) {
      throw refuse(`Line ${number} is longer than ${LINE_BYTES_MAX} bytes.`);
    }
  }
  const text = textOf(pieces, number);
  if (text !== "") yield { text, number };
}

/** A line without the white space around it. */
function textOf(pieces: readonly Uint8Array[], number: number): string {
  try {
    return decodeUtf8(Buffer.concat(pieces)).trim();
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    throw refuse(`Line ${number} ${error.why}, or was cut off.`, error);
  }
}
