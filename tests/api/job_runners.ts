/** Job runners that share a store like several processes, with one kind of job. */

import { createProject } from "@/lib/projects/create_project.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Id, Space } from "@/lib/store/port.ts";
import { openTestServices, type TestServices } from "../support/test_services.ts";
import { enqueue, type JobKind, type JobRecord, JOBS, type JobServices } from "@/lib/jobs/jobs.ts";
import { JobRunner, WAITING_SPACES } from "@/lib/jobs/runner.ts";

export const MINUTE_MS = 60_000;
/** A time in milliseconds that is longer than a heartbeat is valid. */
export const DEAD_MS = 8_000;
export const KIND = "test";

export type Kind = JobKind<JobServices>;
export type Run = Kind["run"];
export type Runner = JobRunner<JobServices>;

export function createRunner(
  { services }: TestServices,
  run: Run,
  { address = null, ...options }: Partial<Kind> & { address?: string | null } = {},
): Runner {
  const kinds = [{ name: KIND, atOnce: 4, run, ...options }];
  const runner = new JobRunner<JobServices>(services, { kinds, servicesOf: () => services });
  runner.serveAt(address);
  return runner;
}

export const neverRun: Run = () => Promise.reject(new Error("not to be run"));

/** Creates a job function that records its calls in `done`. */
export function createRecorder() {
  const done: [Space, string][] = [];
  const run: Run = (_services, space, { subject }) => {
    done.push([space, subject]);
    return Promise.resolve(null);
  };
  return { done, run };
}

/** Creates a job function that hangs until `release` is called. */
export function createHangingJob() {
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run: Run = async () => {
    started.resolve();
    await released.promise;
    return null;
  };
  return { run, started: started.promise, release: released.resolve };
}

export const createTestProject = async ({ services }: TestServices): Promise<Id> =>
  (await createProject(services, { name: "Test", siteUrl: null })).projectId;

/** Opens the services of another process with the same store and clock. */
export const openPeer = ({ store, clock }: TestServices) => openTestServices({ store, clock });

/**
 * Opens the services of another process with its own clock. If that clock is advanced, it considers
 * the first process dead.
 */
export const openSurvivor = ({ store }: TestServices) => openTestServices({ store });

export const addJobs = (
  services: Services,
  space: Space,
  subjects: readonly string[] = ["a"],
  { kind = KIND, lane }: { kind?: string; lane?: string } = {},
): Promise<JobRecord[]> =>
  services.engine.transaction(space, (tx) => {
    const jobs = subjects.map((subject) => ({ subject, lane: lane ?? subject }));
    return enqueue(tx, services, jobs, { kind });
  });

export async function addAndBeginJobs(
  runner: Runner,
  services: Services,
  space: Space,
  subjects = ["a"],
) {
  await runner.announce(space);
  for (const job of await addJobs(services, space, subjects)) runner.begin(space, job);
}

export const listJobs = ({ engine }: Services, space: Space): Promise<JobRecord[]> =>
  Array.fromAsync(engine.records<JobRecord>(space, JOBS).find({ filter: ALL }));

export const waitingSpaces = async ({ engine }: Services): Promise<unknown[]> =>
  (await Array.fromAsync(engine.records("control", WAITING_SPACES).find({ filter: ALL })))
    .map(({ space }) => space);

export const pause = (ms = 1): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
