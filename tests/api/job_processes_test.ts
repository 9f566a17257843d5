import assert from "node:assert/strict";
import { ALL } from "@/lib/store/filter.ts";
import type { Change, Engine, Filter, StoredRecord } from "@/lib/store/port.ts";
import { withMethods } from "../support/with_methods.ts";
import { engineOver } from "../support/engine_over.ts";
import { openTestServices } from "../support/test_services.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { PROCESSES } from "@/lib/jobs/processes.ts";

import {
  addAndBeginJobs,
  addJobs,
  createHangingJob,
  createRecorder,
  createRunner,
  createTestProject,
  DEAD_MS,
  listJobs,
  MINUTE_MS,
  neverRun,
  openPeer,
  openSurvivor,
  pause,
  type Run,
} from "./job_runners.ts";

Deno.test("runDue runs a job whose process was killed after its commit", async () => {
  await using first = await openTestServices();
  await using second = await openPeer(first);
  const project = await createTestProject(first);
  const killed = createRunner(first, neverRun);
  await killed.announce(project);
  await addJobs(first.services, project);
  const { done, run } = createRecorder();
  await using runner = createRunner(second, run);
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(done, [[project, "a"]]);
  await killed.stop();
});

Deno.test("runDue runs a killed process's job after its heartbeat has expired", async () => {
  await using first = await openTestServices();
  await using second = await openSurvivor(first);
  const project = await createTestProject(first);
  const { run, started, release } = createHangingJob();
  const killed = createRunner(first, run, { address: "here 127.0.0.1:8000" });
  await addAndBeginJobs(killed, first.services, project);
  await started;
  const other = createRecorder();
  await using runner = createRunner(second, other.run, { address: "here 127.0.0.1:8001" });
  second.clock.advance(DEAD_MS - 1);
  assert.equal(await runner.runDue(), 0);
  await runner.startDue({ atStart: true });
  await runner.idle();
  assert.deepEqual(other.done, [], "the process has another address");
  second.clock.advance(1);
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(other.done, [[project, "a"]]);
  // The first process was only slow. It ends and changes nothing.
  release();
  await killed.stop();
  assert.deepEqual(await listJobs(first.services, project), []);
});

Deno.test("startDue at the address of a killed process runs its jobs at once", async () => {
  await using first = await openTestServices();
  await using second = await openPeer(first);
  const project = await createTestProject(first);
  const { run, started, release } = createHangingJob();
  const address = "here 127.0.0.1:8000";
  const killed = createRunner(first, run, { address });
  await addAndBeginJobs(killed, first.services, project);
  await started;
  const other = createRecorder();
  await using runner = createRunner(second, other.run, { address });
  await runner.startDue({ atStart: true });
  await runner.idle();
  assert.deepEqual(other.done, [[project, "a"]]);
  release();
  await killed.stop();
});

Deno.test("runDue after a process died runs kinds with isDueAfterDeath at once", async () => {
  await using first = await openTestServices();
  await using second = await openSurvivor(first);
  const project = await createTestProject(first);
  let runs = 0;
  const later: Run = ({ clock }) => Promise.resolve((runs++, clock.now() + 30_000));
  const killed = createRunner(first, later);
  await addAndBeginJobs(killed, first.services, project);
  await killed.idle();
  await using runner = createRunner(second, later, { isDueAfterDeath: true });
  await runner.runDue();
  assert.equal(runs, 1);
  second.clock.advance(40_000); // Beyond the time for which an announcement keeps the heartbeat.
  await killed.announce(project);
  second.clock.advance(DEAD_MS);
  await runner.runDue();
  assert.equal(runs, 2);
  await killed.stop();
});

Deno.test("a runner has a heartbeat only from its first job to its stop", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await createTestProject(opened);
  const processes = () => services.engine.records("control", PROCESSES).count(ALL);
  const runner = createRunner(opened, createRecorder().run);
  await runner.runDue();
  assert.equal(await processes(), 0);
  await addAndBeginJobs(runner, services, project);
  await runner.idle();
  assert.equal(await processes(), 1);
  await runner.stop();
  assert.equal(await processes(), 0);
});

Deno.test("stop waits for running jobs and leaves the queued ones to other processes", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await createTestProject(opened);
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done: string[] = [];
  const runner = createRunner(opened, async (_services, _space, { subject }, isStopping) => {
    started.resolve();
    await released.promise;
    done.push(`${subject} ${isStopping()}`);
    return null;
  });
  await addAndBeginJobs(runner, services, project, ["a", "b"]);
  await started.promise;
  const stopped = runner.stop();
  for (const job of await addJobs(services, project, ["c"])) runner.begin(project, job);
  released.resolve();
  await stopped;
  assert.deepEqual(done, ["a true"]);
  const other = createRecorder();
  await using next = createRunner(opened, other.run);
  assert.equal(await next.runDue(), 2);
  assert.deepEqual(other.done.map(([, subject]) => subject).toSorted(), ["b", "c"]);
});

Deno.test("stop waits for a hanging job only once, even if it is called repeatedly", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await createTestProject(opened);
  const { run, started, release } = createHangingJob();
  const runner = createRunner(opened, run);
  await addAndBeginJobs(runner, services, project);
  await started;
  const first = runner.stop();
  clock.advance(10_000);
  const startedAt = performance.now();
  await runner.stop();
  assert.ok(performance.now() - startedAt < 5_000, "the time limit of the first call has passed");
  release();
  await first;
  await runner.stop();
});

Deno.test("runDue without due jobs claims nothing and has no heartbeat", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await createTestProject(opened);
  const looking = createRunner(opened, neverRun);
  const announcing = createRunner(opened, neverRun);
  await announcing.announce(project);
  await announcing.stop();
  await looking.runDue();
  assert.equal(await services.engine.records("control", PROCESSES).count(ALL), 0);
  clock.advance(MINUTE_MS);
  await looking.runDue();
  assert.equal(await services.engine.records("control", PROCESSES).count(ALL), 0);
  await looking.stop();
});

Deno.test("a job whose result cannot be stored returns to the queue once the store is available", async () => {
  await using opened = await openTestServices();
  const project = await createTestProject(opened);
  let isAway = false;
  const engine = engineOver(opened.services.engine, {
    records: <T extends StoredRecord>(...where: Parameters<Engine["records"]>) => {
      const records = opened.services.engine.records<T>(...where);
      if (where[1].name !== JOBS.name) return records;
      return withMethods(records, {
        deleteOne: (filter: Filter) =>
          isAway ? Promise.reject(new Error("away")) : records.deleteOne(filter),
        updateOne: (filter: Filter, change: Change) =>
          isAway ? Promise.reject(new Error("away")) : records.updateOne(filter, change),
      });
    },
  });
  const services = { ...opened.services, engine };
  let runs = 0;
  await using runner = createRunner({ ...opened, services }, async () => {
    isAway = ++runs === 1;
    await pause();
    return null;
  });
  await addAndBeginJobs(runner, services, project);
  await runner.idle();
  assert.equal((await listJobs(opened.services, project))[0]!.claimedBy === null, false);
  isAway = false;
  opened.clock.advance(MINUTE_MS);
  assert.equal(await runner.runDue(), 1);
  assert.equal(runs, 2);
});
