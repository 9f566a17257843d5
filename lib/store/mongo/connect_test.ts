import assert from "node:assert/strict";
import { clientFor } from "./connect.ts";

const SOCKET_TIMEOUT_MS = 10_000;

async function optionsOf(query: string) {
  const client = clientFor(`mongodb://db.example:27017/corbel${query}`, SOCKET_TIMEOUT_MS);
  // An undeclared property: the driver starts collecting metadata of the machine when it creates a
  // client.
  await (client.options as { metadata?: Promise<unknown> }).metadata;
  const { readConcern, writeConcern, readPreference, retryReads, retryWrites, ...rest } =
    client.options;
  return {
    safety: {
      reads: readConcern?.level,
      w: writeConcern?.w,
      journal: writeConcern?.journal,
      from: readPreference.mode,
      retried: [retryReads, retryWrites],
    },
    ...rest,
  };
}

const SAFE = {
  reads: "majority",
  w: "majority",
  journal: true,
  from: "primary",
  retried: [true, true],
};

Deno.test("an address without options gets Corbel's pool size and timeouts", async () => {
  const options = await optionsOf("");
  assert.deepEqual(options.safety, SAFE);
  assert.equal(options.appName, "corbel");
  assert.equal(options.maxPoolSize, 32);
  assert.equal(options.waitQueueTimeoutMS, 5000);
  assert.equal(options.connectTimeoutMS, 5000);
  assert.equal(options.serverSelectionTimeoutMS, 5000);
  assert.equal(options.socketTimeoutMS, SOCKET_TIMEOUT_MS);
});

Deno.test("an address can set pool size and timeouts in any letter case", async () => {
  const options = await optionsOf(
    "?maxPoolSize=3&socketTimeoutMS=700&waitqueuetimeoutms=800&APPNAME=a",
  );
  assert.equal(options.maxPoolSize, 3);
  assert.equal(options.socketTimeoutMS, 700);
  assert.equal(options.waitQueueTimeoutMS, 800);
  assert.equal(options.appName, "a");
  assert.equal(options.connectTimeoutMS, 5000);
});

Deno.test("options of an address that weaken reads or writes are ignored", async () => {
  for (
    const query of [
      "?w=1",
      "?w=0&journal=false",
      "?J=false",
      "?readConcernLevel=local&replicaSet=rs0",
      "?retryWrites=false&retryReads=false",
      "?readPreference=nearest&readPreferenceTags=dc:ny&maxStalenessSeconds=120",
    ]
  ) assert.deepEqual((await optionsOf(query)).safety, SAFE, query);
  const { replicaSet } = await optionsOf("?w=1&replicaSet=rs0&journal=false");
  assert.equal(replicaSet, "rs0");
});
