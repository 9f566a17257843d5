/** Misuse of a signed address of a bucket. */

import assert from "node:assert/strict";
import { createTestBucket, hasS3, keysIn, type TestBucket } from "../support/s3.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Files, openFiles, putTo, type RequestedUpload } from "../api/files.ts";
import { refused } from "../api/test_collection.ts";

const TYPE = "text/plain";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

interface Fixture extends AsyncDisposable {
  readonly bucket: TestBucket;
  readonly files: Files;
  readonly others: Files;
}

async function openFixture(): Promise<Fixture> {
  await using opening = new AsyncDisposableStack();
  const bucket = opening.use(await createTestBucket());
  const app = opening.use(await openTestApp({ env: bucket.settings }));
  const [files, others] = [await openFiles(app), await openFiles(app)];
  const opened = opening.move();
  return { bucket, files, others, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function onS3(name: string, attack: (fixture: Fixture) => Promise<void>): void {
  Deno.test({
    name,
    ignore: !hasS3(),
    async fn() {
      await using fixture = await openFixture();
      await attack(fixture);
    },
  });
}

async function storeFile(files: Files, text: string): Promise<RequestedUpload> {
  const upload = await files.request(text.length, TYPE);
  assert.equal(await putTo(upload.signedUrl, bytesOf(text), TYPE), 200);
  assert.equal((await files.confirm(upload)).status, 200);
  return upload;
}

async function visit(address: string, init: RequestInit = {}): Promise<[number, string]> {
  using client = Deno.createHttpClient({});
  const response = await fetch(address, { ...init, client });
  return [response.status, await response.text()];
}

const urlOf = ({ account, name }: TestBucket, key: string) => `${account.endpoint}/${name}/${key}`;

/** Returns a publicly readable text, or null. */
async function publicText(bucket: TestBucket, key: string): Promise<string | null> {
  const [status, text] = await visit(urlOf(bucket, key));
  return status === 200 ? text : null;
}

onS3(
  "an address with a changed part is refused, and so is any method but PUT",
  async (fixture) => {
    const { bucket, files, others } = fixture;
    const upload = await files.request(5, TYPE);
    const foreign = await others.request(5, TYPE);
    const { signedUrl, filePath } = upload;
    const altered = [
      signedUrl.replace(filePath, foreign.filePath),
      signedUrl.replace(`_incoming/${filePath}`, filePath),
      signedUrl.replace(/X-Amz-Expires=\d+/, "X-Amz-Expires=604800"),
      signedUrl.replace(/X-Amz-Date=2/, "X-Amz-Date=3"),
      signedUrl.replace(/X-Amz-SignedHeaders=[^&]+/, "X-Amz-SignedHeaders=host"),
      signedUrl.replace(/X-Amz-Signature=.{4}/, "X-Amz-Signature=0000"),
      `${signedUrl}&acl`,
      `${signedUrl}&tagging`,
      `${signedUrl}&uploadId=1&partNumber=1`,
      signedUrl.split("?")[0]!,
    ];
    for (const address of altered) {
      assert.notEqual(address, signedUrl);
      const status = await putTo(address, bytesOf("hello"), TYPE);
      assert.ok(status === 403 || status === 400, `${status} for ${address}`);
    }
    for (const method of ["GET", "HEAD", "DELETE", "POST"]) {
      const headers = { "content-type": TYPE };
      const [status] = await visit(signedUrl, { method, headers });
      assert.ok(status === 403 || status === 405, `${method}: ${status}`);
    }
    assert.deepEqual(await keysIn(bucket), []);
    assert.equal(
      await putTo(signedUrl, bytesOf("hello"), TYPE),
      200,
      "the signed address is still valid",
    );
  },
);

onS3(
  "a used address neither replaces a confirmed file nor restores a deleted one",
  async (fixture) => {
    const { bucket, files } = fixture;
    const upload = await storeFile(files, "first");
    const usage = await files.usage();
    assert.equal(await putTo(upload.signedUrl, bytesOf("other"), TYPE), 200);
    assert.equal((await files.confirm(upload)).status, 200);
    assert.equal(await publicText(bucket, upload.filePath), "first");
    assert.deepEqual(await files.usage(), usage);

    assert.equal((await files.remove(upload.filePath)).status, 200);
    assert.equal(await putTo(upload.signedUrl, bytesOf("other"), TYPE), 200);
    refused(await files.confirm(upload), 404, "FILE_NOT_FOUND", "");
    assert.equal(await publicText(bucket, upload.filePath), null);
    assert.equal((await files.usage()).used, 0);
  },
);

/** Copies an object over an upload, if the store accepts an unsigned header. */
const putCopy = ({ name }: TestBucket, { signedUrl, size }: RequestedUpload, key: string) =>
  putTo(signedUrl, new Uint8Array(size), TYPE, { "x-amz-copy-source": `/${name}/${key}` });

onS3(
  "a copy of a longer object over an upload is refused and not charged",
  async (fixture) => {
    const { bucket, files, others } = fixture;
    const long = await storeFile(others, "ten bytes!");
    const upload = await files.request(5, TYPE);
    const status = await putCopy(bucket, upload, long.filePath);
    if (status === 403) return; // AWS refuses unsigned headers that start with x-amz-.
    assert.equal(status, 200);
    refused(await files.confirm(upload), 400, "SIZE_MISMATCH", "");
    assert.equal(await publicText(bucket, upload.filePath), null);
    const { used, reserved } = await files.usage();
    assert.deepEqual([used, reserved, await files.rows()], [0, 0, []]);
    assert.deepEqual(
      await keysIn(bucket),
      [long.filePath],
      "no upload remains, and the source is complete",
    );
  },
);

onS3(
  "a copy of the right length is charged and served like an upload",
  async (fixture) => {
    const { bucket, files, others } = fixture;
    const page = "<script>1</script>";
    const source = await others.request(page.length, "text/html");
    assert.equal(await putTo(source.signedUrl, bytesOf(page), "text/html"), 200);
    assert.equal((await others.confirm(source)).status, 200);
    const upload = await files.request(page.length, TYPE);
    if (await putCopy(bucket, upload, source.filePath) === 403) return;
    assert.equal((await files.confirm(upload)).status, 200);
    assert.equal((await files.usage()).used, page.length);
    using client = Deno.createHttpClient({});
    const served = await fetch(urlOf(bucket, upload.filePath), { client });
    assert.equal(await served.text(), page);
    assert.equal(served.headers.get("content-type"), TYPE, "the type differs from the source's");
    // Each can be deleted separately.
    assert.equal((await files.remove(upload.filePath)).status, 200);
    assert.equal(await publicText(bucket, source.filePath), page);
  },
);

onS3("making an upload public exposes only that upload", async (fixture) => {
  const { bucket, files, others } = fixture;
  const foreign = await others.request(6, TYPE);
  assert.equal(await putTo(foreign.signedUrl, bytesOf("secret"), TYPE), 200);
  const upload = await files.request(5, TYPE);
  const acl = { "x-amz-acl": "public-read-write" };
  if (await putTo(upload.signedUrl, bytesOf("hello"), TYPE, acl) === 403) return;
  assert.equal(await publicText(bucket, `_incoming/${foreign.filePath}`), null);
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await publicText(bucket, upload.filePath), "hello");
  // The upload's signature is not valid for the file.
  const [status] = await visit(urlOf(bucket, upload.filePath), { method: "PUT", body: "other" });
  assert.equal(status, 403);
  assert.equal(await publicText(bucket, `_incoming/${upload.filePath}`), null);
});
