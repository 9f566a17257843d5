import { decodeBase64Url, encodeBase64Url } from "../crypto/base64.ts";
import { signed, unsigned } from "../crypto/signed.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Upload } from "./blobs.ts";

/** Makes and reads what a signed address of ours consists of. */
export interface UploadTokens {
  write(upload: Upload): string;
  /** Null for a text that was altered, or was signed by others or for something else. */
  read(token: string): Upload | null;
}

/** What the signature is good for, beside keys that sign nothing else. */
const PURPOSE = "PUT a blob";

/** The path names the project. */
type Payload = [path: string, bytes: number, contentType: string, expiresAt: number];

/** @param keys The key to sign with first; all are tried when reading. */
export function createUploadTokens(keys: readonly string[]): UploadTokens {
  return {
    write({ path, bytes, contentType, expiresAt }) {
      const payload: Payload = [path, bytes, contentType, expiresAt];
      const text = encodeBase64Url(new TextEncoder().encode(jsonText(payload)));
      return signed(keys[0]!, PURPOSE, text);
    },
    read(token) {
      const text = unsigned(keys, PURPOSE, token);
      if (text === null) return null;
      const payload = parseJson(new TextDecoder().decode(decodeBase64Url(text))) as Payload;
      const [path, bytes, contentType, expiresAt] = payload;
      return { path, bytes, contentType, expiresAt };
    },
  };
}
