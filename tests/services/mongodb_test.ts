import assert from "node:assert/strict";
import { bareMachine } from "./bare_machine.ts";
import { findMongodb, findMongodbProgram } from "./mongodb.ts";
import { standInPath } from "./stand_in.ts";

Deno.test("an address that is given goes before mongod, and mongod before the stand-in", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  assert.equal(await findMongodb(env), null);

  await put(standInPath(env));
  assert.deepEqual(await findMongodb(env), { kind: "stand-in", path: standInPath(env) });

  const mongod = `${env.HOME}/second/mongod`;
  await put(mongod);
  assert.deepEqual(await findMongodb(env), { kind: "mongod", path: mongod });

  const url = "mongodb://db.example";
  const given = { ...env, MONGODB_TEST_URL: url };
  assert.deepEqual(await findMongodb(given), { kind: "address", url });
  assert.deepEqual(await findMongodbProgram(given), { kind: "mongod", path: mongod });
});

Deno.test("an empty address is none", async () => {
  await using machine = await bareMachine();
  assert.equal(await findMongodb({ ...machine.env, MONGODB_TEST_URL: "" }), null);
});

Deno.test("a folder of a program's name is no program", async () => {
  await using machine = await bareMachine();
  await machine.put(`${machine.env.HOME}/first/mongod/readme`);
  assert.equal(await findMongodb(machine.env), null);
});

Deno.test("the cache lies below HOME unless CORBEL_SERVICES_DIR says otherwise", () => {
  const home = { HOME: "/home/ann" };
  assert.match(standInPath(home), /^\/home\/ann\/\.cache\/corbel\/services\/[^/]+\/bin\/[^/]+$/);
  const elsewhere = { ...home, CORBEL_SERVICES_DIR: "/mnt/cache" };
  assert.match(standInPath(elsewhere), /^\/mnt\/cache\/[^/]+\/bin\/[^/]+$/);
  assert.throws(() => standInPath({}), /CORBEL_SERVICES_DIR/);
});
