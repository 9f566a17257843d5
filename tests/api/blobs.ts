import type { MaybePromise } from "@/lib/maybe_promise.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import { fileBytes } from "../support/file_bytes.ts";
import type { TestApp } from "../support/test_app.ts";
import type { Files, RequestedUpload } from "./files.ts";

export const tokenOf = ({ signedUrl }: RequestedUpload): string =>
  new URL(signedUrl).pathname.split("/").at(-1)!;

export const addressOf = (token: string): string => `/api/storage/blob/${token}`;

/** Sends a `PUT` to the signed address, by default with the requested number of bytes. */
export const put = (
  app: TestApp,
  upload: RequestedUpload,
  change: Partial<Call> = {},
): Promise<Answer> =>
  app.send({
    method: "PUT",
    path: addressOf(tokenOf(upload)),
    body: fileBytes(upload.contentType, upload.size),
    ...change,
    headers: { "content-type": upload.contentType, ...change.headers as object },
  });

/** Returns a stream of the pieces that `make` returns, and counts the pieces requested so far. */
export function streamOf(
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

export async function partialPaths({ app, project }: Files): Promise<string[]> {
  const page = { prefix: `${project.projectId}/`, after: null, limit: 1000 };
  const { blobs } = await app.services.blobStores.internal.list("partial", page);
  return blobs.map(({ path }) => path);
}

/** Uploads and confirms a file, and returns its path. */
export async function uploadFile(
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

/** Returns the staged object of an upload as text, or null if nothing is staged. */
export async function stagedText(
  { app }: Files,
  { filePath }: RequestedUpload,
): Promise<string | null> {
  const stream = await app.services.blobStores.internal.read("staged", filePath);
  return stream && await new Response(stream).text();
}
