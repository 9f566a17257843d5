import assert from "node:assert/strict";
import { enqueue } from "@/lib/jobs/jobs.ts";
import { JOBS_SHOWN_MAX } from "@/lib/limits.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { failedRemoval } from "./project_jobs.ts";
import { ok, refused, times } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const LIST = { path: "/jobs" };

Deno.test("listJobs returns a failed job to members without details of the server", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  assert.deepEqual(ok(await owner.asOwner(LIST)), { items: [], total: 0 });
  const secret = "Cannot unlink /srv/hunter2";
  const subject = await failedRemoval(owner, {
    name: "a.png",
    target: "internal",
    message: secret,
  });
  const answer = await owner.as("viewer", LIST);
  const { items: [job], total } = ok(answer);
  const { id, dueAt, ...rest } = job;
  assert.equal(total, 1);
  assert.match(id, /^[0-9a-f]{24}$/);
  assert.ok(dueAt > job.createdAt, "the job is retried later");
  assert.deepEqual(rest, {
    kind: "removeObjects",
    subject,
    createdAt: "2026-01-31T12:00:00.000Z",
    isRunning: false,
    tries: 1,
    failure: "The server could not do it: its log says why.",
  });
  assert.doesNotMatch(answer.text, /hunter2/);
});

Deno.test("listJobs returns the error of a project's own bucket", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const message = 'The bucket "own" cannot be used';
  await failedRemoval(owner, { name: "b.png", target: "own", message });
  const { items: [job] } = ok(await owner.asOwner(LIST));
  assert.equal(job.failure, message);
});

Deno.test("listJobs returns the first jobs, counts all, and hides subjects of internal kinds", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const count = JOBS_SHOWN_MAX + 1;
  await app.services.engine.transaction(owner.projectId, (tx) => {
    const jobs = times(count, (n) => ({ subject: `secret ${n}`, lane: "x" }));
    return enqueue(tx, app.services, jobs, { kind: "other" });
  });
  const answer = await owner.asOwner(LIST);
  const { items, total } = ok(answer);
  assert.deepEqual([items.length, total], [JOBS_SHOWN_MAX, count]);
  assert.doesNotMatch(answer.text, /secret/);
});

Deno.test("listJobs refuses strangers and returns no jobs of another project", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await failedRemoval(owner, { name: "a.png", target: "internal", message: "away" });
  const stranger = await openAccount(app);
  const path = `/api/projects/${owner.projectId}/jobs`;
  refused(await stranger.send({ path }), 404, "PROJECT_NOT_FOUND");
  const another = await createTestOwner(app);
  assert.deepEqual(ok(await another.asOwner(LIST)), { items: [], total: 0 });
});
