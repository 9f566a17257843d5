import { sha256 } from "../crypto/hashes.ts";

/** Returns the strong ETag of a response body. */
export const textTag = (text: string): string => `"${sha256(text)}"`;

/** Whether an `If-Match` or `If-None-Match` header has the tag. `weak` also allows weak tags. */
export function matchesTag(header: string, tag: string, weak: boolean): boolean {
  if (header.trim() === "*") return true;
  return header.split(",").some((one) => {
    const named = one.trim();
    return named === tag || (weak && named === `W/${tag}`);
  });
}
