import { decodeBase64Url, encodeBase64Url } from "../crypto/base64.ts";
import { sign, unsign } from "../crypto/signed.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import type { UploadGrant } from "./blobs.ts";

/** Writes and reads signed upload tokens. Reading returns null for an invalid token. */
export interface UploadTokens {
  write(upload: UploadGrant): string;
  read(token: string): UploadGrant | null;
  /** Writes the token of a resumable upload, which is valid until the row of the upload expires. */
  writeResumable(path: string): string;
  readResumable(token: string): string | null;
}

/** Part of the signed text that separates these tokens from other uses of the key. */
const PURPOSE = "PUT a blob";
const RESUMABLE = "resume an upload";

type Payload = [path: string, bytes: number, contentType: string, expiresAt: number];

/** @param keys The first key signs; all keys are tried to verify. */
export function createUploadTokens(keys: readonly string[]): UploadTokens {
  const write = (purpose: string, payload: Json) => {
    const text = encodeBase64Url(new TextEncoder().encode(jsonText(payload)));
    return sign(keys[0]!, purpose, text);
  };
  const read = (purpose: string, token: string): Json => {
    const text = unsign(keys, purpose, token);
    return text && parseJson(new TextDecoder().decode(decodeBase64Url(text)));
  };
  return {
    write({ path, bytes, contentType, expiresAt }) {
      return write(PURPOSE, [path, bytes, contentType, expiresAt] satisfies Payload);
    },
    read(token) {
      const payload = read(PURPOSE, token) as Payload | null;
      if (payload === null) return null;
      const [path, bytes, contentType, expiresAt] = payload;
      return { path, bytes, contentType, expiresAt };
    },
    writeResumable: (path) => write(RESUMABLE, path),
    readResumable: (token) => read(RESUMABLE, token) as string | null,
  };
}
