import assert from "node:assert/strict";
import { enqueue } from "@/lib/jobs/jobs.ts";
import { JOBS_SHOWN_MAX } from "@/lib/limits.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { failedRemoval } from "./project_jobs.ts";
import { ok, refused, times } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const LIST = { path: "/jobs" };

Deno.test("members see what is to be done, why it failed, and nothing that is the server's own", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  assert.deepEqual(ok(await owner.asOwner(LIST)), { items: [], total: 0 });
  const secret = "Cannot unlink /srv/hunter2";
  const ours = await failedRemoval(owner, { name: "a.png", target: "internal", message: secret });
  const answer = await owner.as("viewer", LIST);
  const { items: [job], total } = ok(answer);
  const { id, dueAt, ...shown } = job;
  assert.equal(total, 1);
  assert.match(id, /^[0-9a-f]{24}$/);
  assert.ok(dueAt > job.createdAt, "it is tried again later");
  assert.deepEqual(shown, {
    kind: "removeObjects",
    subject: ours,
    createdAt: "2026-01-31T12:00:00.000Z",
    isRunning: false,
    tries: 1,
    failure: "The server could not do it: its log says why.",
  });
  assert.doesNotMatch(answer.text, /hunter2/);
});

Deno.test("what a project's own bucket answered is shown", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const message = 'The bucket "own" cannot be used';
  await failedRemoval(owner, { name: "b.png", target: "own", message });
  const { items: [job] } = ok(await owner.asOwner(LIST));
  assert.equal(job.failure, message);
});

Deno.test("of many jobs the first are listed and all are counted; of kinds that members have no part in, no subject", async () => {
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

Deno.test("strangers see no project, and no job of another one", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await failedRemoval(owner, { name: "a.png", target: "internal", message: "away" });
  const stranger = await openAccount(app);
  const path = `/api/projects/${owner.projectId}/jobs`;
  refused(await stranger.send({ path }), 404, "PROJECT_NOT_FOUND");
  const another = await createTestOwner(app);
  assert.deepEqual(ok(await another.asOwner(LIST)), { items: [], total: 0 });
});
