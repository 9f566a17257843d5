import assert from "node:assert/strict";
import { createLog } from "@/lib/runtime/log.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import { openTestServices } from "../support/test_services.ts";
import { enqueue, JOBS } from "@/lib/jobs/jobs.ts";

import {
  addAndBeginJobs,
  addJobs,
  createRecorder,
  createRunner,
  createTestProject,
  KIND,
  type Kind,
  listJobs,
  MINUTE_MS,
  neverRun,
  openPeer,
  pause,
  type Run,
  type Runner,
  waitingSpaces,
} from "./job_runners.ts";

Deno.test("begin runs a job at once and removes it, in projects and in the control space", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await createTestProject(opened);
  const { done, run } = createRecorder();
  await using runner = createRunner(opened, run);
  for (const space of [project, "control"] as const) await addAndBeginJobs(runner, services, space);
  await runner.idle();
  assert.deepEqual(done.toSorted(), [[project, "a"], ["control", "a"]].toSorted());
  for (const space of [project, "control"] as const) {
    assert.deepEqual(await listJobs(services, space), []);
  }
});

Deno.test("a runner starts with one worker, and uses all of them after a fast job", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await createTestProject(opened);
  let [running, maximum] = [0, 0];
  const counts: number[] = [];
  await using runner = createRunner(opened, async () => {
    maximum = Math.max(maximum, ++running);
    counts.push(running);
    await pause(20);
    running--;
    return null;
  }, { atOnce: 3 });
  await addAndBeginJobs(runner, services, project, Array.from({ length: 20 }, (_, n) => `${n}`));
  await runner.idle();
  assert.equal(counts[0], 1);
  assert.equal(maximum, 3);
  assert.equal(counts.length, 20);
});

Deno.test("a runner uses one worker after a job of more than 5 s, until a job is fast", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await createTestProject(opened);
  let [running, maximum, isSlow] = [0, 0, true];
  await using runner = createRunner(opened, async () => {
    maximum = Math.max(maximum, ++running);
    await pause(20);
    if (isSlow) clock.advance(5_001);
    running--;
    return null;
  });
  await addAndBeginJobs(runner, services, project, Array.from({ length: 6 }, (_, n) => `s${n}`));
  await runner.idle();
  assert.equal(maximum, 1);
  isSlow = false;
  await addAndBeginJobs(runner, services, project, Array.from({ length: 12 }, (_, n) => `q${n}`));
  await runner.idle();
  assert.equal(maximum, 4);
});

Deno.test("hanging jobs of one project or lane do not delay jobs of others", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [stuck, healthy] = [await createTestProject(opened), await createTestProject(opened)];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const done: string[] = [];
  await using runner = createRunner(opened, async (_services, space, { subject, lane }) => {
    if (space === stuck && lane === "hangs") await released;
    done.push(subject);
    return null;
  }, { hasLaneShares: true });
  const many = Array.from({ length: 501 }, (_, n) => `${n}`);
  await runner.announce(stuck);
  await addJobs(services, stuck, many, { lane: "hangs" });
  await addJobs(services, stuck, ["other lane"], { lane: "z" });
  await runner.startDue();
  await addAndBeginJobs(runner, services, healthy, ["other project"]);
  while (done.length < 2) await pause();
  assert.deepEqual(done.toSorted(), ["other lane", "other project"]);
  release();
  await runner.idle();
  assert.equal(new Set(done).size, 503);
});

Deno.test("runDue of concurrent processes runs each job once", async () => {
  await using first = await openTestServices();
  await using second = await openPeer(first);
  const project = await createTestProject(first);
  const { done, run } = createRecorder();
  const runners = [first, second, first, second].map((opened) => createRunner(opened, run));
  await runners[0]!.announce(project);
  await addJobs(first.services, project, Array.from({ length: 40 }, (_, n) => `${n}`));
  const counts = await Promise.all(runners.map((runner) => runner.runDue()));
  assert.equal(counts.reduce((sum, count) => sum + count, 0), 40);
  assert.equal(done.length, 40);
  assert.equal(new Set(done.map(([, subject]) => subject)).size, 40);
  for (const runner of runners) await runner.stop();
});

Deno.test("enqueue leaves no job if the transaction is rolled back", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await createTestProject(opened);
  const undone = services.engine.transaction(project, async (tx) => {
    await enqueue(tx, services, [{ subject: "a", lane: "a" }], { kind: KIND });
    throw new Error("refused");
  });
  await assert.rejects(undone, /refused/);
  assert.deepEqual(await listJobs(services, project), []);
});

Deno.test("a failed job is retried after 1, 2, 4, … minutes with jitter, at most 6 hours", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await createTestProject(opened);
  let tries = 0;
  await using runner = createRunner(opened, () => Promise.reject(new Error(`away ${++tries}`)));
  await runner.announce(project);
  await addJobs(services, project);
  for (const minutes of [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]) {
    assert.equal(await runner.runDue(), 0);
    const [job] = await listJobs(services, project);
    assert.partialDeepStrictEqual(job, { tries, lastError: `Error: away ${tries}` });
    const pause = Date.parse(job!.dueAt) - clock.now();
    assert.ok(pause >= minutes * MINUTE_MS && pause <= 1.1 * minutes * MINUTE_MS, `${pause}`);
    clock.advance(pause - 1);
    const before: number = tries;
    await runner.runDue();
    assert.equal(tries, before, "the job does not run before it is due");
    clock.advance(1);
  }
});

Deno.test("jobs that failed at one time are retried at different times", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await createTestProject(opened);
  await using runner = createRunner(opened, () => Promise.reject(new Error("away")));
  await runner.announce(project);
  await addJobs(services, project, Array.from({ length: 50 }, (_, n) => `${n}`));
  await runner.runDue();
  const times = new Set((await listJobs(services, project)).map(({ dueAt }) => dueAt));
  assert.ok(times.size > 1, `${times.size}`);
});

Deno.test("a job that continues later is due at that time and counts no failed try", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await createTestProject(opened);
  let runs = 0;
  const at = clock.now() + 7 * MINUTE_MS;
  await using runner = createRunner(opened, () => Promise.resolve(runs++ === 0 ? at : null));
  await addAndBeginJobs(runner, services, project);
  await runner.idle();
  assert.partialDeepStrictEqual(await listJobs(services, project), [{ tries: 0, claimedBy: null }]);
  clock.advance(7 * MINUTE_MS - 1);
  assert.equal(await runner.runDue(), 0);
  clock.advance(1);
  assert.equal(await runner.runDue(), 1);
});

Deno.test("failing or deleted projects delay no others and are not created again", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [bad, good] = [await createTestProject(opened), await createTestProject(opened)];
  const deleted = "66f1a0c2e4b0a1b2c3d4e5f6" as Id;
  const { done, run } = createRecorder();
  await using runner = createRunner(opened, (services, space, ...rest) => {
    if (space === bad) return Promise.reject(new Error("no connection"));
    return run(services, space, ...rest);
  });
  for (const space of [deleted, bad, good]) await runner.announce(space);
  for (const space of [bad, good]) await addJobs(services, space);
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(done, [[good, "a"]]);
  assert.deepEqual((await waitingSpaces(services)).toSorted(), [bad, good].toSorted());
  assert.ok(!(await services.engine.spaces()).includes(deleted));
});

Deno.test("an announced space without jobs is removed from the queue after five minutes", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const [quiet, busy] = [await createTestProject(opened), await createTestProject(opened)];
  const later = clock.now() + 60 * MINUTE_MS;
  await using runner = createRunner(opened, () => Promise.resolve(later));
  await runner.announce(quiet);
  await addAndBeginJobs(runner, services, busy);
  await runner.runDue();
  clock.advance(5 * MINUTE_MS - 1);
  await runner.runDue();
  assert.deepEqual((await waitingSpaces(services)).length, 2);
  clock.advance(1);
  await runner.runDue();
  assert.deepEqual(await waitingSpaces(services), [busy]);
});

Deno.test("concurrent announcements of a space leave one record", async () => {
  await using opened = await openTestServices();
  const project = await createTestProject(opened);
  const runners = Array.from({ length: 20 }, () => createRunner(opened, neverRun));
  await Promise.all(runners.map((runner) => runner.announce(project)));
  assert.deepEqual(await waitingSpaces(opened.services), [project]);
  for (const runner of runners) await runner.stop();
});

Deno.test("runNow runs each matching job once and skips the lane of a failed job", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await createTestProject(opened);
  const seen: string[] = [];
  const run: Run = (_services, _space, { subject, lane }) => {
    seen.push(subject);
    return lane === "away" ? Promise.reject(new Error("away")) : Promise.resolve(null);
  };
  await using runner = createRunner(opened, neverRun);
  await addJobs(services, project, ["a", "b", "c"], { lane: "away" });
  await addJobs(services, project, ["d", "e"], { lane: "there" });
  await addJobs(services, project, ["x"], { kind: "another" });
  const kind: Kind = { name: KIND, atOnce: 1, run };
  assert.equal(await runner.runNow(services, kind, { space: project, which: ALL }), 2);
  assert.deepEqual(seen, ["a", "d", "e"]);
  const remaining = await listJobs(services, project);
  assert.deepEqual(remaining.map(({ subject, tries }) => [subject, tries]), [
    ["a", 1],
    ["b", 0],
    ["c", 0],
    ["x", 0],
  ]);
});

Deno.test("recurring work runs in one process at a time and on schedule, also after a failure", async () => {
  await using opened = await openTestServices();
  const { clock } = opened;
  let passes = 0;
  const work = {
    kind: "pass",
    everyMs: 10 * MINUTE_MS,
    run: () => ++passes === 1 ? Promise.reject(new Error("away")) : Promise.resolve({}),
  };
  const runners = Array.from({ length: 5 }, () => createRunner(opened, neverRun));
  await Promise.all(runners.map((runner) => runner.start([work])));
  const all = (act: (runner: Runner) => Promise<unknown>) => Promise.all(runners.map(act));
  for (const expected of [1, 2, 3]) {
    await all((runner) => runner.runDue());
    assert.equal(passes, expected);
    clock.advance(9 * MINUTE_MS);
    if (expected > 1) await all((runner) => runner.runDue());
    assert.equal(passes, expected);
    clock.advance(MINUTE_MS);
  }
  await all((runner) => runner.stop());
});

Deno.test("a runner logs a failed job and continues", async () => {
  const lines: string[] = [];
  using log = createLog("info", (text) => void lines.push(text));
  await using opened = await openTestServices({ log });
  const { services } = opened;
  const project = await createTestProject(opened);
  await using runner = createRunner(opened, () => Promise.reject(new Error("away")));
  await addAndBeginJobs(runner, services, project);
  await runner.idle();
  services.log.flush();
  assert.match(lines.join(""), /A job failed and is retried later/);
  assert.equal(await services.engine.records(project, JOBS).count(eq("claimedBy", null)), 1);
});
