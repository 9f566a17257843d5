/** Rights that a bucket must grant, and objects in it. */

import assert from "node:assert/strict";
import http from "node:http";
import https from "node:https";
import { HeadObjectCommand, PutBucketPolicyCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { type Blobs, BlobsUnavailable } from "@/lib/files/blobs.ts";
import { bucketPolicy, corsRules } from "@/lib/files/bucket_rules.ts";
import { Secret } from "@/lib/crypto/secret.ts";
import { openS3Blobs } from "@/lib/files/s3/blobs.ts";
import { documentedRules, type TestBucket } from "../support/s3.ts";
import { aPath, newProject, pathIn, TYPE } from "./blobs_fixtures.ts";
import { until } from "../acceptance/until.ts";
import { startProxy } from "./connection_proxy.ts";
import { onS3, openBucket, type OpenedBucket } from "./s3_fixtures.ts";

const GONE_MS = 10_000;

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
}

/** Other actions on a bucket or an object, except for its policy, which the test itself changes. */
const OTHERS = [
  "s3:CreateBucket",
  "s3:DeleteObjectTagging",
  "s3:DeleteObjectVersion",
  "s3:GetBucketAcl",
  "s3:GetBucketCORS",
  "s3:GetBucketLocation",
  "s3:GetBucketTagging",
  "s3:GetBucketVersioning",
  "s3:GetLifecycleConfiguration",
  "s3:GetObjectAcl",
  "s3:GetObjectTagging",
  "s3:GetObjectVersion",
  "s3:ListBucketVersions",
  "s3:PutBucketAcl",
  "s3:PutBucketTagging",
  "s3:PutBucketVersioning",
  "s3:PutLifecycleConfiguration",
  "s3:PutObjectAcl",
  "s3:PutObjectTagging",
  "s3:PutObjectVersionAcl",
];

/** Denies rights to everyone, including the owner. */
async function deny({ client, name }: TestBucket, rights: readonly string[]): Promise<void> {
  const Statement = [{
    Effect: "Deny",
    Principal: "*",
    Action: rights,
    Resource: [`arn:aws:s3:::${name}`, `arn:aws:s3:::${name}/*`],
  }];
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement });
  await client.send(new PutBucketPolicyCommand({ Bucket: name, Policy }));
}

/** Uses every call of Corbel on an object. */
async function useAll({ blobs, stage }: OpenedBucket): Promise<void> {
  const path = aPath();
  await useInPieces(blobs);
  await blobs.ping();
  await stage(path, "hello");
  assert.deepEqual(await blobs.stat("staged", path), { bytes: 5 });
  assert.deepEqual(await blobs.publish(path, TYPE), { bytes: 5 });
  assert.equal(await new Response(await blobs.read("stored", path)).text(), "hello");
  const { blobs: listed } = await blobs.list("stored", { prefix: "", after: null, limit: 10 });
  assert.equal(listed.length, 1);
  for (const place of ["staged", "stored"] as const) await blobs.remove(place, path);
  assert.equal(await blobs.stat("stored", path), null);
}

/** Uploads a file in pieces, and cancels another upload. */
async function useInPieces({ pieces }: Blobs): Promise<void> {
  const upload = { path: aPath(), bytes: 5, contentType: TYPE, place: "private" as const };
  await pieces.begin(upload);
  const name = await pieces.begin(upload);
  await using writer = await pieces.resume(upload, { name, arrived: 0 });
  await writer.write(new Uint8Array(5));
  assert.deepEqual(await pieces.join(upload, name), { bytes: 5 });
  await pieces.remove(upload.path);
}

onS3("the documented rights of the key are sufficient, and each is necessary", async () => {
  await using opened = await openBucket();
  const { bucket } = opened;
  const { Statement } = JSON.parse(await documentedRules("rights", bucket.name));
  const rights = Statement.flatMap(({ Action }: Statement) => Action) as string[];
  assert.deepEqual(rights, [
    "s3:ListBucket",
    "s3:ListBucketMultipartUploads",
    "s3:GetObject",
    "s3:PutObject",
    "s3:DeleteObject",
    "s3:ListMultipartUploadParts",
    "s3:AbortMultipartUpload",
  ]);
  await deny(bucket, OTHERS);
  await useAll(opened);
  for (const right of rights) {
    await deny(bucket, [right]);
    await assert.rejects(useAll(opened), /AccessDenied|403/, right);
  }
});

onS3("a bucket that denies access does not count as empty", async () => {
  await using opened = await openBucket();
  const { bucket, blobs, options } = opened;
  const namesRight = (error: Error) =>
    error instanceof BlobsUnavailable && /403/.test(error.message) &&
    /s3:ListBucket/.test(error.message);
  // This refusal has a body, unlike answers to HEAD.
  await deny(bucket, ["s3:ListBucket"]);
  await assert.rejects(blobs.ping(), namesRight);
  await using refused = openS3Blobs({ ...options, secretAccessKey: new Secret("another") });
  await assert.rejects(refused.stat("staged", aPath()), namesRight);
  await assert.rejects(refused.publish(aPath(), TYPE), namesRight);
});

onS3("the documented policy makes files public, and no staged objects", async () => {
  await using opened = await openBucket();
  const { bucket, blobs, visit, stage } = opened;
  const path = aPath();
  await stage(path, "hello");
  const staged = `${bucket.account.endpoint}/${bucket.name}/_incoming/${path}`;
  const stored = blobs.publicUrl(path)!;
  for (const method of ["GET", "HEAD"]) {
    assert.equal((await visit(staged, { method })).status, 403, method);
  }
  assert.equal((await visit(stored)).status, 403);
  await blobs.publish(path, TYPE);
  assert.deepEqual(await visit(stored), { status: 200, text: "hello" });
  assert.equal((await visit(staged)).status, 403);
  for (const method of ["PUT", "DELETE"]) {
    assert.equal((await visit(stored, { method })).status, 403, method);
  }
  assert.equal((await visit(`${bucket.account.endpoint}/${bucket.name}`)).status, 403, "a listing");
  assert.deepEqual(JSON.parse(await documentedRules("policy", "b")), bucketPolicy("b"));
});

onS3(
  "with the documented CORS rules another site may upload and read the response",
  async () => {
    await using opened = await openBucket();
    const origin = "https://app.example";
    const address = await opened.blobs.signUpload({
      path: aPath(),
      bytes: 5,
      contentType: TYPE,
      expiresAt: Date.now() + 60_000,
    });
    const preflight = async (headers: Record<string, string>) => {
      using client = Deno.createHttpClient({});
      const response = await fetch(address, {
        method: "OPTIONS",
        headers: { origin, ...headers },
        client,
      });
      await response.body?.cancel();
      return response;
    };
    const put = { "access-control-request-method": "PUT" };
    const allowed = await preflight({ ...put, "access-control-request-headers": "content-type" });
    assert.equal(allowed.status, 200);
    assert.match(
      allowed.headers.get("access-control-allow-origin")!,
      /^(?:\*|https:\/\/app\.example)$/,
    );
    const more = await preflight({ ...put, "access-control-request-headers": "x-amz-acl" });
    assert.equal(more.status, 403);
    assert.deepEqual(JSON.parse(await documentedRules("cors", "b")), {
      CORSRules: corsRules(["*"]),
    });
  },
);

onS3(
  "a file is served with the requested headers, not with those of the upload",
  async () => {
    await using opened = await openBucket();
    const { bucket, visit } = opened;
    await using shared = openS3Blobs({ ...opened.options, sharesHost: true });
    for (
      const [contentType, disposition, blobs = opened.blobs, served = contentType] of [
        ["image/png", undefined],
        ["text/plain; charset=utf-8", undefined],
        ["application/pdf", undefined],
        ["image/png", undefined, shared],
        ["application/pdf", "attachment", shared],
        ["text/html", "attachment"],
        ["image/svg+xml", "attachment"],
        ["text/javascript", "attachment"],
        ["video/webm;codecs=vp8,opus", undefined, shared, "video/webm"],
        ["text/html;a=b,c", "attachment", shared, "text/html"],
      ] as const
    ) {
      const path = aPath();
      const expiresAt = Date.now() + 60_000;
      const address = await blobs.signUpload({ path, bytes: 1, contentType, expiresAt });
      const { status } = await visit(address, {
        method: "PUT",
        body: "x",
        headers: { "content-type": contentType, "cache-control": "no-store", "x-amz-meta-a": "b" },
      });
      assert.equal(status, 200);
      await blobs.publish(path, contentType);
      const found = await bucket.client.send(
        new HeadObjectCommand({ Bucket: bucket.name, Key: path }),
      );
      assert.deepEqual(
        [found.ContentType, found.ContentDisposition, found.Metadata],
        [served, disposition, {}],
      );
      assert.equal(found.CacheControl, "public, max-age=31536000, immutable");
    }
  },
);

onS3("foreign objects in the bucket are not listed and do not disturb a walk", async () => {
  await using opened = await openBucket();
  const { bucket, blobs, stage } = opened;
  // `_incoming/` sorts between digits and letters.
  const [first, last] = [pathIn(`0${newProject().slice(1)}`), pathIn(`f${newProject().slice(1)}`)];
  for (const path of [first, last]) {
    await stage(path, "x");
    await blobs.publish(path, TYPE);
  }
  await Promise.all(Array.from({ length: 7 }, () => stage(pathIn(newProject()), "x")));
  for (
    const Key of ["index.html", "0/readme", "_incoming/readme", "_logs/x", `${newProject()}/x`]
  ) {
    await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: "x" }));
  }
  for (const limit of [1, 2, 3, 5, 100]) {
    const found: string[] = [];
    for (let after: string | null = null;;) {
      const page = await blobs.list("stored", { prefix: "", after, limit });
      found.push(...page.blobs.map(({ path }) => path));
      if (page.next === null) break;
      after = page.next;
    }
    assert.deepEqual(found, [first, last], `pages of ${limit}`);
  }
  const staged = await blobs.list("staged", { prefix: "", after: null, limit: 1000 });
  assert.equal(staged.blobs.length, 9);
});

onS3(
  "a disposed driver closes its connections, but not those of given agents",
  async () => {
    await using opened = await openBucket();
    const { options } = opened;
    await using proxy = startProxy(options.endpoint!, () => "pass");
    const here = { ...options, endpoint: proxy.origin };
    const own = openS3Blobs(here);
    await own.ping();
    assert.ok(proxy.clients() > 0);
    await own[Symbol.asyncDispose]();
    await until("its connections are closed", () => proxy.clients() === 0, GONE_MS);

    using stack = new DisposableStack();
    const httpAgent = stack.adopt(new http.Agent({ keepAlive: true }), (agent) => agent.destroy());
    const withGivenAgents = openS3Blobs({
      ...here,
      agents: { httpAgent, httpsAgent: new https.Agent() },
    });
    await withGivenAgents.ping();
    const [socket] = Object.values(httpAgent.freeSockets).flat();
    await withGivenAgents[Symbol.asyncDispose]();
    assert.equal(socket!.destroyed, false);
  },
);
