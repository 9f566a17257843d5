/** Corbel's operations on MongoDB, with their commands and a check of their effects. */

import assert from "node:assert/strict";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { and, compare, eq } from "@/lib/store/filter.ts";
import {
  type Attempt,
  COUNTERS,
  counterValue,
  createCounter,
  newId,
  nextNumber,
  type Operation,
  portFixture,
  readOperation,
  sendAfterFault,
} from "./attempts.ts";
import { RARE_OPERATIONS } from "./rare_operations.ts";
import { callResult, type Fixture, requestResult, THINGS, updateDefinition } from "./fixture.ts";

async function countOf({ project }: Fixture, query: string): Promise<number> {
  const { status, body, text } = await project.asSecret({ path: `${THINGS}?count=true&${query}` });
  assert.equal(status, 200, text);
  return body.data.count;
}

function insertOperation(
  sends: readonly string[],
  shape: { many?: number; idempotent?: boolean; unique?: boolean },
) {
  const { many = 1, idempotent = false, unique = false } = shape;
  return {
    sends,
    begin(fixture: Fixture): Promise<Attempt> {
      const n = nextNumber();
      const document = { n, ...(unique && { code: `code ${n}` }) };
      const call = {
        path: many > 1 ? `${THINGS}/bulk` : THINGS,
        body: many > 1 ? { documents: Array(many).fill(document) } : document,
        headers: idempotent ? { "idempotency-key": `key ${n}` } : {},
      };
      return Promise.resolve({
        send: () => requestResult(fixture.project.asSecret(call)),
        async effects() {
          const stored = await countOf(fixture, `n=${n}`);
          assert.equal(stored % many, 0, `${stored} of ${many} documents are stored`);
          return stored / many;
        },
        done: [201],
        ...(unique && { taken: [409] }),
        onceOnly: idempotent || unique,
      });
    },
  };
}

/** Creates an operation that increments a counter by reading and writing it back. */
function incrementOperation(sends: readonly string[], method: "PATCH" | "PUT", path: "n" | "m.1") {
  return {
    sends,
    async begin({ project }: Fixture): Promise<Attempt> {
      const created = await project.asSecret({ path: THINGS, body: { n: 1, m: { 1: 1 } } });
      assert.equal(created.status, 201, created.text);
      const call = {
        method,
        path: `${THINGS}/${created.body.data._id}`,
        body: { [path]: 2 },
        headers: { "if-match": created.headers.get("etag")! },
      };
      return {
        send: () => requestResult(project.asSecret(call)),
        async effects() {
          const { body } = await project.asSecret({ path: call.path });
          return (path === "n" ? body.data.n : body.data.m["1"]) - 1;
        },
        done: [200],
        taken: [412],
        onceOnly: true,
      };
    },
  };
}

function trashOperation(sends: readonly string[], back: boolean) {
  return {
    sends,
    async begin({ project }: Fixture): Promise<Attempt> {
      const created = await project.asSecret({ path: THINGS, body: { n: nextNumber() } });
      const path = `${THINGS}/${created.body.data._id}`;
      if (back) await project.asSecret({ method: "DELETE", path });
      return {
        send: () =>
          requestResult(project.asSecret({
            method: back ? "PATCH" : "DELETE",
            path: back ? `${path}/recover` : path,
          })),
        async effects() {
          const found = (await project.asSecret({ path })).status === 200;
          return found === back ? 1 : 0;
        },
        done: [200],
        taken: back ? [409, 404] : [404],
        onceOnly: true,
      };
    },
  };
}

async function hasField({ app, project }: Fixture, key: string): Promise<boolean> {
  const definitions = await listCollections(app.services, project.projectId);
  const { fields } = definitions.find(({ name }) => name === "shapes")!;
  return fields.some((field) => field.key === key);
}

/** Commands of a change of a document: read, write, record, commit. */
const CHANGE_COMMANDS = ["find", "update", "insert", "commitTransaction"] as const;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "a document by its id": {
    sends: ["find"],
    async begin(fixture) {
      const created = await fixture.project.asSecret({ path: THINGS, body: { n: nextNumber() } });
      return await readOperation(`${THINGS}/${created.body.data._id}`, []).begin(fixture);
    },
  },
  "a list with its total": readOperation(`${THINGS}?n=0`, ["find", "count"]),
  "a count": readOperation(`${THINGS}?count=true&n=0`, ["count"]),
  // The caches of keys and collections must have expired.
  "a list by a caller of long ago": readOperation(
    `${THINGS}?n=0`,
    ["find"],
    ({ app }) => app.clock.advance(60_000),
  ),
  "readiness": {
    sends: ["findAndModify", "update"],
    begin: ({ app }) =>
      Promise.resolve({
        send: () => requestResult(app.send({ path: "/api/health/ready" })),
        effects: () => Promise.resolve(1),
        done: [200],
        onceOnly: true,
      }),
  },
  "a new document": insertOperation(["insert"], {}),
  "a new document with a unique value": insertOperation(["insert"], { unique: true }),
  "a new document, idempotent": insertOperation(["find", "insert", "commitTransaction"], {
    idempotent: true,
  }),
  "a bulk": insertOperation(["insert", "commitTransaction"], { many: 3 }),
  "a bulk, idempotent": insertOperation(["find", "insert", "commitTransaction"], {
    many: 3,
    idempotent: true,
  }),
  "a change of an unchanged copy": incrementOperation([...CHANGE_COMMANDS], "PATCH", "n"),
  "a change of a member named by a number": incrementOperation(
    [...CHANGE_COMMANDS],
    "PATCH",
    "m.1",
  ),
  "a replacement of an unchanged copy": incrementOperation([...CHANGE_COMMANDS], "PUT", "n"),
  "into the trash": trashOperation([...CHANGE_COMMANDS], false),
  "out of the trash": trashOperation([...CHANGE_COMMANDS], true),
  "an increment": {
    sends: ["findAndModify"],
    async begin(fixture) {
      const id = await createCounter(fixture);
      return {
        send: () =>
          callResult(
            portFixture(fixture).counters.updateOne(eq("_id", id), { increment: { n: 1 } }),
          ),
        effects: () => counterValue(fixture, id),
        done: [200],
        onceOnly: false,
      };
    },
  },
  "a transaction over two records": {
    sends: ["find", "update", "commitTransaction"],
    async begin(fixture) {
      const ids = [await createCounter(fixture), await createCounter(fixture)];
      const { engine, space } = portFixture(fixture);
      return {
        send: () =>
          callResult(engine.transaction(space, async (tx) => {
            const counters = tx.records(COUNTERS);
            for (const id of ids) {
              await counters.updateOne(eq("_id", id), { increment: { n: 1 } });
            }
          })),
        async effects() {
          const [one, other] = [
            await counterValue(fixture, ids[0]!),
            await counterValue(fixture, ids[1]!),
          ];
          assert.equal(one, other, "a transaction took effect partially");
          return one;
        },
        done: [200],
        onceOnly: false,
      };
    },
  },
  "a count in a transaction": {
    sends: ["aggregate", "commitTransaction"],
    async begin(fixture) {
      const id = await createCounter(fixture);
      const { engine, space } = portFixture(fixture);
      return {
        send: () =>
          callResult(engine.transaction(space, async (tx) => {
            const counters = tx.records(COUNTERS);
            assert.equal(await counters.count(eq("_id", id)), 1);
          })),
        effects: () => Promise.resolve(1),
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a transaction that is undone": {
    sends: ["abortTransaction"],
    async begin(fixture) {
      const id = await createCounter(fixture);
      const { engine, space } = portFixture(fixture);
      const changedMind = new Error("changed our mind");
      return {
        send: () =>
          callResult(
            engine.transaction(space, async (tx) => {
              await tx.records(COUNTERS).updateOne(eq("_id", id), { increment: { n: 1 } });
              throw changedMind;
            }).catch((error) => {
              if (error !== changedMind) throw error;
            }),
          ),
        effects: async () => {
          // The undone transaction must not block other writes.
          const { kind } = await sendAfterFault(() =>
            callResult(
              portFixture(fixture).counters.updateOne(eq("_id", id), { set: { seen: true } }),
            )
          );
          assert.equal(kind, "answered");
          return 1 + await counterValue(fixture, id);
        },
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a removal": {
    sends: ["findAndModify"],
    async begin(fixture) {
      const id = await createCounter(fixture);
      const { counters } = portFixture(fixture);
      return {
        send: () => callResult(counters.deleteOne(eq("_id", id))),
        effects: async () => await counters.get(id) === null ? 1 : 0,
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a removal of many": {
    sends: ["find", "delete"],
    async begin(fixture) {
      const { counters } = portFixture(fixture);
      const batch = nextNumber();
      const ownBatch = and(eq("batch", batch), compare("n", "gte", 1));
      for (const n of [0, 1, 2]) await counters.insert({ _id: newId(), batch, n });
      return {
        send: () => callResult(counters.deleteMany(ownBatch, 10)),
        async effects() {
          assert.equal(await counters.count(and(eq("batch", batch), eq("n", 0))), 1);
          return await counters.count(ownBatch) === 0 ? 1 : 0;
        },
        done: [200],
        onceOnly: true,
      };
    },
  },
  ...RARE_OPERATIONS,
  // Must be the last, because it advances the clock, after which a refresh token counts as stolen.
  "a change of a definition": {
    sends: [
      ...["find", "update", "collMod", "listIndexes", "createIndexes", "dropIndexes"],
      ...["commitTransaction", "abortTransaction"],
    ],
    begin(fixture) {
      // Each definition replaces the one before: an index is created and another dropped.
      const key = `k${nextNumber()}`;
      const path = "/api/data/shapes";
      return Promise.resolve({
        send: () =>
          callResult(updateDefinition(fixture, "shapes", [{ key, type: "String", unique: true }])),
        async effects() {
          fixture.app.clock.advance(60_000);
          // The first write creates missing indexes.
          const created = await fixture.project.asSecret({ path, body: { n: 0 } });
          assert.equal(created.status, 201, created.text);
          const isDefined = await hasField(fixture, key);
          const isIndexed = (await fixture.indexes("shapes")).includes(`unique ${key} String`);
          assert.ok(isIndexed || !isDefined, "the index of the definition exists");
          return isDefined ? 1 : 0;
        },
        async leftover(isDone) {
          const indexes = await fixture.indexes("shapes");
          if (!isDone) {
            assert.ok(
              !indexes.includes(`unique ${key} String`),
              "the index belongs to no definition",
            );
          } else assert.deepEqual(indexes, ["_id_", "list createdAt", `unique ${key} String`]);
        },
        done: [200],
        onceOnly: true,
      });
    },
  },
};
