import assert from "node:assert/strict";
import { factsOf, picture } from "../support/picture.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { clearStorage } from "@/lib/files/storage_settings.ts";
import { Problem } from "@/lib/problems.ts";
import { hasS3, keysIn } from "../support/s3.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Files, MiB, openFiles } from "./files.ts";
import { settingsOf } from "../support/s3.ts";
import { openOwnBucket } from "./own_bucket.ts";
import { ok, refused, times } from "./test_collection.ts";
import { setStorage } from "@/tests/support/given.ts";

function s3Test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasS3(), fn });
}

const isInUse = (count: number) => (error: unknown) =>
  error instanceof Problem && error.code === "STORAGE_IN_USE" &&
  error.message.startsWith(`${count} `);

s3Test("sizes of a picture in the project's own bucket are made and served by Corbel", async () => {
  await using own = await openOwnBucket();
  const { files, bucket, app } = own;
  const bytes = await picture();
  const upload = await files.request(bytes.length, "image/png", "cat.png");
  assert.equal(await own.put(upload, bytes), 200);
  assert.equal((await files.confirm(upload)).status, 200);
  const { sizesUrl } = ok(await files.info(upload.filePath));
  const { pathname } = new URL(sizesUrl);
  for (let i = 0; i < 2; i++) {
    const response = await app.open({ path: `${pathname}?w=64&format=webp` });
    const { format, width, height } = await factsOf(await response.bytes());
    assert.deepEqual([response.status, format, width, height], [200, "webp", 64, 48]);
  }
  assert.deepEqual(await keysIn(bucket), [upload.filePath], "Corbel stores no sizes in the bucket");
  const original = await app.send({ path: pathname });
  refused(original, 404, "FILE_NOT_FOUND");
});

s3Test(
  "a file in the project's own bucket is served there and counts towards no quota",
  async () => {
    await using own = await openOwnBucket();
    const { files, bucket, app, project } = own;
    const upload = await files.request(11 * MiB, "image/png", "map.png");
    assert.equal(await own.put(upload), 200);
    assert.deepEqual(await keysIn(bucket), [`_incoming/${upload.filePath}`]);
    const { status, body } = await files.confirm(upload);
    assert.equal(status, 200);
    assert.equal(body.provider, "external");
    assert.equal(body.url, `${bucket.account.endpoint}/${bucket.name}/${upload.filePath}`);
    assert.deepEqual(await keysIn(bucket), [upload.filePath]);
    assert.deepEqual(await files.usage(), {
      used: 0,
      reserved: 0,
      limit: null,
      fileBytesMax: 80_000 * MiB,
      provider: "external",
    });
    const info = await files.info(upload.filePath);
    assert.equal(info.body.data.url, body.url);
    assert.equal((await files.remove(upload.filePath)).status, 200);
    assert.deepEqual(await keysIn(bucket), []);
    refused(await files.remove(upload.filePath), 404, "FILE_NOT_FOUND");
    assert.equal((await reconcile(app.services, project.projectId, { repair: false })).ok, true);
  },
);

s3Test("a bucket without a publicUrl yields a null url and a warning", async () => {
  await using own = await openOwnBucket({ publicUrl: null });
  const upload = await own.files.request();
  assert.equal(await own.put(upload), 200);
  const { status, body } = await own.files.confirm(upload);
  assert.equal(status, 200);
  assert.equal(body.url, null);
  assert.equal(typeof body.warning, "string");
});

s3Test(
  "an own bucket has no quota, and the provider's limits of 5 GiB and 10,000 parts",
  async () => {
    await using own = await openOwnBucket();
    const { files } = own;
    const body = { filename: "a.bin", contentType: "application/octet-stream" };
    for (const size of [11 * MiB, 30 * MiB, 5120 * MiB]) {
      assert.equal((await files.ask({ ...body, size })).status, 200, String(size));
    }
    for (const size of [5120 * MiB + 1, 80_000 * MiB]) {
      const { status, body: upload } = await files.ask({ ...body, size });
      assert.deepEqual(
        [status, upload.signedUrl],
        [200, null],
        "the file is too large for one PUT",
      );
      assert.match(upload.resumableUrl, /^http/);
    }
    refused(await files.ask({ ...body, size: 80_000 * MiB + 1 }), 413, "FILE_TOO_LARGE");
  },
);

s3Test("each file stays in the store it was uploaded to, even if the settings change", async () => {
  await using own = await openOwnBucket();
  const { app, project, files, bucket } = own;
  await clearStorage(app.services, project.projectId);
  const inside = await files.upload(5);
  const waiting = await files.request(7);
  await setStorage(app.services, project.projectId, settingsOf(bucket));
  const outside = await files.request(9);
  assert.equal(await own.put(outside), 200);
  assert.equal((await files.confirm(outside)).body.provider, "external");
  await files.put(waiting);
  assert.equal((await files.confirm(waiting)).body.provider, "internal");
  assert.equal((await files.confirm(inside)).body.provider, "internal");
  assert.deepEqual(await keysIn(bucket), [outside.filePath]);
  assert.deepEqual((await files.objects()).stored, [inside.filePath, waiting.filePath].toSorted());
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 12, reserved: 0 });
  for (const { filePath } of [inside, outside, waiting]) {
    assert.equal((await files.remove(filePath)).status, 200);
  }
  assert.deepEqual(await keysIn(bucket), []);
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
});

s3Test(
  "a bucket with requested or confirmed files cannot be replaced or cleared",
  async () => {
    await using own = await openOwnBucket();
    const { app: { services }, project: { projectId }, files, bucket } = own;
    const upload = await files.request();
    const others = settingsOf(bucket, { bucket: `${bucket.name}-2` });
    await assert.rejects(setStorage(services, projectId, others), isInUse(1));
    assert.equal(await own.put(upload), 200);
    assert.equal((await files.confirm(upload)).status, 200);
    const second = await files.request();
    await assert.rejects(clearStorage(services, projectId), isInUse(2));
    await setStorage(services, projectId, settingsOf(bucket, { publicUrl: null }));
    assert.equal((await files.confirm(upload)).body.url, null);
    for (const { filePath } of [upload, second]) {
      assert.equal((await files.remove(filePath)).status, 200);
    }
    await clearStorage(services, projectId);
    assert.equal((await files.usage()).provider, "internal");
  },
);

s3Test(
  "uploads requested while a bucket is cleared have a store that still exists",
  async () => {
    await using own = await openOwnBucket();
    const { app: { services }, project: { projectId }, files, bucket } = own;
    for (let round = 0; round < 5; round++) {
      await setStorage(services, projectId, settingsOf(bucket));
      const [before, isCleared, after] = await Promise.all([
        Promise.all(times(4, () => files.request(1))),
        clearStorage(services, projectId).then(() => true, () => false),
        Promise.all(times(4, () => files.request(1))),
      ]);
      const rows = await files.rows();
      assert.equal(rows.length, before.length + after.length);
      const external = rows.filter(({ target }) => target !== "internal");
      if (isCleared) assert.deepEqual(external, []);
      assert.equal((await files.usage()).reserved, rows.length - external.length);
      for (const { path } of rows) assert.equal((await files.remove(path)).status, 200);
      assert.equal((await reconcile(services, projectId, { repair: false })).ok, true);
    }
  },
);

s3Test("changed keys of a bucket are used from the next call", async () => {
  await using own = await openOwnBucket();
  const { app: { services }, project: { projectId }, files, bucket } = own;
  const upload = await files.request();
  assert.equal(await own.put(upload), 200);
  await setStorage(services, projectId, settingsOf(bucket, { secretAccessKey: "mistyped" }));
  const wrong = await files.confirm(upload);
  refused(wrong, 503, "STORAGE_UNAVAILABLE");
  assert.ok(!wrong.text.includes(bucket.name), "the response contains no detail");
  await setStorage(services, projectId, settingsOf(bucket));
  assert.equal((await files.confirm(upload)).status, 200);
});

Deno.test("an endpoint in a private network is not called, and responses do not name it", async () => {
  let requests = 0;
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    requests++;
    return new Response();
  });
  await using allowing = await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const project = await allowing.project();
  await using app = await openTestApp({ store: allowing.store });
  const files = await openFiles(app, {
    ...project,
    asSecret: (call) =>
      app.send({
        ...call,
        headers: [["x-api-key", project.secretKey], ...new Headers(call.headers)],
      }),
  });
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]) {
    await setStorage(allowing.services, project.projectId, {
      endpoint: `http://${host}:${server.addr.port}`,
      bucket: "inside",
      accessKeyId: "key",
      secretAccessKey: "secret",
    });
    const before = requests;
    const upload = await files.request();
    const answer = await files.confirm(upload);
    refused(answer, 503, "STORAGE_UNAVAILABLE");
    assert.ok(!answer.text.includes(host), host);
    assert.equal((await files.remove(upload.filePath)).status, 200);
    assert.equal(requests, before);
  }
});

Deno.test("redirects of a store are not followed", async () => {
  const seen: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, origin } = new URL(request.url);
    seen.push(pathname);
    return new Response(null, { status: 307, headers: { location: `${origin}/inside` } });
  });
  await using app = await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const files = await openFiles(app);
  await setStorage(app.services, files.project.projectId, {
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    bucket: "redirecting",
    accessKeyId: "key",
    secretAccessKey: "secret",
  });
  refused(await files.confirm(await files.request()), 503, "STORAGE_UNAVAILABLE");
  assert.ok(seen.length > 0);
  assert.ok(!seen.includes("/inside"), seen.join());
});

/** Runs `work` on a store whose responses never end. A HEAD request finds an object to copy. */
async function withEndlessStore(
  status: number,
  next: () => Promise<Uint8Array<ArrayBuffer>>,
  work: (files: Files) => Promise<void>,
): Promise<void> {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const headers = { "content-type": "application/xml", "content-length": "12", etag: '"x"' };
    if (request.method === "HEAD") return new Response(null, { headers });
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(await next());
      },
    });
    return new Response(body, { status, headers: { "content-type": "application/xml" } });
  });
  await using app = await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const files = await openFiles(app);
  await setStorage(app.services, files.project.projectId, {
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    bucket: "endless",
    accessKeyId: "key",
    secretAccessKey: "secret",
  });
  await work(files);
}

Deno.test("endless responses of a store are read up to a limit only", async () => {
  const chunk = new Uint8Array(262_144).fill(32);
  for (const status of [200, 403, 500]) {
    let sent = 0;
    const next = () => {
      sent += chunk.length;
      return Promise.resolve(chunk);
    };
    await withEndlessStore(status, next, async (files) => {
      refused(await files.confirm(await files.request(12)), 503, "STORAGE_UNAVAILABLE");
    });
    assert.ok(sent > 0, "the copy was asked for");
    assert.ok(sent < 64 * MiB, `${status}: ${sent} bytes were sent`);
  }
});
