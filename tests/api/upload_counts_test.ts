import assert from "node:assert/strict";
import { STORAGE_USAGE, type StorageUsageRecord } from "@/lib/files/uploads.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Files, openFiles } from "./files.ts";
import { refused, tally, times } from "./test_collection.ts";

const { files: FILES, openUploads: OPEN } = PLANS.free;
const ONE = { filename: "a", contentType: "text/plain", size: 1 };
const HOLD_MS = 20 * 60_000;

const usageOf = ({ app, project: { projectId } }: Files) =>
  app.services.engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE);

async function counts(files: Files) {
  const { files: all, open } = (await usageOf(files).get(files.project.projectId))!.value;
  return { files: all, open };
}

async function increaseCounts(
  files: Files,
  increment: { files: number; open: number },
): Promise<void> {
  const changed = await usageOf(files).updateOne(eq("_id", files.project.projectId), { increment });
  assert.notEqual(changed, null);
}

Deno.test("files and open uploads are counted from request to delete", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(1);
  assert.deepEqual(await counts(files), { files: 1, open: 1 });
  await files.put(upload);
  await files.confirm(upload);
  await files.confirm(upload);
  assert.deepEqual(await counts(files), { files: 1, open: 0 });
  const given = await files.request(1);
  await files.remove(given.filePath);
  assert.deepEqual(await counts(files), { files: 1, open: 0 }, "a cancelled upload is uncounted");
  await files.remove(upload.filePath);
  assert.deepEqual(await counts(files), { files: 0, open: 0 });
});

Deno.test("of 40 concurrent requests as many are granted as open uploads are left", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const first = await files.request(1);
  await increaseCounts(files, { files: OPEN - 8, open: OPEN - 8 });
  app.clock.advance(60_000);
  const answers = await Promise.all(times(40, () => files.ask(ONE)));
  assert.deepEqual(tally(answers), { 200: 7, 429: 33 });
  assert.deepEqual(await counts(files), { files: OPEN, open: OPEN });
  const again = await files.ask(ONE);
  refused(again, 429, "TOO_MANY_UPLOADS", `${OPEN} open uploads`);
  assert.equal(again.headers.get("retry-after"), String(HOLD_MS / 1000 - 60));
  assert.equal((await files.rows()).length, 8, "a refusal stores no row");
  await files.put(first);
  await files.confirm(first);
  assert.equal((await files.ask(ONE)).status, 200);
  refused(await files.ask(ONE), 429, "TOO_MANY_UPLOADS");
});

Deno.test("expired uploads do not count as open", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const _ of times(3, () => 0)) await files.request(1);
  await increaseCounts(files, { files: OPEN - 3, open: OPEN - 3 });
  refused(await files.ask(ONE), 429, "TOO_MANY_UPLOADS");
  app.clock.advance(HOLD_MS);
  assert.equal((await files.ask(ONE)).status, 200);
  assert.deepEqual(await counts(files), { files: OPEN - 2, open: OPEN - 2 });
});

Deno.test("of 40 concurrent requests as many are granted as files are left; a delete makes room", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { filePath } = await files.upload(1);
  await increaseCounts(files, { files: FILES - 8, open: 0 });
  const answers = await Promise.all(times(40, () => files.ask(ONE)));
  assert.deepEqual(tally(answers), { 200: 7, 403: 33 });
  refused(await files.ask(ONE), 403, "PLAN_LIMIT_REACHED", `${FILES} files of a project`);
  await files.remove(filePath);
  assert.equal((await files.ask(ONE)).status, 200);
  refused(await files.ask(ONE), 403, "PLAN_LIMIT_REACHED");
});

Deno.test("rows of an earlier version are counted at the first change of any kind", async () => {
  const changes = {
    request: (files: Files) => files.request(1),
    confirm: async (files: Files, open: Parameters<Files["put"]>[0]) => {
      await files.put(open);
      await files.confirm(open);
    },
    remove: (files: Files, { filePath }: { filePath: string }) => files.remove(filePath),
  };
  const expected = {
    request: { files: 4, open: 3 },
    confirm: { files: 3, open: 1 },
    remove: { files: 2, open: 1 },
  };
  for (const name of Object.keys(changes) as (keyof typeof changes)[]) {
    await using app = await openTestApp();
    const files = await openFiles(app);
    await files.upload(1);
    const open = await files.request(1);
    await files.request(1);
    await usageOf(files).updateOne(eq("_id", files.project.projectId), {
      unset: ["files", "open"],
    });
    await changes[name](files, open);
    assert.deepEqual(await counts(files), expected[name], name);
  }
});

Deno.test("20 concurrent requests that find rows uncounted count each row once", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const _ of times(3, () => 0)) await files.request(1);
  await usageOf(files).updateOne(eq("_id", files.project.projectId), { unset: ["files", "open"] });
  const answers = await Promise.all(times(20, () => files.ask(ONE)));
  assert.deepEqual(tally(answers), { 200: 20 });
  assert.deepEqual(await counts(files), { files: 23, open: 23 });
});
