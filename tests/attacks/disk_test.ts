/** Attacks of a free account on its disk quota. */

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
import { createOwnedProject, openAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";

const OPEN_UPLOADS_MAX = 1_000;

Deno.test("a project has at most a thousand open uploads, including those of earlier versions", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.request(1);
  const { engine, newId } = app.services;
  const { projectId } = files.project;
  const [row] = await files.rows();
  const more = times(OPEN_UPLOADS_MAX - 2, (n): UploadRecord => ({
    ...row!,
    _id: newId(),
    path: `${projectId}/${crypto.randomUUID()}_${n}`,
  }));
  await engine.records<UploadRecord>(projectId, UPLOADS).insertMany(more);
  // The form in which a previous version stored the usage.
  await engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE)
    .updateOne(eq("_id", projectId), {
      increment: { reserved: more.length, held: more.length },
      unset: ["files", "open"],
    });
  const ask = () => files.ask({ filename: "a", contentType: "text/plain", size: 1 });
  assert.equal((await ask()).status, 200);
  refused(await ask(), 429, "TOO_MANY_UPLOADS");
  assert.equal(PLANS.free.openUploads, OPEN_UPLOADS_MAX);
});

Deno.test("projects that are created and deleted count against the plan and the hourly limit", async () => {
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

Deno.test("reading and maintaining a project does not grow it", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const { projectId, secretKey } = await createOwnedProject(owner);
  const headers = { "x-api-key": secretKey };
  const pages = ["", "/collections", "/users", "/files", "/settings", "/ai"];
  for (const page of pages) await owner.send({ path: `/dashboard/projects/${projectId}${page}` });
  for (const path of ["/api/data/none", "/api/storage/usage", "/api/storage/files"]) {
    await app.send({ path, headers });
  }
  await owner.send({ path: `/api/projects/${projectId}/usage` });
  await maintain(app.services);
  await reap(app.services);
  // MongoDB creates collections at their first write.
  if (database === "sqlite") {
    assert.deepEqual(await kinds(app, projectId), ["counts", "r__signingKeys"]);
  }
});

/** Returns the kinds of records in a project's file, which is small. */
async function kinds({ store: { folder } }: TestApp, projectId: string): Promise<string[]> {
  const path = `${folder}/projects/${projectId}.db`;
  using file = new DatabaseSync(path);
  file.exec("pragma wal_checkpoint(truncate)");
  const { size } = await Deno.stat(path);
  assert.ok(size <= PROJECT_BYTES, `${size} bytes`);
  return file.prepare("select name from sqlite_schema where type = 'table'").all()
    .map(({ name }) => name as string).toSorted();
}
