import assert from "node:assert/strict";
import { enqueue } from "@/lib/jobs/jobs.ts";
import { openTestApp } from "../support/test_app.ts";
import { failedRemoval } from "./project_jobs.ts";
import { ok, refused, times, UNKNOWN_ID } from "./test_collection.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";

const tryNow = (id: string) => ({ method: "POST", path: `/jobs/${id}/try` });

const jobsOf = async (owner: TestOwner) => ok(await owner.asOwner({ path: "/jobs" })).items;

const FAILED_REMOVAL = { name: "a.png", target: "internal", message: "away" };

Deno.test("an admin can run a job before it is due, and concurrent calls are harmless", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await failedRemoval(owner, FAILED_REMOVAL);
  const [job] = await jobsOf(owner);
  const answers = await Promise.all(times(20, () => owner.asOwner(tryNow(job.id))));
  assert.ok(answers.map((one) => ok(one)).some(({ done }) => done));
  assert.deepEqual(await jobsOf(owner), []);
  assert.deepEqual(ok(await owner.as("admin", tryNow(job.id))), { done: true });
});

Deno.test("a job that fails again remains, with the reason", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await failedRemoval(owner, { ...FAILED_REMOVAL, target: "gone" });
  const [job] = await jobsOf(owner);
  assert.deepEqual(ok(await owner.asOwner(tryNow(job.id))), { done: false });
  const [after] = await jobsOf(owner);
  assert.deepEqual([after.id, after.tries], [job.id, 2]);
  assert.equal(after.failure, 'The project\'s storage is no longer "gone"');
});

Deno.test("a job of a kind that members may not run is not tried", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await app.services.engine.transaction(
    owner.projectId,
    (tx) => enqueue(tx, app.services, [{ subject: "x", lane: "x" }], { kind: "other" }),
  );
  const before = await jobsOf(owner);
  assert.deepEqual(ok(await owner.asOwner(tryNow(before[0].id))), { done: false });
  assert.deepEqual(await jobsOf(owner), before);
});

Deno.test("a missing job counts as done; other projects and roles change nothing", async () => {
  await using app = await openTestApp();
  const [owner, another] = [await createTestOwner(app), await createTestOwner(app)];
  await failedRemoval(owner, FAILED_REMOVAL);
  const before = await jobsOf(owner);
  const call = tryNow(before[0].id);
  assert.deepEqual(ok(await owner.asOwner(tryNow(UNKNOWN_ID))), { done: true });
  assert.deepEqual(ok(await another.asOwner(call)), { done: true });
  refused(await owner.asOwner(tryNow("x")), 400, "INVALID_ID");
  await owner.isForAdmins(call);
  assert.deepEqual(await jobsOf(owner), before);
});
