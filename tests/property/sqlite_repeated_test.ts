import assert from "node:assert/strict";
import { UniqueViolation } from "@/lib/store/errors.ts";
import { BY_KEY } from "../support/authorship.ts";
import fc from "fast-check";
import { listDocuments } from "@/lib/documents/list_documents.ts";
import { listJson } from "@/lib/documents/list_json.ts";
import type { Caller } from "@/lib/auth/principals.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Id, StoredRecord } from "@/lib/store/port.ts";
import { id, newSpace } from "../contract/fixtures.ts";
import { SecondProcess } from "../contract/second_process.ts";
import type { Call } from "../contract/worker.ts";
import { openTestServices } from "../support/test_services.ts";
import { check } from "./run.ts";
import { createCollection } from "@/tests/support/given.ts";

const IDS = 6;
const STEPS_MAX = 12;
const QUERIES = ["sort=n", "n_gte=2&sort=-n", "count=true&n_lt=3", "sort=n&limit=2&page=2"];
const NAME = "posts";

interface Step {
  readonly by: "us" | "them";
  readonly write: "insert" | "change" | "remove";
  readonly id: number;
  readonly n: number;
  /** Lists that are requested before the write has ended. */
  readonly concurrentLists: readonly number[];
}

const query = fc.nat(QUERIES.length - 1);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    by: fc.constantFrom("us", "them"),
    write: fc.constantFrom("insert", "change", "remove"),
    id: fc.nat(IDS - 1),
    n: fc.nat(4),
    concurrentLists: fc.array(query, { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: STEPS_MAX },
);

const row = ({ id: n, n: value }: Step): StoredRecord => ({
  _id: id(n),
  n: value,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  isDeleted: false,
  deletedAt: null,
});

function callOf(step: Step): Call {
  if (step.write === "insert") return { insert: row(step) };
  const filter = eq("_id", id(step.id));
  return step.write === "remove"
    ? { delete: filter }
    : { update: filter, change: { set: { n: step.n } } };
}

/** Applies a step to the model. Taken ids and missing documents change nothing. */
function follow(model: Map<Id, number>, step: Step): void {
  const key = id(step.id);
  if (step.write === "remove") model.delete(key);
  else if (model.has(key) === (step.write === "change")) model.set(key, step.n);
}

/** Accepts the error for an id that another document has. */
function ignoreTakenId(error: unknown): void {
  if (!(error instanceof UniqueViolation)) throw error;
}

Deno.test("a list shows the changes of two processes as soon as they are answered", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await using other = await SecondProcess.start(`sqlite:${opened.folder}`);

  await check("Repeated lists", steps, async (steps) => {
    const projectId = newSpace();
    const caller: Caller = { kind: "secret", projectId };
    await createCollection(services, projectId, {
      name: NAME,
      fields: [{ key: "n", type: "Number" }],
      rls: { mode: "public-read" },
    });
    const { records: definition } = (await services.catalog.find(projectId, NAME))!;
    const records = services.engine.records(projectId, definition, BY_KEY);
    const list = async (query: string): Promise<string> =>
      listJson(await listDocuments(services, caller, { collectionName: NAME, query }));
    const model = new Map<Id, number>();

    async function write(step: Step): Promise<void> {
      const call = callOf(step);
      if (step.by === "them") {
        const one = { space: projectId, definition, writing: BY_KEY, calls: [call] };
        await other.run({ ...one, how: "one by one" });
      } else if ("insert" in call) await records.insert(call.insert).catch(ignoreTakenId);
      else if ("update" in call) await records.updateOne(call.update, call.change);
      else if ("delete" in call) await records.deleteOne(call.delete);
    }

    for (const step of steps) {
      const writing = write(step);
      for (const n of step.concurrentLists) await list(QUERIES[n]!);
      await writing;
      follow(model, step);
      for (const query of QUERIES) assert.equal(await list(query), await list(query), query);
      const { items } = JSON.parse(await list("sort=n"));
      const expected = [...model].sort(([a, m], [b, n]) => m - n || (a < b ? -1 : 1));
      assert.deepEqual(items.map((item: StoredRecord) => [item._id, item.n]), expected);
    }
  });
});
