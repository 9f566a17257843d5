import assert from "node:assert/strict";
import { reconcile } from "@/lib/files/reconcile.ts";
import { STORAGE_USAGE, type StorageUsageRecord } from "@/lib/files/uploads.ts";
import { until } from "../acceptance/until.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Files, MiB, openFiles } from "./files.ts";
import { refused, tally, times } from "./test_collection.ts";

const LIMIT = 20 * MiB;
const FILE_BYTES = 1000;
const ROOM_FOR = 10;
const WORKERS = 200;
const WITHIN_MS = 120_000;

/** Leaves space for exactly `ROOM_FOR` files. */
async function fill(files: Files): Promise<void> {
  await files.request(10 * MiB);
  await files.request(10 * MiB - ROOM_FOR * FILE_BYTES);
}

async function storedTotals({ app, project: { projectId } }: Files): Promise<StorageUsageRecord> {
  const usage = app.services.engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE);
  return (await usage.get(projectId))!.value;
}

/** Repeats a call while it is 503, which a busy store may answer. */
async function retryWhileBusy(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  await until("it is served", async () => {
    if (answer.status === 503) answer = await ask();
    return answer.status !== 503;
  }, WITHIN_MS);
  return answer;
}

/** Fails if the quota is ever exceeded or the totals do not match. Returns the number of checks. */
async function watchTotals(files: Files, isOver: () => boolean): Promise<number> {
  let looked = 0;
  while (!isOver()) {
    const { used, reserved, held } = await storedTotals(files);
    assert.ok(held <= LIMIT, `${held} of ${LIMIT} bytes are held`);
    assert.equal(held, used + reserved);
    assert.ok(used >= 0 && reserved >= 0);
    looked++;
    await new Promise((resolve) => setTimeout(resolve));
  }
  return looked;
}

Deno.test("of 200 concurrent requests exactly as many are granted as there is space for", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await fill(files);
  const asked = { filename: "a", contentType: "text/plain", size: FILE_BYTES };
  const answers = await Promise.all(times(WORKERS, () => retryWhileBusy(() => files.ask(asked))));
  assert.deepEqual(tally(answers), { 200: ROOM_FOR, 403: WORKERS - ROOM_FOR });
  assert.equal((await storedTotals(files)).held, LIMIT);
  assert.equal((await files.rows()).length, ROOM_FOR + 2);
});

Deno.test("the first 50 concurrent requests of a project are all granted and add up", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const asked = { filename: "a", contentType: "text/plain", size: FILE_BYTES };
  const answers = await Promise.all(times(50, () => retryWhileBusy(() => files.ask(asked))));
  assert.deepEqual(tally(answers), { 200: 50 });
  assert.equal((await storedTotals(files)).held, 50 * FILE_BYTES);
});

Deno.test("200 concurrent uploads and deletes at the quota never exceed it, and all totals are exact", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await fill(files);
  let isOver = false;
  const watching = watchTotals(files, () => isOver);
  let refusals = 0;

  /** Uploads a file and deletes it, except for the last workers, whose files fill the quota. */
  async function work(index: number): Promise<void> {
    const asked = { filename: `${index}`, contentType: "text/plain", size: FILE_BYTES };
    let granted = { filePath: "", signedUrl: "" };
    await until("there is room", async () => {
      const answer = await retryWhileBusy(() => files.ask(asked));
      if (answer.status === 403) refused(answer, 403, "STORAGE_QUOTA_EXCEEDED");
      else assert.equal(answer.status, 200, answer.text);
      if (answer.status === 403) refusals++;
      granted = answer.body;
      return answer.status === 200;
    }, WITHIN_MS);
    const { filePath } = granted;
    const upload = { ...granted, size: FILE_BYTES, contentType: "text/plain" };
    await files.put(upload);
    const confirm = () => retryWhileBusy(() => files.confirm(upload));
    const confirms = await Promise.all([confirm(), confirm()]);
    assert.ok(confirms.some(({ status }) => status === 200), confirms[0]!.text);
    if (index >= WORKERS - ROOM_FOR) return;
    const remove = () => retryWhileBusy(() => files.remove(filePath));
    const deletes = await Promise.all([remove(), remove()]);
    assert.deepEqual(tally(deletes), { 200: 1, 404: 1 });
  }
  // Workers that keep a file come last, so that all others find space.
  try {
    await Promise.all(times(WORKERS - ROOM_FOR, work));
    await Promise.all(times(ROOM_FOR, (i) => work(WORKERS - ROOM_FOR + i)));
  } finally {
    isOver = true;
    assert.ok(await watching > 10, "the watcher ran throughout");
  }
  assert.ok(refusals > 0, "the quota was reached");

  const { used, reserved, held } = await storedTotals(files);
  assert.equal(used, ROOM_FOR * FILE_BYTES);
  assert.equal(held, LIMIT);
  assert.equal(reserved, LIMIT - used);
  refused(
    await files.ask({ filename: "a", contentType: "a/b", size: 1 }),
    403,
    "STORAGE_QUOTA_EXCEEDED",
  );
  const { staged, stored } = await files.objects();
  assert.equal(stored.length, ROOM_FOR);
  assert.deepEqual(staged, []);
  const report = await reconcile(app.services, files.project.projectId, { repair: false });
  assert.deepEqual(report.drift, []);
  assert.equal(report.files, ROOM_FOR);
});
