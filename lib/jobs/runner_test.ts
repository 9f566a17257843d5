import assert from "node:assert/strict";
import { createProject } from "../projects/create_project.ts";
import type { Services } from "../services.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Id, Space } from "../store/port.ts";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import { enqueue, type JobKind, type JobRecord, JOBS, type JobServices } from "./jobs.ts";
import {
  createJobRunner,
  type JobRunner,
  WAITING_SPACES,
  WAITING_WEBHOOK_SPACES,
} from "./runner.ts";

const MINUTE_MS = 60_000;
/** After which what a process has taken is another one's to do. */
const LEASE_MS = 5 * MINUTE_MS;

type Run = JobKind<JobServices>["run"];

const KIND = "test";

function runnerOf({ services }: TestServices, run: Run, atOnceMax = 4): JobRunner {
  const kinds = [{ name: KIND, run }];
  return createJobRunner<JobServices>(services, { kinds, atOnceMax, servicesOf: () => services });
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

async function projectIn({ services }: TestServices): Promise<Id> {
  return (await createProject(services, { name: "Test", siteUrl: null })).projectId;
}

const note = async (
  services: Services,
  space: Space,
  { subject = "a", lane = subject, isClaimed = true }: {
    subject?: string;
    lane?: string;
    isClaimed?: boolean;
  } = {},
): Promise<JobRecord> => {
  const options = { kind: KIND, isClaimed };
  const noted = [{ subject, lane }];
  const [job] = await services.engine
    .transaction(space, (tx) => enqueue(tx, services, noted, options));
  return job!;
};

const jobsLeft = ({ engine }: Services, space: Space): Promise<number> =>
  engine.records(space, JOBS).count(ALL);

const announced = async ({ engine }: Services): Promise<unknown[]> =>
  (await Array.fromAsync(engine.records("control", WAITING_SPACES).find({ filter: ALL })))
    .map((record) => (record as unknown as { space: Space }).space);

Deno.test("what is begun is run at once and is gone, in a project and in the control space", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  const { done, run } = recorder();
  await using runner = runnerOf(opened, run);
  for (const space of [project, "control"] as const) {
    await runner.announce(space);
    runner.begin(space, await note(services, space));
  }
  await runner.idle();
  assert.deepEqual(done.toSorted(), [[project, "a"], ["control", "a"]].toSorted());
  assert.equal(await jobsLeft(services, project), 0);
  assert.equal(await jobsLeft(services, "control"), 0);
});

Deno.test("no more jobs run at once than may, and idle waits for all of them", async () => {
  await using opened = await openTestServices();
  const project = await projectIn(opened);
  let [now, most] = [0, 0];
  await using runner = runnerOf(opened, async (services, space) => {
    most = Math.max(most, ++now);
    await jobsLeft(services as Services, space);
    now--;
    return null;
  }, 3);
  for (let i = 0; i < 20; i++) {
    runner.begin(project, await note(opened.services, project, { subject: `${i}` }));
  }
  await runner.idle();
  assert.ok(most <= 3 && most > 0);
  assert.equal(await jobsLeft(opened.services, project), 0);
});

Deno.test("of a process that died behind its transaction another one does the job, once its lease is over", async () => {
  await using first = await openTestServices();
  await using second = await openTestServices({ store: first.store, clock: first.clock });
  const project = await projectIn(first);
  const dead = runnerOf(first, never);
  await dead.announce(project);
  await note(first.services, project); // It dies here: nobody begins.
  const { done, run } = recorder();
  await using runner = runnerOf(second, run);
  first.clock.advance(LEASE_MS - 1);
  assert.equal(await runner.runDue(), 0);
  first.clock.advance(1);
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(done, [[project, "a"]]);
  assert.equal(await runner.runDue(), 0);
  assert.equal(await jobsLeft(second.services, project), 0);
});

Deno.test("of a process that died before its transaction nothing is left to do, and the space is forgotten", async () => {
  await using opened = await openTestServices();
  const project = await projectIn(opened);
  await using runner = runnerOf(opened, never);
  await runner.announce(project);
  assert.deepEqual(await announced(opened.services), [project]);
  opened.clock.advance(LEASE_MS - 1);
  assert.equal(await runner.runDue(), 0);
  assert.deepEqual(
    await announced(opened.services),
    [project],
    "a transaction may still be under way",
  );
  opened.clock.advance(1);
  await runner.runDue();
  assert.deepEqual(await announced(opened.services), []);
});

Deno.test("a space is not forgotten while a job is left there, whenever that is due", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  const later = clock.now() + 3_600_000;
  let runs = 0;
  await using runner = runnerOf(opened, () => Promise.resolve(runs++ === 0 ? later : null));
  await runner.announce(project);
  runner.begin(project, await note(services, project));
  await runner.idle();
  clock.advance(30 * MINUTE_MS);
  assert.equal(await runner.runDue(), 0);
  assert.deepEqual(await announced(services), [project]);
  clock.advance(30 * MINUTE_MS);
  assert.equal(await runner.runDue(), 1);
  assert.equal(runs, 2);
  assert.deepEqual(await announced(services), []);
});

Deno.test("jobs of other kinds are left alone, and keep no space announced", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  await services.engine.transaction(
    project,
    (tx) => enqueue(tx, services, [{ subject: "x", lane: "x" }], { kind: "another" }),
  );
  await using runner = runnerOf(opened, never);
  await runner.announce(project);
  opened.clock.advance(LEASE_MS);
  assert.equal(await runner.runDue(), 0);
  assert.equal(await jobsLeft(services, project), 1);
  assert.deepEqual(await announced(services), []);
});

Deno.test("whoever announced lately does not write again, but does before a space could be forgotten", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  await using runner = runnerOf(opened, never);
  const announcedAt = async () => {
    const records = services.engine.records("control", WAITING_SPACES);
    const found = await records.findOne(eq("_id", project));
    return (found?.value as unknown as { announcedAt: string } | undefined)?.announcedAt;
  };
  await runner.announce(project);
  const first = await announcedAt();
  clock.advance(29_999);
  await runner.announce(project);
  assert.equal(await announcedAt(), first);
  clock.advance(1);
  await runner.announce(project);
  assert.equal(await announcedAt(), new Date(clock.now()).toISOString());
});

Deno.test("20 processes that announce one space at once leave one note", async () => {
  await using opened = await openTestServices();
  const project = await projectIn(opened);
  const runners = Array.from({ length: 20 }, () => runnerOf(opened, never));
  await Promise.all(runners.map((runner) => runner.announce(project)));
  assert.deepEqual(await announced(opened.services), [project]);
});

Deno.test("of two processes that run what is due each job is done by one", async () => {
  await using first = await openTestServices();
  await using second = await openTestServices({ store: first.store, clock: first.clock });
  const project = await projectIn(first);
  const { done, run } = recorder();
  const runners = [runnerOf(first, run), runnerOf(second, run)];
  await runners[0]!.announce(project);
  for (let i = 0; i < 20; i++) {
    await note(first.services, project, { subject: `${i}`, isClaimed: false });
  }
  const counts = await Promise.all(runners.map((runner) => runner.runDue()));
  assert.equal(counts[0]! + counts[1]!, 20);
  assert.equal(done.length, 20);
  assert.equal(new Set(done.map(([, subject]) => subject)).size, 20);
});

Deno.test("a job that fails is tried again, and holds no other space up", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const [bad, good] = [await projectIn(opened), await projectIn(opened)];
  const { done, run } = recorder();
  let fails = true;
  await using runner = runnerOf(opened, (services, space, ...rest) => {
    if (space === bad && fails) return Promise.reject(new Error("no connection"));
    return run(services, space, ...rest);
  });
  for (const space of [bad, good]) {
    await runner.announce(space);
    await note(services, space, { isClaimed: false });
  }
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(done, [[good, "a"]]);
  fails = false;
  clock.advance(MINUTE_MS);
  assert.equal(await runner.runDue(), 1);
  assert.equal(done.length, 2);
});

Deno.test("a project that is gone is forgotten, and its space is not made anew", async () => {
  await using opened = await openTestServices();
  const gone = "66f1a0c2e4b0a1b2c3d4e5f6" as Id;
  await using runner = runnerOf(opened, never);
  await runner.announce(gone);
  assert.equal(await runner.runDue(), 0);
  assert.deepEqual(await announced(opened.services), []);
});

Deno.test("a runner that is disposed waits for what is under way, and begins nothing more", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const project = await projectIn(opened);
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done: string[] = [];
  const runner = runnerOf(opened, async (_services, _space, { subject }, stopped) => {
    started.resolve();
    await release.promise;
    done.push(`${subject} ${stopped()}`);
    return null;
  }, 1);
  await runner.announce(project);
  for (const subject of ["a", "b"]) {
    runner.begin(project, await note(services, project, { subject }));
  }
  await started.promise;
  const disposed = runner[Symbol.asyncDispose]();
  release.resolve();
  await disposed;
  assert.deepEqual(done, ["a true"]);
  assert.equal(await jobsLeft(services, project), 1, "the other one is another process' to do");
  // And it need not wait for the lease of the one that stopped.
  const other = recorder();
  await using next = runnerOf(opened, other.run);
  assert.equal(await next.runDue(), 1);
  assert.deepEqual(other.done, [[project, "b"]]);
});

Deno.test("a pass begins jobs that run beside one another without waiting for them, each once", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const kind: JobKind<JobServices> = {
    name: KIND,
    beside: true,
    async run(_services, _space, { subject }) {
      begun.push(subject);
      await held;
      return null;
    },
  };
  await using runner = createJobRunner<JobServices>(services, {
    kinds: [kind],
    atOnceMax: 100,
    servicesOf: () => services,
  });
  await runner.announce(project);
  for (const subject of ["a", "b", "c"]) {
    await note(services, project, { subject, isClaimed: false });
    clock.advance(1);
  }
  assert.equal(await runner.runDue(), 0, "it waits for none of them");
  assert.equal(await runner.runDue(), 0, "what is taken is not taken again");
  while (begun.length < 3) await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(begun, ["a", "b", "c"]);
  assert.equal(await jobsLeft(services, project), 3);
  release();
  await runner.idle();
  assert.equal(await jobsLeft(services, project), 0);
  assert.equal(begun.length, 3);
});

Deno.test("however many jobs of a lane are held up, a pass begins those of another", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const done: string[] = [];
  const kind: JobKind<JobServices> = {
    name: KIND,
    beside: true,
    async run(_services, _space, { subject, lane }) {
      if (lane === "dead") await held;
      done.push(subject);
      return null;
    },
  };
  await using runner = createJobRunner<JobServices>(services, {
    kinds: [kind],
    atOnceMax: 10_000,
    servicesOf: () => services,
  });
  await runner.announce(project);
  const dead = Array.from({ length: 2_001 }, (_, n) => ({ subject: `${n}`, lane: "dead" }));
  await services.engine.transaction(
    project,
    (tx) => enqueue(tx, services, dead, { kind: KIND, isClaimed: false }),
  );
  clock.advance(1);
  await note(services, project, { subject: "lives", lane: "other", isClaimed: false });
  for (let passes = 0; passes < 3; passes++) await runner.runDue();
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(done, ["lives"]);
  release();
  while (await jobsLeft(services, project) > 0) {
    await runner.idle();
    await runner.runDue();
  }
  assert.equal(new Set(done).size, 2_002);
});

Deno.test("a space that one runner forgets stays announced for one that has a place of its own", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const project = await projectIn(opened);
  const { done, run } = recorder();
  await using other = createJobRunner<JobServices>(services, {
    kinds: [{ name: "other", run: never }],
    atOnceMax: 1,
    servicesOf: () => services,
  });
  await using runner = createJobRunner<JobServices>(services, {
    kinds: [{ name: KIND, run }],
    atOnceMax: 1,
    announcedIn: WAITING_WEBHOOK_SPACES,
    servicesOf: () => services,
  });
  for (const one of [other, runner]) await one.announce(project);
  await note(services, project);
  clock.advance(LEASE_MS);
  assert.equal(await other.runDue(), 0);
  assert.deepEqual(await announced(services), []);
  assert.equal(await runner.runDue(), 1);
  assert.deepEqual(done, [[project, "a"]]);
});
