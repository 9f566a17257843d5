import assert from "node:assert/strict";
import { createProject } from "@/lib/projects/create_project.ts";
import { createLog } from "@/lib/runtime/log.ts";
import type { Services } from "@/lib/services.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Change, Engine, Filter, Id, Space, StoredRecord } from "@/lib/store/port.ts";
import { changed } from "../support/changed.ts";
import { engineOver } from "../support/engine_over.ts";
import { openTestServices, type TestServices } from "../support/test_services.ts";
import { enqueue, type JobKind, type JobRecord, JOBS, type JobServices } from "@/lib/jobs/jobs.ts";
import { PROCESSES } from "@/lib/jobs/processes.ts";
import { JobRunner, WAITING_SPACES } from "@/lib/jobs/runner.ts";

const MINUTE_MS = 60_000;
/** Longer than a heartbeat lasts. */
const DEAD_MS = 8_000;
const KIND = "test";

type Kind = JobKind<JobServices>;
type Run = Kind["run"];
type Runner = JobRunner<JobServices>;

function runnerOf(
  { services }: TestServices,
  run: Run,
  { address = null, ...options }: Partial<Kind> & { address?: string | null } = {},
): Runner {
  const kinds = [{ name: KIND, atOnce: 4, run, ...options }];
  const runner = new JobRunner<JobServices>(services, { kinds, servicesOf: () => services });
  runner.serveAt(address);
  return runner;
}

const never: Run = () => Promise.reject(new Error("not to be run"));

/** Keeps what it was asked to do. */
function recorder() {
  const done: [Space, string][] = [];
  const run: Run = (_services, space, { subject }) => {
    done.push([space, subject]);
    return Promise.resolve(null);
  };
  return { done, run };
}

/** A job that hangs until it is released. */
function hanging() {
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run: Run = async () => {
    started.resolve();
    await released.promise;
    return null;
  };
  return { run, started: started.promise, release: released.resolve };
}

const projectIn = async ({ services }: TestServices): Promise<Id> =>
  (await createProject(services, { name: "Test", siteUrl: null })).projectId;

/** Another process on the same store, by the same clock. */
const peerOf = ({ store, clock }: TestServices) => openTestServices({ store, clock });

/** Another process, with a clock of its own: when that is moved, the first one is as if dead. */
const survivorOf = ({ store }: TestServices) => openTestServices({ store });

const add = (
  services: Services,
  space: Space,
  subjects: readonly string[] = ["a"],
  { kind = KIND, lane }: { kind?: string; lane?: string } = {},
): Promise<JobRecord[]> =>
  services.engine.transaction(space, (tx) => {
    const jobs = subjects.map((subject) => ({ subject, lane: lane ?? subject }));
    return enqueue(tx, services, jobs, { kind });
  });

async function addAndBegin(runner: Runner, services: Services, space: Space, subjects = ["a"]) {
  await runner.announce(space);
  for (const job of await add(services, space, subjects)) runner.begin(space, job);
}

const jobsIn = ({ engine }: Services, space: Space): Promise<JobRecord[]> =>
  Array.fromAsync(engine.records<JobRecord>(space, JOBS).find({ filter: ALL }));

const waitingSpaces = async ({ engine }: Services): Promise<unknown[]> =>
  (await Array.fromAsync(engine.records("control", WAITING_SPACES).find({ filter: ALL })))
    .map(({ space }) => space);

const turn = (ms = 1): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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

Deno.test("a process killed behind its commit: another one finds the job at its next look", async () => {
  await using first = await openTestServices();
  await using second = await peerOf(first);
  const project = await projectIn(first);
  const killed = runnerOf(first, never);
  await killed.announce(project);
  await add(first.services, project);
  const { done, run } = recorder();
  await using runner = runnerOf(second, run);
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(done, [[project, "a"]]);
  await killed.stop();
});

Deno.test("a process killed while a job runs: another one runs it when the heartbeat has ended", async () => {
  await using first = await openTestServices();
  await using second = await survivorOf(first);
  const project = await projectIn(first);
  const { run, started, release } = hanging();
  const killed = runnerOf(first, run, { address: "here 127.0.0.1:8000" });
  await addAndBegin(killed, first.services, project);
  await started;
  const other = recorder();
  await using runner = runnerOf(second, other.run, { address: "here 127.0.0.1:8001" });
  second.clock.advance(DEAD_MS - 1);
  assert.equal(await runner.runDue(), 0);
  await runner.look({ atStart: true });
  await runner.idle();
  assert.deepEqual(other.done, [], "it has another address");
  second.clock.advance(1);
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(other.done, [[project, "a"]]);
  // The first was only slow, and ends without touching anything.
  release();
  await killed.stop();
  assert.deepEqual(await jobsIn(first.services, project), []);
});

Deno.test("a process that starts at the address of one that was killed runs its jobs at once", async () => {
  await using first = await openTestServices();
  await using second = await peerOf(first);
  const project = await projectIn(first);
  const { run, started, release } = hanging();
  const address = "here 127.0.0.1:8000";
  const killed = runnerOf(first, run, { address });
  await addAndBegin(killed, first.services, project);
  await started;
  const other = recorder();
  await using runner = runnerOf(second, other.run, { address });
  await runner.look({ atStart: true });
  await runner.idle();
  assert.deepEqual(other.done, [[project, "a"]]);
  release();
  await killed.stop();
});

Deno.test("when a process has died, kinds that look for what it left are due at once", async () => {
  await using first = await openTestServices();
  await using second = await survivorOf(first);
  const project = await projectIn(first);
  let runs = 0;
  const later: Run = ({ clock }) => Promise.resolve((runs++, clock.now() + 30_000));
  const killed = runnerOf(first, later);
  await addAndBegin(killed, first.services, project);
  await killed.idle();
  await using runner = runnerOf(second, later, { isDueAfterDeath: true });
  await runner.runDue();
  assert.equal(runs, 1);
  second.clock.advance(40_000); // Beyond the time for which an announcement keeps the heartbeat.
  await killed.announce(project);
  second.clock.advance(DEAD_MS);
  await runner.runDue();
  assert.equal(runs, 2);
  await killed.stop();
});

Deno.test("an idle process has no heartbeat, and a stopped one leaves none", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  const processes = () => services.engine.records("control", PROCESSES).count(ALL);
  const runner = runnerOf(opened, recorder().run);
  await runner.runDue();
  assert.equal(await processes(), 0);
  await addAndBegin(runner, services, project);
  await runner.idle();
  assert.equal(await processes(), 1);
  await runner.stop();
  assert.equal(await processes(), 0);
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

Deno.test("a runner that stops waits for the jobs that run, and leaves the others to other processes", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done: string[] = [];
  const runner = runnerOf(opened, async (_services, _space, { subject }, isStopping) => {
    started.resolve();
    await released.promise;
    done.push(`${subject} ${isStopping()}`);
    return null;
  });
  await addAndBegin(runner, services, project, ["a", "b"]);
  await started.promise;
  const stopped = runner.stop();
  for (const job of await add(services, project, ["c"])) runner.begin(project, job);
  released.resolve();
  await stopped;
  assert.deepEqual(done, ["a true"]);
  const other = recorder();
  await using next = runnerOf(opened, other.run);
  assert.equal(await next.runDue(), 2);
  assert.deepEqual(other.done.map(([, subject]) => subject).toSorted(), ["b", "c"]);
});

Deno.test("a job that hangs delays a stop once, however often the runner is stopped", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  const { run, started, release } = hanging();
  const runner = runnerOf(opened, run);
  await addAndBegin(runner, services, project);
  await started;
  const first = runner.stop();
  clock.advance(10_000);
  const began = performance.now();
  await runner.stop();
  assert.ok(performance.now() - began < 5_000, "the time of the first call is up");
  release();
  await first;
  await runner.stop();
});

Deno.test("a look into a space without due jobs claims nothing and needs no heartbeat", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  const looking = runnerOf(opened, never);
  const announcing = runnerOf(opened, never);
  await announcing.announce(project);
  await announcing.stop();
  await looking.runDue();
  assert.equal(await services.engine.records("control", PROCESSES).count(ALL), 0);
  clock.advance(MINUTE_MS);
  await looking.runDue();
  assert.equal(await services.engine.records("control", PROCESSES).count(ALL), 0);
  await looking.stop();
});

Deno.test("a job whose outcome cannot be stored returns to the queue when the store is back", async () => {
  await using opened = await openTestServices();
  const project = await projectIn(opened);
  let isAway = false;
  const engine = engineOver(opened.services.engine, {
    records: <T extends StoredRecord>(...where: Parameters<Engine["records"]>) => {
      const records = opened.services.engine.records<T>(...where);
      if (where[1].name !== JOBS.name) return records;
      return changed(records, {
        deleteOne: (filter: Filter) =>
          isAway ? Promise.reject(new Error("away")) : records.deleteOne(filter),
        updateOne: (filter: Filter, change: Change) =>
          isAway ? Promise.reject(new Error("away")) : records.updateOne(filter, change),
      });
    },
  });
  const services = { ...opened.services, engine };
  let runs = 0;
  await using runner = runnerOf({ ...opened, services }, async () => {
    isAway = ++runs === 1;
    await turn();
    return null;
  });
  await addAndBegin(runner, services, project);
  await runner.idle();
  assert.equal((await jobsIn(opened.services, project))[0]!.claimedBy === null, false);
  isAway = false;
  opened.clock.advance(MINUTE_MS);
  assert.equal(await runner.runDue(), 1);
  assert.equal(runs, 2);
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
