import assert from "node:assert/strict";
import { ALL } from "@/lib/store/filter.ts";
import type { Change, Engine, Filter, StoredRecord } from "@/lib/store/port.ts";
import { changed } from "../support/changed.ts";
import { engineOver } from "../support/engine_over.ts";
import { openTestServices } from "../support/test_services.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { PROCESSES } from "@/lib/jobs/processes.ts";

import {
  add,
  addAndBegin,
  DEAD_MS,
  hanging,
  jobsIn,
  MINUTE_MS,
  never,
  peerOf,
  projectIn,
  recorder,
  type Run,
  runnerOf,
  survivorOf,
  turn,
} from "./job_runners.ts";

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
