import assert from "node:assert/strict";
import { Secret } from "@/lib/crypto/secret.ts";
import { openS3Blobs, type S3Blobs } from "@/lib/files/s3/blobs.ts";
import type { S3Options } from "@/lib/files/s3/client.ts";
import { createTestBucket, hasS3, type TestBucket } from "../support/s3.ts";
import { TYPE } from "./blobs_fixtures.ts";

export const optionsOf = ({ name, account }: TestBucket): S3Options => ({
  ...account,
  secretAccessKey: new Secret(account.secretAccessKey),
  bucket: name,
  pathStyle: true,
  publicUrl: `${account.endpoint}/${name}`,
});

/** A bucket, the driver on it, and a client without credentials. */
export interface OpenedBucket extends AsyncDisposable {
  readonly bucket: TestBucket;
  readonly options: S3Options;
  readonly blobs: S3Blobs;
  visit(address: string, init?: RequestInit): Promise<{ status: number; text: string }>;
  stage(path: string, body: string, contentType?: string): Promise<void>;
}

export async function openBucket(): Promise<OpenedBucket> {
  await using opening = new AsyncDisposableStack();
  const bucket = opening.use(await createTestBucket());
  const options = optionsOf(bucket);
  const blobs = opening.use(openS3Blobs(options));
  const client = opening.adopt(Deno.createHttpClient({}), (client) => client.close());
  const opened = opening.move();
  const visit = async (address: string, init: RequestInit = {}) => {
    const response = await fetch(address, { ...init, client });
    return { status: response.status, text: await response.text() };
  };
  return {
    bucket,
    options,
    blobs,
    visit,
    async stage(path, body, contentType = TYPE) {
      const expiresAt = Date.now() + 60_000;
      const address = await blobs.signUpload({ path, bytes: body.length, contentType, expiresAt });
      const headers = { "content-type": contentType };
      const { status, text } = await visit(address, { method: "PUT", body, headers });
      assert.equal(status, 200, text);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Registers a test that is ignored without an S3 server, which `deno task test` reports. */
export const onS3 = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name: `s3: ${name}`, ignore: !hasS3(), fn });
