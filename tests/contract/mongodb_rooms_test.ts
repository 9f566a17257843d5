import assert from "node:assert/strict";
import { MongoClient } from "mongodb";
import { SpaceFull } from "@/lib/store/errors.ts";
import { ALL } from "@/lib/store/filter.ts";
import { until } from "../acceptance/until.ts";
import { dropDatabases, mongodbUrl } from "../support/mongodb.ts";
import { id, newSpace, trashDefinition } from "./fixtures.ts";
import { openStore } from "./open_store.ts";

const POSTS = trashDefinition({ name: "posts" });
const ROOM = { bytesMax: 10_000, beside: [] };
const GIVEN = "sharesOfProcesses";

interface Shares {
  readonly _id: string;
  readonly shares: Record<string, { bytes: number; at: Date }>;
}

/** A space in which another process has a share of all but 500 bytes. */
async function openShared({ ageMs }: { ageMs: number }) {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const engine = await openStore(mongodbUrl(prefix));
  const space = newSpace();
  const records = engine.records(space, POSTS, { room: ROOM });
  await records.insert({ _id: id(1), isDeleted: false });
  const client = await new MongoClient(mongodbUrl(prefix)).connect();
  const shares = client.db(`${prefix}_${space}`).collection<Shares>("_shares");
  const at = new Date(Date.now() - ageMs);
  await shares.updateOne({ _id: "shares" }, {
    $set: { [`shares.${GIVEN}`]: { bytes: ROOM.bytesMax - 500, at } },
    $inc: { turn: 1 },
  });
  return {
    records,
    given: async () => Object.keys((await shares.findOne({ _id: "shares" }))!.shares),
    async [Symbol.asyncDispose]() {
      await client.close();
      await engine[Symbol.asyncDispose]();
      await dropDatabases(prefix);
    },
  };
}

const post = (n: number) => ({ _id: id(n), isDeleted: false, text: "x".repeat(1000) });

Deno.test("mongodb: what another process may still write is not written by this one", async () => {
  await using shared = await openShared({ ageMs: 0 });
  await shared.records.insert({ _id: id(2), isDeleted: false });
  const begun = performance.now();
  await assert.rejects(shared.records.insert(post(3)), SpaceFull);
  const tookMs = performance.now() - begun;
  assert.ok(tookMs > 5_000 && tookMs < 8_000, `${tookMs} ms`);
  assert.equal(await shared.records.count(ALL), 2);
});

Deno.test("mongodb: the share of a process that has said nothing for a minute is free", async () => {
  await using shared = await openShared({ ageMs: 61_000 });
  await shared.records.insert(post(2));
  assert.ok(!(await shared.given()).includes(GIVEN));
});

Deno.test("mongodb: a share that is not used any more is given back within 7 s", async () => {
  await using shared = await openShared({ ageMs: 61_000 });
  await shared.records.insert(post(2));
  // So small that something is left of the share that it is written by.
  await shared.records.insert({ _id: id(3), isDeleted: false });
  assert.equal((await shared.given()).length, 1);
  await until("it is free", async () => (await shared.given()).length === 0, 7_000);
});
