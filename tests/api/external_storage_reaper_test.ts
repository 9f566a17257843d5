import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import assert from "node:assert/strict";
import { newPath } from "@/lib/files/paths.ts";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { hasS3, keysIn } from "../support/s3.ts";
import { openOwnBucket } from "./own_bucket.ts";

function s3Test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasS3(), fn });
}

s3Test("the reaper removes expired and late uploads from a project's own bucket", async () => {
  await using own = await openOwnBucket();
  const { app, bucket, files } = own;
  const [expired, deleted] = [await files.request(), await files.request()];
  assert.equal(await own.put(expired), 200);
  assert.equal((await files.remove(deleted.filePath)).status, 200);
  assert.equal(await own.put(deleted), 200, "a bucket's signed address does not check the upload");
  assert.equal((await reap(app.services)).swept, 1);
  assert.deepEqual(await keysIn(bucket), [`_incoming/${expired.filePath}`]);
  app.clock.advance(20 * 60_000);
  assert.equal((await reap(app.services)).released, 1);
  assert.deepEqual(await keysIn(bucket), []);
});

s3Test(
  "reconcile checks a project's own bucket, and leaves objects of other paths",
  async () => {
    await using own = await openOwnBucket();
    const { app, bucket, files, project: { projectId } } = own;
    const run = (repair: boolean) => reconcile(app.services, projectId, { repair });
    const put = (Key: string) =>
      bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: "nobody's" }));
    const [kept, lost] = [await files.request(), await files.request()];
    for (const upload of [kept, lost]) {
      assert.equal(await own.put(upload), 200);
      assert.equal((await files.confirm(upload)).status, 200);
    }
    const orphan = newPath(projectId, crypto.randomUUID(), "orphan");
    const others = ["backup.tar", `${projectId}/notes.txt`, "_incoming/readme"];
    for (const key of [orphan, ...others]) await put(key);
    await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: lost.filePath }));

    const kinds = ({ drift }: Awaited<ReturnType<typeof run>>) =>
      drift.map(({ kind, repaired }) => `${kind} ${repaired}`).sort();
    assert.deepEqual(kinds(await run(false)), ["missing false", "orphan false"]);
    assert.deepEqual(kinds(await run(true)), ["missing false", "orphan true"]);
    assert.deepEqual(await keysIn(bucket), [kept.filePath, ...others].sort());
    assert.equal((await files.remove(lost.filePath)).status, 200);
    assert.equal((await run(false)).ok, true);
  },
);
