import { escapeToBuffer } from "hono/utils/html";

/** Text as it stands between tags, and within the quotes of an attribute. */
export function escaped(text: string): string {
  const buffer: [string] = [""];
  escapeToBuffer(text, buffer);
  return buffer[0];
}
