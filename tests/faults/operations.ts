/** What Corbel does on MongoDB, each with the commands it sends and a way to see what it did. */

import assert from "node:assert/strict";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { and, compare, eq } from "@/lib/store/filter.ts";
import {
  type Attempt,
  counter,
  COUNTERS,
  newId,
  next,
  type Operation,
  portFixture,
  reading,
  sentAfterwards,
  valueOf,
} from "./attempts.ts";
import { RARE_OPERATIONS } from "./rare_operations.ts";
import { define, type Fixture, outcomeOf, outcomeOfCall, THINGS } from "./fixture.ts";

async function countOf({ project }: Fixture, query: string): Promise<number> {
  const { status, body, text } = await project.asSecret({ path: `${THINGS}?count=true&${query}` });
  assert.equal(status, 200, text);
  return body.data.count;
}

/** Documents made by one request. */
function creating(
  sends: readonly string[],
  shape: { many?: number; idempotent?: boolean; unique?: boolean },
) {
  const { many = 1, idempotent = false, unique = false } = shape;
  return {
    sends,
    begin(fixture: Fixture): Promise<Attempt> {
      const n = next();
      const document = { n, ...(unique && { code: `code ${n}` }) };
      const call = {
        path: many > 1 ? `${THINGS}/bulk` : THINGS,
        body: many > 1 ? { documents: Array(many).fill(document) } : document,
        headers: idempotent ? { "idempotency-key": `key ${n}` } : {},
      };
      return Promise.resolve({
        send: () => outcomeOf(fixture.project.asSecret(call)),
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

/** A counter that is read, raised by one and written back if nobody else did. */
function raising(sends: readonly string[], method: "PATCH" | "PUT", path: "n" | "m.1") {
  return {
    sends,
    async begin({ project }: Fixture): Promise<Attempt> {
      const made = await project.asSecret({ path: THINGS, body: { n: 1, m: { 1: 1 } } });
      assert.equal(made.status, 201, made.text);
      const call = {
        method,
        path: `${THINGS}/${made.body.data._id}`,
        body: { [path]: 2 },
        headers: { "if-match": made.headers.get("etag")! },
      };
      return {
        send: () => outcomeOf(project.asSecret(call)),
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

/** To the trash and back. */
function trashing(sends: readonly string[], back: boolean) {
  return {
    sends,
    async begin({ project }: Fixture): Promise<Attempt> {
      const made = await project.asSecret({ path: THINGS, body: { n: next() } });
      const path = `${THINGS}/${made.body.data._id}`;
      if (back) await project.asSecret({ method: "DELETE", path });
      return {
        send: () =>
          outcomeOf(project.asSecret({
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

/** A change of a document is read, written and noted, and all of it committed. */
const CHANGED = ["find", "update", "insert", "commitTransaction"] as const;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "a document by its id": {
    sends: ["find"],
    async begin(fixture) {
      const made = await fixture.project.asSecret({ path: THINGS, body: { n: next() } });
      return await reading(`${THINGS}/${made.body.data._id}`, []).begin(fixture);
    },
  },
  "a list with its total": reading(`${THINGS}?n=0`, ["find", "count"]),
  "a count": reading(`${THINGS}?count=true&n=0`, ["count"]),
  // Long enough for what is known of keys and collections to be read again.
  "a list by a caller of long ago": reading(
    `${THINGS}?n=0`,
    ["find"],
    ({ app }) => app.clock.advance(60_000),
  ),
  "readiness": {
    sends: ["findAndModify", "update"],
    begin: ({ app }) =>
      Promise.resolve({
        send: () => outcomeOf(app.send({ path: "/api/health/ready" })),
        effects: () => Promise.resolve(1),
        done: [200],
        onceOnly: true,
      }),
  },
  "a new document": creating(["insert"], {}),
  "a new document with a unique value": creating(["insert"], { unique: true }),
  "a new document, idempotent": creating(["find", "insert", "commitTransaction"], {
    idempotent: true,
  }),
  "a bulk": creating(["insert", "commitTransaction"], { many: 3 }),
  "a bulk, idempotent": creating(["find", "insert", "commitTransaction"], {
    many: 3,
    idempotent: true,
  }),
  "a change of an unchanged copy": raising([...CHANGED], "PATCH", "n"),
  "a change of a member named by a number": raising([...CHANGED], "PATCH", "m.1"),
  "a replacement of an unchanged copy": raising([...CHANGED], "PUT", "n"),
  "into the trash": trashing([...CHANGED], false),
  "out of the trash": trashing([...CHANGED], true),
  "an increment": {
    sends: ["findAndModify"],
    async begin(fixture) {
      const id = await counter(fixture);
      return {
        send: () =>
          outcomeOfCall(
            portFixture(fixture).counters.updateOne(eq("_id", id), { increment: { n: 1 } }),
          ),
        effects: () => valueOf(fixture, id),
        done: [200],
        onceOnly: false,
      };
    },
  },
  "a transaction over two records": {
    sends: ["find", "update", "commitTransaction"],
    async begin(fixture) {
      const ids = [await counter(fixture), await counter(fixture)];
      const { engine, space } = portFixture(fixture);
      return {
        send: () =>
          outcomeOfCall(engine.transaction(space, async (tx) => {
            const counters = tx.records(COUNTERS);
            for (const id of ids) {
              await counters.updateOne(eq("_id", id), { increment: { n: 1 } });
            }
          })),
        async effects() {
          const [one, other] = [await valueOf(fixture, ids[0]!), await valueOf(fixture, ids[1]!)];
          assert.equal(one, other, "a transaction took effect by half");
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
      const id = await counter(fixture);
      const { engine, space } = portFixture(fixture);
      return {
        send: () =>
          outcomeOfCall(engine.transaction(space, async (tx) => {
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
      const id = await counter(fixture);
      const { engine, space } = portFixture(fixture);
      const changedMind = new Error("changed our mind");
      return {
        send: () =>
          outcomeOfCall(
            engine.transaction(space, async (tx) => {
              await tx.records(COUNTERS).updateOne(eq("_id", id), { increment: { n: 1 } });
              throw changedMind;
            }).catch((error) => {
              if (error !== changedMind) throw error;
            }),
          ),
        effects: async () => {
          // Whoever comes next is not in its way.
          const { kind } = await sentAfterwards(() =>
            outcomeOfCall(
              portFixture(fixture).counters.updateOne(eq("_id", id), { set: { seen: true } }),
            )
          );
          assert.equal(kind, "answered");
          return 1 + await valueOf(fixture, id);
        },
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a removal": {
    sends: ["findAndModify"],
    async begin(fixture) {
      const id = await counter(fixture);
      const { counters } = portFixture(fixture);
      return {
        send: () => outcomeOfCall(counters.deleteOne(eq("_id", id))),
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
      const batch = next();
      const mine = and(eq("batch", batch), compare("n", "gte", 1));
      for (const n of [0, 1, 2]) await counters.insert({ _id: newId(), batch, n });
      return {
        send: () => outcomeOfCall(counters.deleteMany(mine, 10)),
        async effects() {
          assert.equal(await counters.count(and(eq("batch", batch), eq("n", 0))), 1);
          return await counters.count(mine) === 0 ? 1 : 0;
        },
        done: [200],
        onceOnly: true,
      };
    },
  },
  ...RARE_OPERATIONS,
  // The last, because it lets time go by, in which a refresh token becomes a stolen one.
  "a change of a definition": {
    sends: [
      ...["find", "update", "collMod", "listIndexes", "createIndexes", "dropIndexes"],
      ...["commitTransaction", "abortTransaction"],
    ],
    begin(fixture) {
      // Each takes the place of the one before, so an index is made and another dropped.
      const key = `k${next()}`;
      const path = "/api/data/shapes";
      return Promise.resolve({
        send: () =>
          outcomeOfCall(define(fixture, "shapes", [{ key, type: "String", unique: true }])),
        async effects() {
          fixture.app.clock.advance(60_000);
          // The first write makes what indexes are still missing.
          const made = await fixture.project.asSecret({ path, body: { n: 0 } });
          assert.equal(made.status, 201, made.text);
          const isDefined = await hasField(fixture, key);
          const isIndexed = (await fixture.indexes("shapes")).includes(`unique ${key} String`);
          assert.ok(isIndexed || !isDefined, "what a definition names is there");
          return isDefined ? 1 : 0;
        },
        async leftover(isDone) {
          const indexes = await fixture.indexes("shapes");
          if (!isDone) {
            assert.ok(!indexes.includes(`unique ${key} String`), "it holds for no definition");
          } else assert.deepEqual(indexes, ["_id_", "list createdAt", `unique ${key} String`]);
        },
        done: [200],
        onceOnly: true,
      });
    },
  },
};
