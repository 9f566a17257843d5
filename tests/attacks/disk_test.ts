import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
} from "@/lib/files/uploads.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { reap } from "@/lib/files/reaper.ts";
import { eq } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { openFiles } from "../api/files.ts";
import { refused, tally, times } from "../api/test_collection.ts";
import { openAccount, ownedProject } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";

/** Somebody with a free account who wants more of the disk than it includes. */

const OPEN = 1_000;

Deno.test("one byte held a thousand times is all that a project can hold, also by what was held before", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.request(1);
  const { engine, newId } = app.services;
  const { projectId } = files.project;
  const [row] = await files.rows();
  const more = times(OPEN - 2, (n): UploadRecord => ({
    ...row!,
    _id: newId(),
    path: `${projectId}/${crypto.randomUUID()}_${n}`,
  }));
  await engine.records<UploadRecord>(projectId, UPLOADS).insertMany(more);
  // As the version before kept it.
  await engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE)
    .updateOne(eq("_id", projectId), {
      increment: { reserved: more.length, held: more.length },
      unset: ["files", "open"],
    });
  const ask = () => files.ask({ filename: "a", contentType: "text/plain", size: 1 });
  assert.equal((await ask()).status, 200);
  refused(await ask(), 429, "TOO_MANY_UPLOADS");
  assert.equal(PLANS.free.openUploads, OPEN);
});

Deno.test("projects that are created and deleted again are no more than the plan's, nor faster than the hour's", async () => {
  await using app = await openTestApp();
  for (const [plan, made] of [["free", 3], ["pro", 10]] as const) {
    const owner = await openAccount(app, { plan });
    const created = [];
    for (const _ of times(15, () => 0)) {
      const { status, body } = await owner.send({ path: "/api/projects", body: { name: "x" } });
      if (status !== 201) continue;
      const path = `/api/projects/${body.data.projectId}`;
      created.push(await owner.send({ method: "DELETE", path, body: { name: "x" } }));
    }
    assert.deepEqual(tally(created), { 200: made }, plan);
  }
});

const PROJECT_BYTES = 20_480;

Deno.test("a project that is only looked at and maintained keeps no more than it was made with", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const { projectId, secretKey } = await ownedProject(owner);
  const headers = { "x-api-key": secretKey };
  const pages = ["", "/collections", "/users", "/files", "/settings", "/ai"];
  for (const page of pages) await owner.send({ path: `/dashboard/projects/${projectId}${page}` });
  for (const path of ["/api/data/none", "/api/storage/usage", "/api/storage/files"]) {
    await app.send({ path, headers });
  }
  await owner.send({ path: `/api/projects/${projectId}/usage` });
  await maintain(app.services);
  await reap(app.services);
  // MongoDB makes collections at their first write.
  if (database === "sqlite") {
    assert.deepEqual(await kinds(app, projectId), ["counts", "r__signingKeys"]);
  }
});

/** Kinds of records that the file of a project holds, which is small too. */
async function kinds({ store: { folder } }: TestApp, projectId: string): Promise<string[]> {
  const path = `${folder}/projects/${projectId}.db`;
  using file = new DatabaseSync(path);
  file.exec("pragma wal_checkpoint(truncate)");
  const { size } = await Deno.stat(path);
  assert.ok(size <= PROJECT_BYTES, `${size} bytes`);
  return file.prepare("select name from sqlite_schema where type = 'table'").all()
    .map(({ name }) => name as string).toSorted();
}
