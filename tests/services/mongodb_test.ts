import assert from "node:assert/strict";
import { bareMachine } from "./bare_machine.ts";
import { findMongodb, findMongodbProgram } from "./mongodb.ts";
import { standInPath } from "./stand_in.ts";

Deno.test("findMongodb prefers an address to mongod, and mongod to the stand-in", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  assert.equal(await findMongodb(env), null);

  await put(standInPath(env));
  assert.deepEqual(await findMongodb(env), { kind: "stand-in", path: standInPath(env) });

  const mongod = `${env.HOME}/second/mongod`;
  await put(mongod);
  assert.deepEqual(await findMongodb(env), { kind: "mongod", path: mongod });

  const url = "mongodb://db.example";
  const withAddress = { ...env, MONGODB_TEST_URL: url };
  assert.deepEqual(await findMongodb(withAddress), { kind: "address", url });
  assert.deepEqual(await findMongodbProgram(withAddress), { kind: "mongod", path: mongod });
});

Deno.test("findMongodb ignores an empty address", async () => {
  await using machine = await bareMachine();
  assert.equal(await findMongodb({ ...machine.env, MONGODB_TEST_URL: "" }), null);
});

Deno.test("findMongodb ignores a folder with the name of a program", async () => {
  await using machine = await bareMachine();
  await machine.put(`${machine.env.HOME}/first/mongod/readme`);
  assert.equal(await findMongodb(machine.env), null);
});

Deno.test("the cache is below HOME unless CORBEL_SERVICES_DIR is set", () => {
  const home = { HOME: "/home/ann" };
  assert.match(standInPath(home), /^\/home\/ann\/\.cache\/corbel\/services\/[^/]+\/bin\/[^/]+$/);
  const elsewhere = { ...home, CORBEL_SERVICES_DIR: "/mnt/cache" };
  assert.match(standInPath(elsewhere), /^\/mnt\/cache\/[^/]+\/bin\/[^/]+$/);
  assert.throws(() => standInPath({}), /CORBEL_SERVICES_DIR/);
});
