/** Encodes bytes as base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Decodes base64url. Throws a `SyntaxError` for text that is not the canonical encoding. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
  if (encodeBase64Url(bytes) !== text) {
    throw new SyntaxError("Not the canonical encoding of these bytes");
  }
  return bytes;
}

/** Decodes base64 with or without padding and white space. Throws a `SyntaxError`. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text);
}
