import assert from "node:assert/strict";
import {
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
} from "@/lib/files/uploads.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { eq } from "@/lib/store/filter.ts";
import { openFiles } from "../api/files.ts";
import { refused, tally, times } from "../api/shelf.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";

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
