/** Uploads and downloads as clients make them, in tests of files. */

import type { MaybePromise } from "@/lib/maybe_promise.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import { fileBytes } from "../support/file_bytes.ts";
import type { TestApp } from "../support/test_app.ts";
import type { Files, Requested } from "./files.ts";

/** What the address of an upload names. */
export const tokenOf = ({ signedUrl }: Requested): string =>
  new URL(signedUrl).pathname.split("/").at(-1)!;

export const addressOf = (token: string): string => `/api/storage/blob/${token}`;

/** `PUT` to the signed address, without any key: as many bytes as requested if none are given. */
export const put = (app: TestApp, upload: Requested, change: Partial<Call> = {}): Promise<Answer> =>
  app.send({
    method: "PUT",
    path: addressOf(tokenOf(upload)),
    body: fileBytes(upload.contentType, upload.size),
    ...change,
    headers: { "content-type": upload.contentType, ...change.headers as object },
  });

/** Bytes as they come, one piece after the other; what they are asked for is counted. */
export function pieces(
  make: (index: number) => MaybePromise<Uint8Array<ArrayBuffer> | null>,
): ReadableStream<Uint8Array<ArrayBuffer>> & { readonly pulled: () => number } {
  let pulled = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = await make(pulled++);
      if (piece === null) controller.close();
      else controller.enqueue(piece);
    },
  }, { highWaterMark: 0 });
  return Object.assign(stream, { pulled: () => pulled });
}

/** Paths of uploads that are under way, or left behind. */
export async function partials({ app, project }: Files): Promise<string[]> {
  const page = { prefix: `${project.projectId}/`, after: null, limit: 1000 };
  const { blobs } = await app.services.blobStores.internal.list("partial", page);
  return blobs.map(({ path }) => path);
}

/** A confirmed file with these bytes. Resolves to its path. */
export async function keepFile(
  files: Files,
  bytes: Uint8Array<ArrayBuffer>,
  contentType = "text/plain",
  filename = "note.txt",
): Promise<string> {
  const upload = await files.request(bytes.length, contentType, filename);
  const { status, text } = await put(files.app, upload, { body: bytes });
  if (status !== 200) throw new Error(text);
  const confirmed = await files.confirm(upload);
  if (confirmed.status !== 200) throw new Error(confirmed.text);
  return upload.filePath;
}

export const textBytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** What lies in the staged place; null for nothing. */
export async function staged({ app }: Files, { filePath }: Requested): Promise<string | null> {
  const stream = await app.services.blobStores.internal.read("staged", filePath);
  return stream && await new Response(stream).text();
}
