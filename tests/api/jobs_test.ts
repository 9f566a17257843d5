import assert from "node:assert/strict";
import {
  dueBy,
  enqueue,
  type EnqueueOptions,
  type JobKind,
  type JobRecord,
  JOBS,
  type JobServices,
  jobsOf,
  runJob,
  runJobs,
} from "@/lib/jobs/jobs.ts";
import { startRecurring } from "@/routes/recurring.ts";
import { adoptNotes } from "@/lib/operations/adopt_notes.ts";
import type { Services } from "@/lib/services.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { until } from "../acceptance/until.ts";
import { openTestServices } from "../support/test_services.ts";
import { times } from "./test_collection.ts";

const SPACE = "66f1a0c2e4b0a1b2c3d4e5f6";
const KIND = "test";
const MINUTE_MS = 60_000;
const LEASE_MS = 5 * MINUTE_MS;

const kindOf = (run: JobKind<JobServices>["run"]): JobKind<JobServices> => ({ name: KIND, run });

const done = () => Promise.resolve(null);

const note = (
  services: Services,
  subjects: readonly string[],
  options: Partial<EnqueueOptions> & { lane?: string } = {},
): Promise<JobRecord[]> =>
  services.engine.transaction(SPACE, (tx) => {
    const { lane, ...rest } = options;
    const jobs = subjects.map((subject) => ({ subject, lane: lane ?? subject }));
    return enqueue(tx, services, jobs, { kind: KIND, ...rest });
  });

const due = (services: Services) => ({ space: SPACE, which: dueBy(services.clock) });

const stored = (services: Services): Promise<JobRecord[]> =>
  Array.fromAsync(services.engine.records<JobRecord>(SPACE, JOBS).find({ filter: ALL }));

Deno.test("of many who run what is due each job is done by one, and gone", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await note(services, times(30, (i) => `${i}`));
  const seen: string[] = [];
  const kind = kindOf((_services, space, { subject }) => {
    assert.equal(space, SPACE);
    seen.push(subject);
    return done();
  });
  const counts = await Promise.all(times(20, () => runJobs(services, kind, due(services))));
  assert.equal(counts.reduce((sum, count) => sum + count, 0), 30);
  assert.equal(new Set(seen).size, 30);
  assert.equal(seen.length, 30);
  assert.deepEqual(await stored(services), []);
});

Deno.test("a job of a transaction that failed is none", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await assert.rejects(
    services.engine.transaction(SPACE, async (tx) => {
      await enqueue(tx, services, [{ subject: "a", lane: "a" }], { kind: KIND });
      throw new Error("refused");
    }),
    /refused/,
  );
  assert.deepEqual(await stored(services), []);
});

Deno.test("a job that fails is tried after 1, 2, 4 minutes and so on, at last every 6 hours, and says why", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await note(services, ["a"]);
  let tries = 0;
  const failing = kindOf(() => {
    tries++;
    return Promise.reject(new Error(`away ${tries}`));
  });
  for (const minutes of [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]) {
    assert.equal(await runJobs(services, failing, due(services)), 0);
    const [job] = await stored(services);
    assert.partialDeepStrictEqual(job, { tries, lastError: `Error: away ${tries}` });
    assert.equal(Date.parse(job!.dueAt) - clock.now(), minutes * MINUTE_MS);
    clock.advance(minutes * MINUTE_MS - 1);
    const before: number = tries;
    await runJobs(services, failing, due(services));
    assert.equal(tries, before, "not before it is due");
    clock.advance(1);
  }
  assert.equal(await runJobs(services, kindOf(done), due(services)), 1);
});

Deno.test("after a failure the rest of its lane waits for the next pass, and other lanes do not", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await note(services, ["a", "b", "c"], { lane: "away" });
  await note(services, ["d", "e"], { lane: "there" });
  const seen: string[] = [];
  const kind = kindOf((_services, _space, { subject, lane }) => {
    seen.push(subject);
    return lane === "away" ? Promise.reject(new Error("away")) : done();
  });
  assert.equal(await runJobs(services, kind, due(services)), 2);
  assert.deepEqual(seen, ["a", "d", "e"]);
  assert.deepEqual((await stored(services)).map(({ tries }) => tries), [1, 0, 0]);
});

Deno.test("what somebody has taken is theirs until the lease ends, and then whoever comes first's", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const [job] = await note(services, ["a"], { isClaimed: true });
  clock.advance(LEASE_MS - 1);
  assert.equal(await runJobs(services, kindOf(done), due(services)), 0);
  clock.advance(1);
  const taken = kindOf(async () => {
    // The first has been slow, and ends in one way or the other: neither touches the second's.
    assert.equal(await runJob(services, kindOf(done), { space: SPACE, job: job! }), false);
    const failing = kindOf(() => Promise.reject(new Error("late")));
    assert.equal(await runJob(services, failing, { space: SPACE, job: job! }), false);
    assert.partialDeepStrictEqual(await stored(services), [{ tries: 2, lastError: null }]);
    return null;
  });
  assert.equal(await runJobs(services, taken, due(services)), 1);
  assert.deepEqual(await stored(services), []);
});

Deno.test("a job that goes on later is due then, as one that was never tried", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await note(services, ["a"]);
  const later = kindOf(() => Promise.resolve(clock.now() + 7 * MINUTE_MS));
  assert.equal(await runJobs(services, later, due(services)), 0);
  assert.partialDeepStrictEqual(await stored(services), [{ tries: 0, claimedUntil: null }]);
  clock.advance(7 * MINUTE_MS - 1);
  assert.equal(await runJobs(services, kindOf(done), due(services)), 0);
  clock.advance(1);
  assert.equal(await runJobs(services, kindOf(done), due(services)), 1);
});

Deno.test("a pass leaves jobs of other kinds alone, and ends when it is told to", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await note(services, ["other"], { kind: "other" });
  await note(services, ["a", "b", "c"]);
  let left = 2;
  const stopped = () => left-- <= 0;
  assert.equal(await runJobs(services, kindOf(done), { ...due(services), stopped }), 2);
  const jobs = services.engine.records<JobRecord>(SPACE, JOBS);
  assert.equal(await jobs.count(jobsOf({ name: KIND })), 1);
  assert.equal(await jobs.count(jobsOf({ name: "other" })), 1);
});

Deno.test("recurring work is done by one of all processes, at its time, also after a failure", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  let passes = 0;
  const work = {
    kind: "pass",
    everyMs: 10 * MINUTE_MS,
    run: () => ++passes === 1 ? Promise.reject(new Error("away")) : Promise.resolve({}),
  };
  const jobs = services.engine.records<JobRecord>("control", JOBS);
  const waiting = jobsOf({ name: work.kind }, eq("claimedUntil", null));
  let looks = 0;
  const counting = { ...clock, now: () => (looks++, clock.now()) };
  const started = times(5, () => startRecurring({ ...services, clock: counting }, work, 2));
  for (const expected of [1, 2, 3]) {
    await until("a pass is done", () => passes === expected);
    await until("its end is stored", async () => await jobs.count(waiting) === 1);
    const before: number = looks;
    await until("all have looked again", () => looks > before + 50);
    assert.equal(passes, expected);
    clock.advance(10 * MINUTE_MS);
  }
  await Promise.all(started.map((one) => one[Symbol.asyncDispose]()));
});

const place = (name: string, fields: Definition["fields"], indexed: readonly string[] = []) => ({
  name,
  fields,
  indexes: indexed.map((path) => ({ keys: [{ path, descending: false }] })),
  trash: false,
});

Deno.test("what earlier versions noted of removals becomes jobs, once", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { engine, newId } = services;
  const removals = place("_removals", {
    path: { type: "String" },
    target: { type: "String" },
    tries: { type: "Number" },
    dueAt: { type: "Date" },
  }, ["path", "dueAt"]);
  const collections = place("_removedCollections", {
    storedAs: { type: "String" },
    removedAt: { type: "Date" },
  });
  const at = new Date(services.clock.now()).toISOString();
  await engine.createSpace(SPACE);
  await engine.records(SPACE, removals).insertMany(
    times(230, (i) => ({ _id: newId(), path: `${SPACE}/${i}`, target: "b", tries: 1, dueAt: at })),
  );
  await engine.records(SPACE, collections).insert({ _id: newId(), storedAs: "c1", removedAt: at });
  for (const _ of [1, 2]) await adoptNotes(services, SPACE);
  const jobs = await stored(services);
  assert.equal(jobs.length, 231);
  assert.equal(new Set(jobs.map(({ subject }) => subject)).size, 231);
  assert.partialDeepStrictEqual(jobs.at(-1), {
    kind: "removeCollection",
    subject: "c1",
    lane: "c1",
    claimedUntil: null,
  });
  assert.partialDeepStrictEqual(jobs[0], { kind: "removeObjects", lane: "b" });
  const kinds = await engine.kinds(SPACE);
  assert.ok(!kinds.includes("_removals") && !kinds.includes("_removedCollections"));
});
