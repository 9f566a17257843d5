import { Problem } from "@/lib/problems.ts";
import { exactBytesText } from "@/lib/text/amounts.ts";
import { decodeUtf8 } from "@/lib/text/utf8.ts";

const BYTES_MAX = 4096;

/** Asks on a terminal and reads the first line, or "". Throws `INVALID_INPUT` if not UTF-8. */
export async function secretLine(question: string): Promise<string> {
  if (Deno.stdin.isTerminal()) await Deno.stderr.write(new TextEncoder().encode(question));
  const chunk = new Uint8Array(BYTES_MAX);
  let length = 0;
  for (;;) {
    const end = chunk.subarray(0, length).indexOf(LINE_FEED);
    if (end >= 0) return decodeLine(chunk.subarray(0, end));
    if (length === BYTES_MAX) throw invalidLine(`has more than ${exactBytesText(BYTES_MAX)}`);
    const read = await Deno.stdin.read(chunk.subarray(length));
    if (read === null) return decodeLine(chunk.subarray(0, length));
    length += read;
  }
}

const LINE_FEED = 10;

const invalidLine = (why: string) =>
  new Problem("INVALID_INPUT", { message: `The line on standard input ${why}.` });

function decodeLine(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes).replace(/\r$/, "");
  } catch (error) {
    throw invalidLine((error as Error).message);
  }
}
