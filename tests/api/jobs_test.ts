import assert from "node:assert/strict";
import { type JobRecord, JOBS } from "@/lib/jobs/jobs.ts";
import { WAITING_SPACES } from "@/lib/jobs/runner.ts";
import { migrateControlQueue, migrateRemovalNotes } from "@/lib/operations/migrate_queues.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { openTestServices } from "../support/test_services.ts";
import { times } from "./test_collection.ts";

const SPACE = "66f1a0c2e4b0a1b2c3d4e5f6";

const storedJobs = (services: Services, space = SPACE): Promise<JobRecord[]> =>
  Array.fromAsync(services.engine.records<JobRecord>(space, JOBS).find({ filter: ALL }));

const defineTable = (
  name: string,
  fields: Definition["fields"],
  indexed: readonly string[] = [],
) => ({
  name,
  fields,
  indexes: indexed.map((path) => ({ keys: [{ path, descending: false }] })),
  trash: false,
});

Deno.test("migrateRemovalNotes turns the removal notes of earlier versions into jobs once", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { engine, newId } = services;
  const removals = defineTable("_removals", {
    path: { type: "String" },
    target: { type: "String" },
    tries: { type: "Number" },
    dueAt: { type: "Date" },
  }, ["path", "dueAt"]);
  const collections = defineTable("_removedCollections", {
    storedAs: { type: "String" },
    removedAt: { type: "Date" },
  });
  const at = new Date(services.clock.now()).toISOString();
  await engine.createSpace(SPACE);
  await engine.records(SPACE, removals).insertMany(
    times(230, (i) => ({ _id: newId(), path: `${SPACE}/${i}`, target: "b", tries: 1, dueAt: at })),
  );
  await engine.records(SPACE, collections).insert({ _id: newId(), storedAs: "c1", removedAt: at });
  for (const _ of [1, 2]) await migrateRemovalNotes(services, SPACE);
  const jobs = await storedJobs(services);
  assert.equal(jobs.length, 231);
  assert.equal(new Set(jobs.map(({ subject }) => subject)).size, 231);
  assert.partialDeepStrictEqual(jobs.at(-1), {
    kind: "removeCollection",
    subject: "c1",
    lane: "c1",
    claimedBy: null,
  });
  assert.partialDeepStrictEqual(jobs[0], { kind: "removeObjects", lane: "b" });
  const kinds = await engine.kinds(SPACE);
  assert.ok(!kinds.includes("_removals") && !kinds.includes("_removedCollections"));
});

Deno.test("migrateControlQueue moves the webhook queue of earlier versions into the job queue", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { engine, newId } = services;
  const earlier = defineTable("waitingWebhookSpaces", { space: { type: "String" } });
  await engine.records("control", earlier).insert({ _id: newId(), space: SPACE });
  const pass = { _id: newId(), kind: "deliver", subject: "deliver", lane: "deliver" };
  await engine.records("control", JOBS).insert(pass);
  for (const _ of [1, 2]) await migrateControlQueue(services);
  assert.deepEqual(await storedJobs(services, "control"), []);
  const waiting = await Array.fromAsync(
    engine.records("control", WAITING_SPACES).find({ filter: ALL }),
  );
  assert.deepEqual(waiting.map(({ space }) => space), [SPACE]);
  assert.ok(!(await engine.kinds("control")).includes(earlier.name));
});
