import { MongoClient } from "mongodb";
import assert from "node:assert/strict";
import { StoreMismatch } from "@/lib/store/errors.ts";
import { id, keys, newSpace, trashDefinition } from "./fixtures.ts";
import { openStore } from "./open_store.ts";
import { dropDatabases, mongodbUrl } from "../support/mongodb.ts";
import { findFaults } from "../support/server_faults.ts";
import { recordsContract } from "./suite.ts";

async function open() {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const address = mongodbUrl(prefix);
  const engine = await openStore(address);
  return {
    engine,
    address,
    prefix,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await dropDatabases(prefix);
    },
  };
}

if (Deno.env.get("MONGODB_TEST_URL")) {
  const { staysTaken, misplacesTiny, ignoresSnapshots } = await findFaults();
  recordsContract("mongodb", {
    open,
    skips: {
      "a page and its total are consistent while another process writes":
        "the total is counted concurrently with the page, which takes no additional time",
      ...(staysTaken !== null && {
        "removing a record or its value frees the value": staysTaken,
        "deleted records neither take unique values nor are refused for them": staysTaken,
      }),
      ...(misplacesTiny !== null && {
        "numbers sort by value, missing and null first": misplacesTiny,
      }),
      ...(ignoresSnapshots !== null && {
        "a snapshot does not see writes after its first read": ignoresSnapshots,
      }),
    },
  });

  Deno.test("an index of the same name with another shape is refused, and nothing is changed", async () => {
    await using store = await open();
    await using client = new MongoClient(store.address);
    const space = newSpace();
    const shape = trashDefinition({
      fields: { email: { type: "String" } },
      indexes: [{ keys: keys("email"), unique: true }],
    });
    const things = client.db(`${store.prefix}_${space}`).collection(shape.name);
    await things.createIndex({ email: 1 }, { name: "unique email String" });
    const stored = '{"key":{"email":1}}';
    const wanted = '{"key":{"email":1},"unique":true,' +
      '"partialFilterExpression":{"isDeleted":false,"email":{"$type":"string"}}}';
    const refusal = (error: unknown) =>
      error instanceof StoreMismatch && error.message.includes('"unique email String"') &&
      error.message.endsWith(`Stored: ${stored}. Wanted: ${wanted}`);
    const records = store.engine.records(space, shape);
    const record = { _id: id(1), email: "a", isDeleted: false };
    await assert.rejects(() => records.insert(record), refusal);
    await assert.rejects(
      () => store.engine.transaction(space, (tx) => tx.records(shape).insert(record)),
      refusal,
    );
    assert.equal(await things.countDocuments(), 0);
    assert.deepEqual((await things.indexes()).map(({ name }) => name), [
      "_id_",
      "unique email String",
    ]);
  });
}
