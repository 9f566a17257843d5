/** Signed addresses of a bucket, which are created without a server. */

import assert from "node:assert/strict";
import { Secret } from "@/lib/crypto/secret.ts";
import { openS3Blobs } from "@/lib/files/s3/blobs.ts";
import type { S3Options } from "@/lib/files/s3/client.ts";
import type { UploadGrant } from "@/lib/files/blobs.ts";
import { aPath } from "./blobs_fixtures.ts";

const OPTIONS: S3Options = {
  endpoint: "https://s3.example",
  region: "eu-central-1",
  bucket: "files",
  pathStyle: true,
  publicUrl: "https://files.example/base",
  accessKeyId: "the-key-id",
  secretAccessKey: new Secret("the secret of a store"),
};

const UPLOAD: UploadGrant = {
  path: aPath(),
  bytes: 5,
  contentType: "text/plain",
  expiresAt: Date.now() + 600_000,
};

async function addressOf(upload: UploadGrant = UPLOAD, options: S3Options = OPTIONS): Promise<URL> {
  await using blobs = openS3Blobs(options);
  return new URL(await blobs.signUpload(upload));
}

/** Returns the expiry of an address in milliseconds since 1970. */
function endOf({ searchParams }: URL): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
    .exec(searchParams.get("X-Amz-Date")!)!.map(Number) as [number, ...number[]];
  const [year, month, ...rest] = parts as [number, number, ...number[]];
  return Date.UTC(year, month - 1, ...rest) + Number(searchParams.get("X-Amz-Expires")) * 1000;
}

Deno.test("s3: an address signs host, type and length, and adds no checksum", async () => {
  const { searchParams } = await addressOf();
  assert.equal(searchParams.get("X-Amz-SignedHeaders"), "content-length;content-type;host");
  assert.deepEqual([...searchParams.keys()].filter((name) => /checksum/i.test(name)), []);
});

Deno.test("s3: the bucket is in the path of an endpoint, and in the host name of AWS", async () => {
  const own = await addressOf();
  assert.equal(own.origin + own.pathname, `https://s3.example/files/_incoming/${UPLOAD.path}`);
  const aws = await addressOf(UPLOAD, { ...OPTIONS, endpoint: null, pathStyle: false });
  assert.equal(aws.host, "files.s3.eu-central-1.amazonaws.com");
  assert.equal(aws.pathname, `/_incoming/${UPLOAD.path}`);
});

Deno.test("s3: an address expires by the caller's clock, never later", async () => {
  for (const clock of [Date.parse("2020-01-01T00:00:00.900Z"), Date.parse("2040-01-01")]) {
    for (const left of [600_000, 599_999, 60_000, 1_999, 1, 0, -1, -3_600_000, 86_400_000]) {
      const before = Date.now();
      const address = await addressOf({ ...UPLOAD, expiresAt: clock + left }, {
        ...OPTIONS,
        clock: { now: () => clock, elapsed: () => clock },
      });
      const end = endOf(address);
      assert.ok(end <= Date.now() + left, `${left}: ${end - Date.now()} are left`);
      // Stores count in seconds.
      assert.ok(end > before + left - 2000, `${left}: ${end - before} are left`);
    }
  }
});

Deno.test("s3: a public address uses the public base, and is null without one", async () => {
  const path = UPLOAD.path;
  await using shown = openS3Blobs(OPTIONS);
  assert.equal(shown.publicUrl(path), `https://files.example/base/${path}`);
  await using hidden = openS3Blobs({ ...OPTIONS, publicUrl: null });
  assert.equal(hidden.publicUrl(path), null);
});
