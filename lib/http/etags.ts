import xxhash from "xxhash-wasm";

const { h64ToString } = await xxhash();

/**
 * The ETag of this very text. Its hash is not a cryptographic one: a list's tag only spares sending
 * again what a client has already.
 */
export const textTag = (text: string): string => `"${h64ToString(text)}"`;

/** Whether an `If-Match` or `If-None-Match` header names the tag. Weak tags never match strongly. */
export function namesTag(header: string, tag: string, weak: boolean): boolean {
  if (header.trim() === "*") return true;
  return header.split(",").some((one) => {
    const named = one.trim();
    return named === tag || (weak && named === `W/${tag}`);
  });
}
