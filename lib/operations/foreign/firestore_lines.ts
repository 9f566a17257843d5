import { refuse } from "./scratch.ts";

/** A document has 1 MiB at most, and its types are written beside its values. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024;

export interface Line {
  readonly text: string;
  readonly number: number;
}

/** The lines of a text that are not empty. Throws `INVALID_INPUT` for what is no text, or too long. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Line> {
  let [pieces, length, number]: [string[], number, number] = [[], 0, 0];
  const reader = stream.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }));
  try {
    for await (const chunk of reader) {
      const [first = "", ...more] = chunk.split("\n");
      pieces.push(first);
      length += first.length;
      for (const next of more) {
        number++;
        const text = pieces.join("").trim();
        if (text !== "") yield { text, number };
        [pieces, length] = [[next], next.length];
      }
      if (length > LINE_LENGTH_MAX) {
        throw refuse(`Line ${number + 1} is longer than ${LINE_LENGTH_MAX} characters.`);
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw refuse(`Line ${number + 1} is not UTF-8, or was cut off: ${error.message}`, error);
  }
  const text = pieces.join("").trim();
  if (text !== "") yield { text, number: number + 1 };
}
