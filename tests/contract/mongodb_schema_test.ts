import { MongoClient } from "mongodb";
import assert from "node:assert/strict";
import { StoreMismatch } from "@/lib/store/errors.ts";
import { dropDatabases, mongodbUrl } from "../support/mongodb.ts";
import { openStore } from "./open_store.ts";

interface Schema {
  readonly _id: string;
  readonly version: number;
}

/** Returns a store's address, and access to its mark for another program. */
function newStore() {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const address = mongodbUrl(prefix);
  const client = new MongoClient(address);
  return {
    address,
    kept: client.db(`${prefix}_control`).collection<Schema>("schema"),
    async [Symbol.asyncDispose]() {
      await client.close();
      await dropDatabases(prefix);
    },
  };
}

if (Deno.env.get("MONGODB_TEST_URL")) {
  Deno.test("a store is marked with the version of its schema, replacing an earlier one", async () => {
    await using store = newStore();
    await (await openStore(store.address))[Symbol.asyncDispose]();
    const marked = await store.kept.find().toArray();
    assert.equal(marked.length, 1);
    const [{ version }] = marked as [Schema];
    await store.kept.updateOne({}, { $set: { version: version - 1 } });
    await (await openStore(store.address))[Symbol.asyncDispose]();
    assert.deepEqual(await store.kept.find().toArray(), marked);
  });

  Deno.test("a store of a later version is refused with instructions and is not changed", async () => {
    await using store = newStore();
    await store.kept.insertOne({ _id: "version", version: 99 });
    await assert.rejects(() => openStore(store.address), (error: Error) => {
      assert.ok(error instanceof StoreMismatch, error.stack);
      assert.match(
        error.message,
        /schema version is 99, this Corbel knows up to \d+\. Run the newer/,
      );
      return true;
    });
    assert.deepEqual(await store.kept.find().toArray(), [{ _id: "version", version: 99 }]);
  });

  Deno.test("a running process detects that a later version has opened the store", async () => {
    await using store = newStore();
    await using engine = await openStore(store.address);
    await engine.ping();
    await store.kept.updateOne({ _id: "version" }, { $set: { version: 99 } });
    await assert.rejects(() => engine.ping(), StoreMismatch);
  });
}
