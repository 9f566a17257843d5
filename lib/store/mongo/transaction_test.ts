import assert from "node:assert/strict";
import { BSON, type ClientSession, type Db, Long } from "mongodb";
import { eq } from "../filter.ts";
import type { Definition } from "../port.ts";
import { Missing, MongoTransaction } from "./transaction.ts";

const KEYS: Definition = {
  name: "keys",
  fields: { key: { type: "String" } },
  indexes: [{ keys: [{ path: "key", descending: false }], unique: true }],
  trash: false,
};

/** The undecoded cursor of a reply. */
const NOTHING_FOUND = BSON.serialize({ firstBatch: [], id: Long.ZERO });

/** Starts a transaction on a server without records, and collects the names of its commands. */
function begin({ preparedAt }: { preparedAt: () => number | null }) {
  const commands: string[] = [];
  const answering = (name: string) => () => {
    commands.push(name);
    return Promise.resolve({ cursor: NOTHING_FOUND });
  };
  const collection = { insertOne: answering("insert") };
  const transaction = new MongoTransaction({
    db: { collection: () => collection, command: answering("find") } as unknown as Db,
    session: {} as ClientSession,
    queryTimeLimitMs: 1_000,
    preparedAt,
    reserveBytes: () => Promise.resolve(),
    noteChanges: () => {},
    prepare: () => answering("createIndexes")().then(() => {}),
  }, new Map());
  return { keys: transaction.records(KEYS), commands };
}

const record = { _id: "0".repeat(24), key: "k" };

Deno.test("a transaction that began before an index existed does not write", async () => {
  const { keys, commands } = begin({ preparedAt: () => performance.now() });
  assert.equal(await keys.findOne(eq("key", "k")), null);
  await assert.rejects(() => keys.insert(record), Missing);
  assert.deepEqual(commands, ["find"]);
});

Deno.test("indexes that existed before a transaction are not created again", async () => {
  const { keys, commands } = begin({ preparedAt: () => 0 });
  await keys.findOne(eq("key", "k"));
  await keys.insert(record);
  assert.deepEqual(commands, ["find", "insert"]);
});

Deno.test("a transaction that begins with a write creates the index first", async () => {
  const { keys, commands } = begin({ preparedAt: () => null });
  await keys.insert(record);
  assert.deepEqual(commands, ["createIndexes", "insert"]);
});
