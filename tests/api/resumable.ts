/** Helpers for resumable uploads, which send requests as tus clients do. */

import type { FilePlace } from "@/lib/files/blobs.ts";
import { createUploadTokens } from "@/lib/files/upload_tokens.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestApp } from "../support/test_app.ts";
import type { RequestedUpload } from "./files.ts";

export const resumablePath = ({ resumableUrl }: RequestedUpload): string =>
  new URL(resumableUrl).pathname;

const TUS = { "tus-resumable": "1.0.0" };

export const head = (
  app: TestApp,
  upload: RequestedUpload,
  change: Partial<Call> = {},
): Promise<Answer> =>
  app.send({ method: "HEAD", path: resumablePath(upload), headers: TUS, ...change });

/** Requests an upload by GET, whose refusals have a body, unlike those of HEAD. */
export const ask = (
  app: TestApp,
  upload: RequestedUpload,
  change: Partial<Call> = {},
): Promise<Answer> => app.send({ path: resumablePath(upload), headers: TUS, ...change });

export const cancel = (
  app: TestApp,
  upload: RequestedUpload,
  change: Partial<Call> = {},
): Promise<Answer> =>
  app.send({ method: "DELETE", path: resumablePath(upload), headers: TUS, ...change });

export const offsetOf = async (app: TestApp, upload: RequestedUpload): Promise<number> =>
  Number((await head(app, upload)).headers.get("upload-offset"));

/** Sends bytes of an upload from `offset` on. */
export const patch = (
  app: TestApp,
  upload: RequestedUpload,
  offset: number | string,
  change: Partial<Call> = {},
): Promise<Answer> =>
  app.send({
    method: "PATCH",
    path: resumablePath(upload),
    ...change,
    headers: {
      ...TUS,
      "content-type": "application/offset+octet-stream",
      "upload-offset": String(offset),
      ...change.headers as object,
    },
  });

export async function sendRest(
  app: TestApp,
  upload: RequestedUpload,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const offset = await offsetOf(app, upload);
  const { status, text } = await patch(app, upload, offset, { body: bytes.slice(offset) });
  if (status !== 204) throw new Error(`At ${offset} it answered ${status}: ${text}`);
}

/** The stored bytes of the file, confirmed or not, or null if there are none. */
export async function storedBytes(
  { services }: TestApp,
  { filePath }: RequestedUpload,
  place: FilePlace = "stored",
): Promise<Uint8Array | null> {
  const stream = await services.blobStores.internal.read(place, filePath);
  return stream && await new Response(stream).bytes();
}

export async function storedText(app: TestApp, upload: RequestedUpload): Promise<string | null> {
  const bytes = await storedBytes(app, upload);
  return bytes && new TextDecoder().decode(bytes);
}

/** Paths with an invalid token: one for PUT, altered, truncated, or signed for another purpose. */
export function forgedPaths({ services: { keyRing } }: TestApp, upload: RequestedUpload): string[] {
  const token = resumablePath(upload).split("/").at(-1)!;
  const places = [0, 5, 40, token.indexOf(".") + 1, token.length - 2];
  const altered = places.map((at) =>
    token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
  );
  const others = ["cursors", "sign-in cookies"]
    .map((purpose) => createUploadTokens(keyRing.derive(purpose)).writeResumable(upload.filePath));
  const put = new URL(upload.signedUrl).pathname.split("/").at(-1)!;
  const [payload] = token.split(".");
  return [
    ...altered,
    ...others,
    put,
    payload!,
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    "x",
  ]
    .map((forged) => `/api/storage/resumable/${forged}`);
}
