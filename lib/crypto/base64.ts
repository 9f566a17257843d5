/** Base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Throws a `SyntaxError` for anything that {@linkcode encodeBase64Url} does not write. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
  if (encodeBase64Url(bytes) !== text) throw new SyntaxError("Not the one spelling of these bytes");
  return bytes;
}

/** Base64 with or without padding, as people paste it. Throws a `SyntaxError`. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text);
}
