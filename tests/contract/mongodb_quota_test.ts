/** The quota of a space on MongoDB, which each process counts separately. */

import assert from "node:assert/strict";
import { SpaceFull } from "@/lib/store/errors.ts";
import type { Records } from "@/lib/store/port.ts";
import { dropDatabases, mongodbUrl } from "../support/mongodb.ts";
import { id, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { openStore } from "./open_store.ts";

const POSTS = trashDefinition({ name: "posts" });
/** Number of posts that fit the quota. */
const FITTING = 50;
/** Number of records that a process may add to a sum that is up to a second old. */
const UNSUMMED = Math.ceil(FITTING / 16);

const post = (n: number) => ({ _id: id(n), isDeleted: false, text: "x".repeat(1000) });

/** Opens a space with a quota of `FITTING` posts on two engines, like two processes. */
async function openTwo() {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const engines = await Promise.all(upTo(2).map(() => openStore(mongodbUrl(prefix))));
  const space = newSpace();
  await engines[0]!.records(space, POSTS).insert(post(1));
  const size = await engines[0]!.bytes(space);
  const quota = { bytesMax: (FITTING + 1) * size + size / 2, alsoCounted: [] };
  return {
    writers: engines.map((engine) => engine.records(space, POSTS, { quota })),
    /** Returns how many posts have been stored since. */
    stored: async () => await engines[0]!.bytes(space) / size - 1,
    async [Symbol.asyncDispose]() {
      for (const engine of engines) await engine[Symbol.asyncDispose]();
      await dropDatabases(prefix);
    },
  };
}

/** Inserts over several connections until each has been refused. */
async function fill(records: Records, from: number, connections: number): Promise<void> {
  let next = from;
  const untilRefused = async () => {
    for (;;) {
      try {
        await records.insert(post(next++));
      } catch (error) {
        assert.ok(error instanceof SpaceFull, String(error));
        return;
      }
    }
  };
  await Promise.all(upTo(connections).map(untilRefused));
}

for (const connections of [1, 8]) {
  Deno.test(`mongodb: two processes with ${connections} connections exceed a quota by one's writes in flight`, async () => {
    await using two = await openTwo();
    await Promise.all(
      two.writers.map((records, i) => fill(records, (i + 1) * 10_000, connections)),
    );
    const stored = await two.stored();
    assert.ok(stored >= FITTING, `${stored} are stored, and ${FITTING} fit`);
    assert.ok(stored <= FITTING + connections, `${stored} are stored, and ${FITTING} fit`);
  });
}

Deno.test("mongodb: a process with an old sum adds little to a space that another has filled", async () => {
  await using two = await openTwo();
  const [ours, theirs] = two.writers as [Records, Records];
  await ours.insert(post(2));
  await fill(theirs, 10_000, 1);
  const full = await two.stored();
  assert.equal(full, FITTING);
  await fill(ours, 20_000, 1);
  assert.ok(await two.stored() <= FITTING + UNSUMMED);
});
