import type { TestAccount } from "../support/dashboard.ts";
import { streamOf } from "../api/blobs.ts";

const BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export interface SentFile {
  readonly filename: string;
  /** Content type of the part; null for none. */
  readonly contentType?: string | null;
  readonly content: string | Uint8Array;
}

/** Returns the body that Chromium creates for a form with one file. */
export function formBytes({ filename, contentType = "text/plain", content }: SentFile) {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; ` +
    `filename="${filename}"\r\n` +
    (contentType === null ? "" : `Content-Type: ${contentType}\r\n`) + "\r\n";
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return Uint8Array.from([
    ...new TextEncoder().encode(head),
    ...bytes,
    ...new TextEncoder().encode(`\r\n--${BOUNDARY}--\r\n`),
  ]);
}

/** Sends a body in pieces with a Content-Length of `length` bytes, or none if that is null. */
export async function sendForm(
  account: TestAccount,
  path: string,
  body: Uint8Array<ArrayBuffer>,
  { length = body.length, piece = body.length, type = FORM_TYPE }: {
    length?: number | null;
    piece?: number;
    type?: string;
  } = {},
) {
  const stream = streamOf((index) => {
    const part = body.slice(index * piece, (index + 1) * piece);
    return part.length === 0 ? null : part;
  });
  const answer = await account.send({
    method: "POST",
    path,
    body: stream,
    headers: {
      "content-type": type,
      ...(length !== null && { "content-length": String(length) }),
    },
  });
  return { ...answer, pulled: stream.pulled() };
}
