import assert from "node:assert/strict";
import { refusedStart } from "../acceptance/refused_start.ts";
import { startMongodb } from "../services/mongodb_server.ts";
import { withPath } from "../support/mongodb.ts";
import { startOldServer, WIRE_VERSIONS } from "./old_server.ts";
import { faultTest } from "./fixture.ts";

const SECRET_KEYS = `test:${btoa("a key ring for tests and no more")}`;
const PASSWORD = "hunter2-is-a-secret";
/** Milliseconds: below the driver's 30 s, and above Corbel's 5 s plus a slow start. */
const WITHIN_MS = 20_000;

/** Returns the output of a start, which must be one line, in time and without the password. */
async function refusal(DATABASE_URL: string): Promise<string> {
  const started = performance.now();
  const output = await refusedStart({ DATABASE_URL, SECRET_KEYS });
  assert.ok(performance.now() - started < WITHIN_MS, `refused within ${WITHIN_MS} ms`);
  assert.equal(output.trim().split("\n").length, 1, output);
  assert.ok(!output.includes(PASSWORD), output);
  return output;
}

const signedIn = (url: string): string => url.replace("://", `://somebody:${PASSWORD}@`);

faultTest(
  "a standalone server is refused with the command that makes it a replica set",
  async () => {
    await using server = await startMongodb({ standalone: true });
    const output = await refusal(withPath(server.url, "corbel"));
    assert.match(output, /standalone.*mongod --replSet rs0.*rs\.initiate\(\)/);
  },
);

faultTest(
  "a server with authentication is refused without a user and with a wrong one",
  async () => {
    await using server = await startMongodb({ auth: true });
    const url = withPath(server.url, "corbel");
    const wrong = await refusal(signedIn(url));
    assert.match(wrong, /refuses the user or the password in DATABASE_URL.*authSource/);
    assert.ok(wrong.includes(`127.0.0.1:${server.port}`), wrong);
    assert.match(await refusal(url), /denies access to the user.*Give a user and a password/);
  },
);

faultTest(
  "a wrong name of the replica set is refused with the setting to check",
  async () => {
    await using server = await startMongodb();
    const url = withPath(server.url, "corbel").replace(/replicaSet=[^&]*/, "replicaSet=another");
    const output = await refusal(url);
    assert.match(output, /does not belong to the replica set "another".*rs\.status\(\)\.set/);
    assert.ok(output.includes(`127.0.0.1:${server.port}`), output);
  },
);

Deno.test("an unreachable host is refused with its name and port", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  for (const host of [`127.0.0.1:${port}`, `no-such-host.invalid:${port}`]) {
    const output = await refusal(signedIn(`mongodb://${host}/corbel`));
    assert.match(output, /does not answer.*Check the host and the port in DATABASE_URL/);
    assert.ok(output.includes(host), output);
  }
});

Deno.test("a host that does not answer is refused", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const output = await refusal(signedIn(`mongodb://127.0.0.1:${listener.addr.port}/corbel`));
  assert.match(output, /does not answer/);
});

Deno.test("an invalid address is refused with the expected format", async () => {
  for (
    const url of [
      `mongodb://somebody:${PASSWORD}@/corbel`,
      `mongodb://somebody:${PASSWORD}@127.0.0.1:port/corbel`,
      `mongodb://somebody:${PASSWORD}@127.0.0.1:27017/corbel?noSuchOption=1`,
      `mongodb://somebody:${PASSWORD}@127.0.0.1:27017/corbel?maxPoolSize=many`,
    ]
  ) {
    assert.match(await refusal(url), /mongodb:\/\/user:password@host:27017\/corbel/, url);
  }
});

Deno.test("a server older than 6.0 is refused with the required version", async () => {
  for (const wireVersion of [WIRE_VERSIONS["5.0"], WIRE_VERSIONS["3.6"]]) {
    await using server = startOldServer(wireVersion);
    assert.match(await refusal(server.url), /older than 6\.0: upgrade/);
  }
});
