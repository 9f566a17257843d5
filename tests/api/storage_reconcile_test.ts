import assert from "node:assert/strict";
import { reconcile } from "@/lib/files/reconcile.ts";
import { newPath } from "@/lib/files/paths.ts";
import { OBJECT_REMOVAL } from "@/lib/files/removals.ts";
import { enqueue } from "@/lib/jobs/jobs.ts";
import { STORAGE_USAGE, UPLOADS } from "@/lib/files/uploads.ts";
import { eq } from "@/lib/store/filter.ts";
import { withSteps } from "../support/with_steps.ts";
import { until } from "../acceptance/until.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Files, openFiles, putSigned, sendOver, withChangedStores } from "./files.ts";
import { refused, times } from "./test_collection.ts";

const check = ({ app, project: { projectId } }: Files) =>
  reconcile(app.services, projectId, { repair: false });

const repair = ({ app, project: { projectId } }: Files) =>
  reconcile(app.services, projectId, { repair: true });

const kinds = (found: readonly { kind: string }[]) => found.map(({ kind }) => kind).sort();

Deno.test("a project without files, or with only confirmed files, has no drift", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const clean = {
    ok: true,
    driftCount: 0,
    unrepaired: 0,
    unfinishedCount: 0,
    drift: [],
    unfinished: [],
  };
  assert.deepEqual(await check(files), { files: 0, ...clean });
  for (let i = 0; i < 3; i++) await files.upload(10 + i);
  await (await openFiles(app)).upload();
  assert.deepEqual(await check(files), { files: 3, ...clean });
});

Deno.test("unfinished work is listed, is not drift, and is finished by repair", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const waiting = await files.request(5);
  await files.put(waiting);
  const removed = await files.upload();
  const away = withChangedStores(app.services, { remove: () => Promise.reject(new Error("away")) });
  const call = {
    method: "DELETE",
    path: "/api/storage/file",
    body: { path: removed.filePath },
  };
  assert.equal((await sendOver(away, files.project, call)).status, 200);
  const late = await files.upload();
  await files.stage(late);
  const report = await check(files);
  assert.equal(report.ok, true);
  assert.deepEqual(report.drift, []);
  assert.deepEqual(kinds(report.unfinished), ["hold", "removal", "temporary", "temporary"]);
  assert.equal(report.unfinishedCount, 4);
  const repaired = await repair(files);
  assert.deepEqual(repaired.drift, []);
  assert.deepEqual(repaired.unfinished, []);
  refused(await files.confirm(waiting), 404, "FILE_NOT_FOUND");
  assert.equal((await files.usage()).reserved, 0);
  assert.deepEqual((await files.objects()).staged, []);
});

Deno.test("a confirm in progress succeeds while repair ends other uploads", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const waiting = await files.request(5);
  await files.put(waiting);
  let repaired = false;
  const repairing = withSteps(app.services, async (name) => {
    if (name !== "blobs.publish" || repaired) return;
    repaired = true;
    assert.deepEqual(kinds((await repair(files)).unfinished), ["hold", "temporary"]);
  });
  const body = { filePath: waiting.filePath, size: 5 };
  const call = { method: "POST", path: "/api/storage/upload-confirm", body };
  assert.equal((await sendOver(repairing, files.project, call)).status, 200);
  assert.ok(repaired);
  assert.equal((await check(files)).ok, true);
});

Deno.test("repair finishes expired uploads, removals before they are due, and leftovers", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const expired = await files.request(5);
  await files.put(expired);
  app.clock.advance(20 * 60_000);
  assert.deepEqual(kinds((await check(files)).unfinished), ["hold", "temporary"]);
  const removed = await files.upload();
  const away = withChangedStores(app.services, { remove: () => Promise.reject(new Error("away")) });
  const body = { path: removed.filePath };
  await sendOver(away, files.project, { method: "DELETE", path: "/api/storage/file", body });
  const report = await repair(files);
  assert.deepEqual(report.unfinished, []);
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  assert.deepEqual(await files.rows(), []);
  assert.equal((await files.usage()).reserved, 0);
});

Deno.test("a confirmed file without its object is drift that repair reports and never drops", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [lost, kept] = [await files.upload(12), await files.upload(7)];
  await app.services.blobStores.internal.remove("stored", lost.filePath);
  const drift = [{ kind: "missing", path: lost.filePath, bytes: 12, repaired: false }];
  for (const run of [check, repair, check]) {
    const report = await run(files);
    assert.equal(report.ok, false);
    assert.equal(report.unrepaired, 1);
    assert.deepEqual(report.drift, drift);
  }
  assert.equal((await files.usage()).used, 19);
  assert.equal((await files.info(lost.filePath)).status, 200);
  assert.equal((await files.remove(lost.filePath)).status, 200);
  assert.equal((await check(files)).ok, true);
  assert.deepEqual((await files.objects()).stored, [kept.filePath]);
});

Deno.test("a confirmed file with an object of another length is drift that repair only reports", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.upload(12);
  await files.stage(upload, new Uint8Array(11));
  await app.services.blobStores.internal.publish(upload.filePath, upload.contentType);
  const { filePath: path } = upload;
  for (const run of [check, repair, check]) {
    const { drift, ok } = await run(files);
    assert.equal(ok, false);
    assert.deepEqual(drift, [{
      kind: "length",
      path,
      bytes: 12,
      storedBytes: 11,
      repaired: false,
    }]);
  }
  assert.deepEqual((await files.objects()).stored, [path]);
});

Deno.test("an unknown object is drift and repair removes it; other projects' objects stay", async () => {
  await using app = await openTestApp();
  const [files, other] = [await openFiles(app), await openFiles(app)];
  const [kept, foreign] = [await files.upload(), await other.upload()];
  const { projectId } = files.project;
  const orphan = {
    ...kept,
    filePath: newPath(projectId, "00000000-0000-4000-8000-000000000000", "a"),
  };
  await files.stage(orphan, new Uint8Array(9));
  await app.services.blobStores.internal.publish(orphan.filePath, "text/plain");
  const found = { kind: "orphan", path: orphan.filePath, storedBytes: 9 };
  const report = await check(files);
  assert.equal(report.ok, false);
  assert.deepEqual(report.drift, [{ ...found, repaired: false }]);
  const repaired = await repair(files);
  assert.equal(repaired.ok, true);
  assert.deepEqual(repaired.drift, [{ ...found, repaired: true }]);
  assert.deepEqual((await files.objects()).stored, [kept.filePath]);
  assert.deepEqual((await other.objects()).stored, [foreign.filePath]);
  assert.deepEqual((await check(files)).drift, []);
});

Deno.test("an object is not an orphan while a hold or a pending removal refers to it", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { internal } = app.services.blobStores;
  const held = await files.request();
  await files.put(held);
  await internal.publish(held.filePath, held.contentType);
  await internal.remove("staged", held.filePath);
  const removing = await files.upload();
  const { projectId } = files.project;
  await app.services.engine.records(projectId, UPLOADS).deleteOne(eq("path", removing.filePath));
  const removal = { subject: removing.filePath, lane: "internal" };
  await app.services.engine.transaction(
    projectId,
    (tx) => enqueue(tx, app.services, [removal], { kind: OBJECT_REMOVAL.name }),
  );
  const { drift, unfinished } = await check(files);
  assert.deepEqual(
    kinds(drift),
    ["sum", "sum", "sum"],
    "the totals still count the row that the test deleted",
  );
  assert.deepEqual(kinds(unfinished), ["hold", "removal"]);
});

Deno.test("totals that do not match the rows are drift, each by name, and repair corrects them", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.upload(12);
  await files.request(5);
  const { projectId } = files.project;
  const usage = app.services.engine.records(projectId, STORAGE_USAGE);
  await usage.updateOne(eq("_id", projectId), { set: { used: 11, reserved: 6, external: 1 } });
  const found = (held: number, repaired: boolean) => [
    { kind: "sum", sum: "used", counted: 12, stored: 11, repaired },
    { kind: "sum", sum: "reserved", counted: held, stored: held + 1, repaired },
    { kind: "sum", sum: "external", counted: 0, stored: 1, repaired },
  ];
  assert.deepEqual((await check(files)).drift, found(5, false));
  const report = await repair(files);
  assert.deepEqual(report.drift, found(0, true), "the open upload was ended first");
  assert.equal(report.ok, true);
  assert.deepEqual((await check(files)).drift, []);
  await usage.deleteOne(eq("_id", projectId));
  assert.deepEqual((await check(files)).drift.map(({ kind }) => kind), ["sum", "sum", "sum"]);
  assert.equal((await repair(files)).ok, true);
  assert.equal((await files.usage()).used, 12);
  assert.equal((await files.remove(upload.filePath)).status, 200);
  assert.equal((await check(files)).ok, true);
});

Deno.test("a file that is added or deleted during the comparison is not drift", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const first = await files.upload();
  const { projectId } = files.project;
  let came: string | null = null;
  const coming = withSteps(app.services, async (name) => {
    if (name !== "blobs.list" || came !== null) return;
    came = "on its way";
    came = (await files.upload()).filePath;
  });
  const whileComing = await reconcile(coming, projectId, { repair: true });
  assert.deepEqual(whileComing.drift, []);
  assert.equal((await files.objects()).stored.length, 2, "the new file stays");

  let steps = 0;
  const passing = withSteps(app.services, async (name) => {
    if (name === "blobs.list" && steps === 0) {
      steps++;
      came = (await files.upload()).filePath;
    } else if (name === `${UPLOADS.name}.findOne` && steps === 1) {
      steps++;
      assert.equal((await files.remove(came!)).status, 200);
    }
  });
  assert.deepEqual((await reconcile(passing, projectId, { repair: false })).drift, []);
  assert.equal(steps, 2);

  let isGone = false;
  const going = withSteps(app.services, async (name) => {
    if (name !== "blobs.list" || isGone) return;
    isGone = true;
    assert.equal((await files.remove(first.filePath)).status, 200);
  });
  assert.deepEqual((await reconcile(going, projectId, { repair: false })).drift, []);
  assert.ok(isGone);
});

Deno.test("concurrent uploads and deletes are never reported as drift", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  let isOver = false;
  let begun = 0;
  let ended = 0;
  // Only a repair, which ends unconfirmed uploads, may make a step fail.
  const isThere = (step: string, status: number) => {
    if (status === 200) return true;
    assert.ok([404, 409].includes(status), `${step}: ${status}`);
    ended++;
    return false;
  };
  const work = async () => {
    while (!isOver) {
      const upload = await files.request(10);
      begun++;
      if (!isThere("put", await putSigned(app, upload))) continue;
      if (!isThere("confirm", (await files.confirm(upload)).status)) continue;
      assert.equal((await files.remove(upload.filePath)).status, 200);
    }
  };
  const working = times(6, work);
  const { projectId } = files.project;
  // Repeats until a repair has ended an upload in progress, which depends on timing.
  for (let i = 0; i < 25 || (ended === 0 && i < 500); i++) {
    const before = begun;
    const { drift } = await reconcile(app.services, projectId, { repair: i % 2 === 1 });
    assert.deepEqual(drift, []);
    await until("another upload has begun", () => begun > before);
  }
  isOver = true;
  await Promise.all(working);
  assert.equal((await check(files)).ok, true);
  assert.ok(ended > 0, "no repair met an upload in progress");
});

Deno.test("more than one page of rows and objects is compared, in the order of their paths", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const count = 1100;
  const { projectId } = files.project;
  const { engine, newId, blobStores: { internal } } = app.services;
  const upload = await files.upload(1);
  const [row] = await files.rows();
  const paths = times(count, () => newPath(projectId, crypto.randomUUID(), "x"));
  const rows = paths.map((path) => ({ ...row!, _id: newId(), path }));
  for (let i = 0; i < count; i += 100) {
    await engine.records(projectId, UPLOADS).insertMany(rows.slice(i, i + 100));
  }
  for (const filePath of paths.slice(0, 3)) {
    await files.stage({ ...upload, filePath });
    await internal.publish(filePath, "text/plain");
  }
  const { files: compared, driftCount, drift } = await check(files);
  assert.equal(compared, count + 1);
  assert.equal(driftCount, count - 3 + 3, "files without objects, and three totals");
  assert.equal(drift.length, 1000);
  refused(await files.confirm({ filePath: paths[0]!, size: 2 }), 400, "SIZE_MISMATCH");
});
