import assert from "node:assert/strict";
import { refusedStart } from "../acceptance/refused_start.ts";
import { startMongodb } from "../services/mongodb_server.ts";
import { withPath } from "../support/mongodb.ts";
import { startOldServer, WIRE_VERSIONS } from "./old_server.ts";
import { faultTest } from "./fixture.ts";

const SECRET_KEYS = `test:${btoa("a key ring for tests and no more")}`;
const PASSWORD = "hunter2-is-a-secret";
/** Well below the 30 s of the driver, and above Corbel's 5 s with a start on a busy machine. */
const WITHIN_MS = 20_000;

/** What a start on this address says, on one line, in time and without the password. */
async function refusal(DATABASE_URL: string): Promise<string> {
  const started = performance.now();
  const told = await refusedStart({ DATABASE_URL, SECRET_KEYS });
  assert.ok(performance.now() - started < WITHIN_MS, `told within ${WITHIN_MS} ms`);
  assert.equal(told.trim().split("\n").length, 1, told);
  assert.ok(!told.includes(PASSWORD), told);
  return told;
}

/** With a name and a password in front of the hosts. */
const signedIn = (url: string): string => url.replace("://", `://somebody:${PASSWORD}@`);

faultTest(
  "a standalone server is refused with the command that makes it a replica set",
  async () => {
    await using server = await startMongodb({ standalone: true });
    const told = await refusal(withPath(server.url, "corbel"));
    assert.match(told, /standalone.*mongod --replSet rs0.*rs\.initiate\(\)/);
  },
);

faultTest(
  "a server that asks for a user is refused without one, and with a wrong one",
  async () => {
    await using server = await startMongodb({ auth: true });
    const url = withPath(server.url, "corbel");
    const wrong = await refusal(signedIn(url));
    assert.match(wrong, /refuses the user or the password in DATABASE_URL.*authSource/);
    assert.ok(wrong.includes(`127.0.0.1:${server.port}`), wrong);
    assert.match(await refusal(url), /does not let us in.*Give a user and a password/);
  },
);

faultTest(
  "another name of the replica set than the server's is refused with what to check",
  async () => {
    await using server = await startMongodb();
    const url = withPath(server.url, "corbel").replace(/replicaSet=[^&]*/, "replicaSet=another");
    const told = await refusal(url);
    assert.match(told, /no member of the replica set "another".*rs\.status\(\)\.set/);
    assert.ok(told.includes(`127.0.0.1:${server.port}`), told);
  },
);

Deno.test("a host that cannot be reached is refused with its name and port", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  for (const host of [`127.0.0.1:${port}`, `no-such-host.invalid:${port}`]) {
    const told = await refusal(signedIn(`mongodb://${host}/corbel`));
    assert.match(told, /does not answer.*Check the host and the port in DATABASE_URL/);
    assert.ok(told.includes(host), told);
  }
});

Deno.test("a host that swallows what it is sent is refused as well", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const told = await refusal(signedIn(`mongodb://127.0.0.1:${listener.addr.port}/corbel`));
  assert.match(told, /does not answer/);
});

Deno.test("an address that is none is refused with the form that it has", async () => {
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

Deno.test("a server older than 6.0 is refused with the version that is needed", async () => {
  for (const wireVersion of [WIRE_VERSIONS["5.0"], WIRE_VERSIONS["3.6"]]) {
    await using server = startOldServer(wireVersion);
    assert.match(await refusal(server.url), /older than 6\.0: upgrade/);
  }
});
