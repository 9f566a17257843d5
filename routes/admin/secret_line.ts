import { Problem } from "@/lib/problems.ts";
import { exactBytesText } from "@/lib/text/amounts.ts";
import { decodeUtf8 } from "@/lib/text/utf8.ts";

const BYTES_MAX = 4096;

/**
 * The first line of standard input, without its end; empty where there is none. Asks on standard
 * error where a person sits in front of it. Throws `INVALID_INPUT` for what is no text.
 */
export async function secretLine(question: string): Promise<string> {
  if (Deno.stdin.isTerminal()) await Deno.stderr.write(new TextEncoder().encode(question));
  const chunk = new Uint8Array(BYTES_MAX);
  let length = 0;
  for (;;) {
    const end = chunk.subarray(0, length).indexOf(LINE_FEED);
    if (end >= 0) return textOf(chunk.subarray(0, end));
    if (length === BYTES_MAX) throw refuse(`has more than ${exactBytesText(BYTES_MAX)}`);
    const read = await Deno.stdin.read(chunk.subarray(length));
    if (read === null) return textOf(chunk.subarray(0, length));
    length += read;
  }
}

const LINE_FEED = 10;

const refuse = (why: string) =>
  new Problem("INVALID_INPUT", { message: `The line on standard input ${why}.` });

function textOf(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes).replace(/\r$/, "");
  } catch (error) {
    throw refuse((error as Error).message);
  }
}
