/** Tests that long work on one collection does not block the event loop. */

import assert from "node:assert/strict";
import { BY_KEY } from "@/tests/support/authorship.ts";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import { purgeTrash } from "@/lib/documents/trash.ts";
import type { Records } from "@/lib/store/port.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { updateCollection } from "@/tests/support/given.ts";

const DOCUMENTS = 40_000;
const SOON_MS = 100;
const TIME = "2026-01-31T12:00:00.000Z";

const definition = (number: Record<string, unknown>) => ({
  name: "things",
  rls: { enabled: false },
  fields: [{ key: "n", type: "Number", ...number }, { key: "text", type: "String" }],
});

const idOf = (n: number): string => (n + 1).toString(16).padStart(24, "0");

async function recordsOf(
  { services }: TestApp,
  { projectId }: TestProject,
): Promise<Records<StoredDocument>> {
  const collection = await services.catalog.find(projectId, "things");
  return services.engine.records<StoredDocument>(projectId, collection!.records, BY_KEY);
}

/** Inserts through the store, because the API would take long. */
async function filledProject(app: TestApp, deletedAt: string | null = null): Promise<TestProject> {
  const project = await app.project();
  await project.collection(definition({}));
  const records = await recordsOf(app, project);
  await records.insertMany(
    Array.from({ length: DOCUMENTS }, (_, n) => ({
      _id: idOf(n),
      n,
      text: "x".repeat(200),
      createdAt: TIME,
      updatedAt: TIME,
      isDeleted: deletedAt !== null,
      deletedAt,
    })),
  );
  return project;
}

/** Returns how many documents are read during `work`, one per turn of the event loop. */
async function readsDuring(
  project: TestProject,
  work: Promise<unknown>,
): Promise<number> {
  let isUnderWay = true;
  const done = work.finally(() => isUnderWay = false);
  let reads = 0;
  for (; isUnderWay; reads++) {
    await new Promise((resolve) => setImmediate(resolve));
    const answer = await project.asSecret({ path: `/api/data/things/${idOf(reads)}` });
    assert.equal(answer.status, 200);
  }
  await done;
  return reads;
}

Deno.test("documents can be read while the definition of a large collection changes", async () => {
  await using app = await openTestApp();
  const project = await filledProject(app);
  const change = (number: Record<string, unknown>) =>
    updateCollection(app.services, project.projectId, definition(number));
  for (const number of [{ required: true }, { required: true, unique: true }]) {
    const reads = await readsDuring(project, change(number));
    assert.ok(reads >= 8, `${reads} reads while ${JSON.stringify(number)} was checked`);
  }
});

Deno.test("of a value written twice while its field becomes unique, and the change, one is refused", async () => {
  await using app = await openTestApp();
  const project = await filledProject(app);
  const { services } = app;
  const become = () =>
    updateCollection(services, project.projectId, definition({ unique: true }))
      .then(() => "changed", (error) => error.code);
  const write = (n: number) => project.asSecret({ path: "/api/data/things", body: { n } });
  const change = become();
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  const written = await write(5);
  const outcome = [written.status, await change];
  if (written.status === 201) {
    assert.deepEqual(outcome, [201, "DEFINITION_CONFLICT"]);
    const path = `/api/data/things/${written.body.data._id}?permanent=true`;
    assert.equal((await project.asSecret({ method: "DELETE", path })).status, 200);
    assert.equal(await become(), "changed");
  } else assert.deepEqual(outcome, [409, "changed"]);
  const again = await write(5);
  assert.deepEqual([again.status, again.body.code], [409, "DUPLICATE_VALUE"]);
  assert.equal((await write(DOCUMENTS)).status, 201);
});

Deno.test("documents can be read while a large trash is purged", async () => {
  await using app = await openTestApp();
  const project = await filledProject(app, TIME);
  const records = await recordsOf(app, project);
  await purgeTrash(app.services, records); // Starts the thread, which takes a while.
  // One good round is enough on a busy machine: work that blocks the event loop does it in each.
  const rounds: string[] = [];
  for (let round = 0; round < 5; round++) {
    const { turns, ms } = await turnsDuring(project, () => purgeTrash(app.services, records));
    // Work that is finished this soon blocks nothing.
    if (turns >= 50 || ms < SOON_MS) return;
    rounds.push(`${turns} turns in ${ms} ms`);
  }
  assert.fail(rounds.join(", "));
});

/** Returns the turns of the event loop during `work`, and its milliseconds. */
async function turnsDuring(
  project: TestProject,
  work: () => Promise<unknown>,
): Promise<{ turns: number; ms: number }> {
  const began = performance.now();
  let isUnderWay = true;
  const done = work().finally(() => isUnderWay = false);
  const read = project.asSecret({ path: `/api/data/things/${idOf(0)}` });
  let turns = 0;
  for (; isUnderWay; turns++) await new Promise((resolve) => setImmediate(resolve));
  await done;
  const ms = performance.now() - began;
  assert.equal((await read).status, 404);
  return { turns, ms };
}
