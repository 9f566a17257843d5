import assert from "node:assert/strict";
import { createLog } from "@/lib/runtime/log.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import { openTestServices } from "../support/test_services.ts";
import { enqueue, JOBS } from "@/lib/jobs/jobs.ts";

import {
  add,
  addAndBegin,
  jobsIn,
  KIND,
  type Kind,
  MINUTE_MS,
  never,
  peerOf,
  projectIn,
  recorder,
  type Run,
  type Runner,
  runnerOf,
  turn,
  waitingSpaces,
} from "./job_runners.ts";

Deno.test("begin runs a job at once and removes it, in a project and in the control space", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  const { done, run } = recorder();
  await using runner = runnerOf(opened, run);
  for (const space of [project, "control"] as const) await addAndBegin(runner, services, space);
  await runner.idle();
  assert.deepEqual(done.toSorted(), [[project, "a"], ["control", "a"]].toSorted());
  for (const space of [project, "control"] as const) {
    assert.deepEqual(await jobsIn(services, space), []);
  }
});

Deno.test("a share starts with one worker, and gets all of them once a job was quick", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  let [now, most] = [0, 0];
  const counts: number[] = [];
  await using runner = runnerOf(opened, async () => {
    most = Math.max(most, ++now);
    counts.push(now);
    await turn(20);
    now--;
    return null;
  }, { atOnce: 3 });
  await addAndBegin(runner, services, project, Array.from({ length: 20 }, (_, n) => `${n}`));
  await runner.idle();
  assert.equal(counts[0], 1);
  assert.equal(most, 3);
  assert.equal(counts.length, 20);
});

Deno.test("a share whose job took more than five seconds has one worker until a job is quick", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  let [now, most, slow] = [0, 0, true];
  await using runner = runnerOf(opened, async () => {
    most = Math.max(most, ++now);
    await turn(20);
    if (slow) clock.advance(5_001);
    now--;
    return null;
  });
  await addAndBegin(runner, services, project, Array.from({ length: 6 }, (_, n) => `s${n}`));
  await runner.idle();
  assert.equal(most, 1);
  slow = false;
  await addAndBegin(runner, services, project, Array.from({ length: 12 }, (_, n) => `q${n}`));
  await runner.idle();
  assert.equal(most, 4);
});

Deno.test("jobs that hang in one project, or lane, delay no job of another", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [dead, living] = [await projectIn(opened), await projectIn(opened)];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const done: string[] = [];
  await using runner = runnerOf(opened, async (_services, space, { subject, lane }) => {
    if (space === dead && lane === "hangs") await held;
    done.push(subject);
    return null;
  }, { hasLaneShares: true });
  const many = Array.from({ length: 501 }, (_, n) => `${n}`);
  await runner.announce(dead);
  await add(services, dead, many, { lane: "hangs" });
  await add(services, dead, ["other lane"], { lane: "z" });
  await runner.look();
  await addAndBegin(runner, services, living, ["other project"]);
  while (done.length < 2) await turn();
  assert.deepEqual(done.toSorted(), ["other lane", "other project"]);
  release();
  await runner.idle();
  assert.equal(new Set(done).size, 503);
});

Deno.test("of many processes that look for due jobs each job is run by one", async () => {
  await using first = await openTestServices();
  await using second = await peerOf(first);
  const project = await projectIn(first);
  const { done, run } = recorder();
  const runners = [first, second, first, second].map((opened) => runnerOf(opened, run));
  await runners[0]!.announce(project);
  await add(first.services, project, Array.from({ length: 40 }, (_, n) => `${n}`));
  const counts = await Promise.all(runners.map((runner) => runner.runDue()));
  assert.equal(counts.reduce((sum, count) => sum + count, 0), 40);
  assert.equal(done.length, 40);
  assert.equal(new Set(done.map(([, subject]) => subject)).size, 40);
  for (const runner of runners) await runner.stop();
});

Deno.test("a transaction that is undone leaves no job", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  const undone = services.engine.transaction(project, async (tx) => {
    await enqueue(tx, services, [{ subject: "a", lane: "a" }], { kind: KIND });
    throw new Error("refused");
  });
  await assert.rejects(undone, /refused/);
  assert.deepEqual(await jobsIn(services, project), []);
});

Deno.test("a job that fails is retried after 1, 2, 4 minutes and so on, at most 6 hours, with jitter", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  let tries = 0;
  await using runner = runnerOf(opened, () => Promise.reject(new Error(`away ${++tries}`)));
  await runner.announce(project);
  await add(services, project);
  for (const minutes of [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]) {
    assert.equal(await runner.runDue(), 0);
    const [job] = await jobsIn(services, project);
    assert.partialDeepStrictEqual(job, { tries, lastError: `Error: away ${tries}` });
    const pause = Date.parse(job!.dueAt) - clock.now();
    assert.ok(pause >= minutes * MINUTE_MS && pause <= 1.1 * minutes * MINUTE_MS, `${pause}`);
    clock.advance(pause - 1);
    const before: number = tries;
    await runner.runDue();
    assert.equal(tries, before, "not before it is due");
    clock.advance(1);
  }
});

Deno.test("jobs that failed together are not retried together", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  await using runner = runnerOf(opened, () => Promise.reject(new Error("away")));
  await runner.announce(project);
  await add(services, project, Array.from({ length: 50 }, (_, n) => `${n}`));
  await runner.runDue();
  const times = new Set((await jobsIn(services, project)).map(({ dueAt }) => dueAt));
  assert.ok(times.size > 1, `${times.size}`);
});

Deno.test("a job that continues later is due then, with no failed tries", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  let runs = 0;
  const at = clock.now() + 7 * MINUTE_MS;
  await using runner = runnerOf(opened, () => Promise.resolve(runs++ === 0 ? at : null));
  await addAndBegin(runner, services, project);
  await runner.idle();
  assert.partialDeepStrictEqual(await jobsIn(services, project), [{ tries: 0, claimedBy: null }]);
  clock.advance(7 * MINUTE_MS - 1);
  assert.equal(await runner.runDue(), 0);
  clock.advance(1);
  assert.equal(await runner.runDue(), 1);
});

Deno.test("a project whose jobs fail, or that is gone, delays no other and is not created again", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [bad, good] = [await projectIn(opened), await projectIn(opened)];
  const gone = "66f1a0c2e4b0a1b2c3d4e5f6" as Id;
  const { done, run } = recorder();
  await using runner = runnerOf(opened, (services, space, ...rest) => {
    if (space === bad) return Promise.reject(new Error("no connection"));
    return run(services, space, ...rest);
  });
  for (const space of [gone, bad, good]) await runner.announce(space);
  for (const space of [bad, good]) await add(services, space);
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(done, [[good, "a"]]);
  assert.deepEqual((await waitingSpaces(services)).toSorted(), [bad, good].toSorted());
  assert.ok(!(await services.engine.spaces()).includes(gone));
});

Deno.test("a space is forgotten five minutes after it was announced, if it has no jobs", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const [quiet, busy] = [await projectIn(opened), await projectIn(opened)];
  const later = clock.now() + 60 * MINUTE_MS;
  await using runner = runnerOf(opened, () => Promise.resolve(later));
  await runner.announce(quiet);
  await addAndBegin(runner, services, busy);
  await runner.runDue();
  clock.advance(5 * MINUTE_MS - 1);
  await runner.runDue();
  assert.deepEqual((await waitingSpaces(services)).length, 2);
  clock.advance(1);
  await runner.runDue();
  assert.deepEqual(await waitingSpaces(services), [busy]);
});

Deno.test("20 processes that announce a space at once leave one record", async () => {
  await using opened = await openTestServices();
  const project = await projectIn(opened);
  const runners = Array.from({ length: 20 }, () => runnerOf(opened, never));
  await Promise.all(runners.map((runner) => runner.announce(project)));
  assert.deepEqual(await waitingSpaces(opened.services), [project]);
  for (const runner of runners) await runner.stop();
});

Deno.test("runNow runs each matching job once, and leaves the lane of one that fails for later", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  const seen: string[] = [];
  const run: Run = (_services, _space, { subject, lane }) => {
    seen.push(subject);
    return lane === "away" ? Promise.reject(new Error("away")) : Promise.resolve(null);
  };
  await using runner = runnerOf(opened, never);
  await add(services, project, ["a", "b", "c"], { lane: "away" });
  await add(services, project, ["d", "e"], { lane: "there" });
  await add(services, project, ["x"], { kind: "another" });
  const kind: Kind = { name: KIND, atOnce: 1, run };
  assert.equal(await runner.runNow(services, kind, { space: project, which: ALL }), 2);
  assert.deepEqual(seen, ["a", "d", "e"]);
  const left = await jobsIn(services, project);
  assert.deepEqual(left.map(({ subject, tries }) => [subject, tries]), [
    ["a", 1],
    ["b", 0],
    ["c", 0],
    ["x", 0],
  ]);
});

Deno.test("recurring work is done by one of several processes, at its time, also after a failure", async () => {
  await using opened = await openTestServices();
  const { clock } = opened;
  let passes = 0;
  const work = {
    kind: "pass",
    everyMs: 10 * MINUTE_MS,
    run: () => ++passes === 1 ? Promise.reject(new Error("away")) : Promise.resolve({}),
  };
  const runners = Array.from({ length: 5 }, () => runnerOf(opened, never));
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

Deno.test("runners log what fails, without ending", async () => {
  const lines: string[] = [];
  using log = createLog("info", (text) => void lines.push(text));
  await using opened = await openTestServices({ log });
  const { services } = opened;
  const project = await projectIn(opened);
  await using runner = runnerOf(opened, () => Promise.reject(new Error("away")));
  await addAndBegin(runner, services, project);
  await runner.idle();
  services.log.flush();
  assert.match(lines.join(""), /A job failed and is retried later/);
  assert.equal(await services.engine.records(project, JOBS).count(eq("claimedBy", null)), 1);
});
