import { decodeBase64Url, encodeBase64Url } from "../crypto/base64.ts";
import { signed, unsigned } from "../crypto/signed.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import type { Upload } from "./blobs.ts";

/**
 * Makes and reads what a signed address of ours consists of. What is read is null for a text that
 * was altered, or was signed by others or for something else.
 */
export interface UploadTokens {
  write(upload: Upload): string;
  read(token: string): Upload | null;
  /** Of an upload in pieces: it is good as long as its row says. */
  writeResumable(path: string): string;
  readResumable(token: string): string | null;
}

/** What a signature is good for, beside keys that sign nothing else. */
const PURPOSE = "PUT a blob";
const RESUMABLE = "resume an upload";

/** The path names the project. */
type Payload = [path: string, bytes: number, contentType: string, expiresAt: number];

/** @param keys The key to sign with first; all are tried when reading. */
export function createUploadTokens(keys: readonly string[]): UploadTokens {
  const write = (purpose: string, payload: Json) => {
    const text = encodeBase64Url(new TextEncoder().encode(jsonText(payload)));
    return signed(keys[0]!, purpose, text);
  };
  const read = (purpose: string, token: string): Json => {
    const text = unsigned(keys, purpose, token);
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
