/** Uploads in pieces as clients of tus make them, in tests of files. */

import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestApp } from "../support/test_app.ts";
import type { Requested } from "./files.ts";

/** Where the pieces of an upload go. */
export const resumablePath = ({ resumableUrl }: Requested): string =>
  new URL(resumableUrl).pathname;

const TUS = { "tus-resumable": "1.0.0" };

export const head = (
  app: TestApp,
  upload: Requested,
  change: Partial<Call> = {},
): Promise<Answer> =>
  app.send({ method: "HEAD", path: resumablePath(upload), headers: TUS, ...change });

/** How many bytes have arrived. */
export const offsetOf = async (app: TestApp, upload: Requested): Promise<number> =>
  Number((await head(app, upload)).headers.get("upload-offset"));

/** Sends bytes of an upload, behind those that have arrived. */
export const patch = (
  app: TestApp,
  upload: Requested,
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
