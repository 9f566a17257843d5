import assert from "node:assert/strict";
import { MongoClient } from "mongodb";
import { findMongodbProgram } from "../services/mongodb.ts";
import { startMongodb } from "../services/mongodb_server.ts";
import { databaseNames, dropDatabases, withPath } from "./mongodb.ts";

Deno.test("withPath replaces the path and keeps the options", () => {
  for (
    const [url, expected] of [
      ["mongodb://127.0.0.1:27017", "mongodb://127.0.0.1:27017/p"],
      ["mongodb://127.0.0.1:27017/", "mongodb://127.0.0.1:27017/p"],
      ["mongodb://a:1,b:2/?replicaSet=rs0&tls=true", "mongodb://a:1,b:2/p?replicaSet=rs0&tls=true"],
      ["mongodb://a?replicaSet=rs0", "mongodb://a/p?replicaSet=rs0"],
      ["mongodb://[::1]:27017/other", "mongodb://[::1]:27017/p"],
      ["mongodb+srv://cluster.example/?w=majority", "mongodb+srv://cluster.example/p?w=majority"],
    ]
  ) assert.equal(withPath(url!, "p"), expected);
});

Deno.test("withPath checks credentials against the original database", () => {
  for (
    const [url, expected] of [
      ["mongodb://u:s%2F@h", "mongodb://u:s%2F@h/p?authSource=admin"],
      ["mongodb://u:s@h/users?tls=true", "mongodb://u:s@h/p?tls=true&authSource=users"],
      ["mongodb://u:s@h/users?authSource=x", "mongodb://u:s@h/p?authSource=x"],
    ]
  ) assert.equal(withPath(url!, "p"), expected);
});

Deno.test("mongodbUrl refuses an invalid address without repeating it", () => {
  for (const url of ["http://user:hunter2@host", "mongodb:", ""]) {
    assert.throws(() => withPath(url, "p"), (error: Error) => !error.message.includes("hunter2"));
  }
});

Deno.test({
  name: "dropDatabases drops only the databases with the prefix",
  // If it is not installed, tests/services prints a line about it.
  ignore: await findMongodbProgram(Deno.env.toObject()) === null,
  async fn() {
    await using server = await startMongodb();
    const names = ["a_control", "a_0123456789abcdef01234567", "a", "ab_control", "b_a_control"];
    {
      await using client = new MongoClient(server.url);
      for (const name of names) await client.db(name).collection("c").insertOne({});
    }
    assert.deepEqual(await databaseNames("a", server.url), names.slice(0, 2).toSorted());
    await dropDatabases("a", server.url);
    await dropDatabases("a", server.url);
    assert.deepEqual(await databaseNames("a", server.url), []);
    await using client = new MongoClient(server.url);
    const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
    const left = databases.map(({ name }) => name).filter((name) => names.includes(name));
    assert.deepEqual(left.toSorted(), ["a", "ab_control", "b_a_control"]);
  },
});
