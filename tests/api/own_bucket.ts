import { fileBytes } from "../support/file_bytes.ts";
import assert from "node:assert/strict";
import { createTestBucket, settingsOf, type TestBucket } from "../support/s3.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { type Files, openFiles, type RequestedUpload } from "./files.ts";
import { setStorage } from "@/tests/support/given.ts";

export interface OwnBucket extends AsyncDisposable {
  readonly app: TestApp;
  readonly project: TestProject;
  readonly files: Files;
  readonly bucket: TestBucket;
  /** Sends bytes to the upload's signed URL, as a client does, and returns the status. */
  put(upload: RequestedUpload, bytes?: Uint8Array<ArrayBuffer>): Promise<number>;
}

export async function openOwnBucket(changes: object = {}): Promise<OwnBucket> {
  await using opening = new AsyncDisposableStack();
  const bucket = opening.use(await createTestBucket());
  const app = opening.use(await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } }));
  const http = opening.adopt(Deno.createHttpClient({}), (client) => client.close());
  const project = await app.project();
  await setStorage(app.services, project.projectId, settingsOf(bucket, changes));
  const opened = opening.move();
  return {
    app,
    project,
    files: await openFiles(app, project),
    bucket,
    async put({ signedUrl, contentType, size }, body = fileBytes(contentType, size)) {
      assert.ok(signedUrl.startsWith(`${bucket.account.endpoint}/${bucket.name}/_incoming/`));
      const response = await fetch(signedUrl, {
        method: "PUT",
        headers: { "content-type": contentType },
        body,
        client: http,
      });
      await response.body?.cancel();
      return response.status;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
