import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { admin, run, type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const EMAIL = "demo@example.com";
const OWN_PASSWORD = "seven wet stones 41";

async function demoPassword(server: Server): Promise<string> {
  await until("the greeting is printed", () => /reference/i.test(server.stdout()));
  return /e-mail\s+demo@example\.com\s+password\s+(\S+)/.exec(server.stdout())![1]!;
}

async function signIn({ url, http }: Server, password: string) {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: EMAIL, password }),
    client: http,
  });
  const { code } = await answer.json();
  const cookie = answer.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
  return { status: answer.status, code, cookie };
}

async function statusWithCookie({ url, http }: Server, cookie: string): Promise<number> {
  const answer = await fetch(`${url}/api/auth/me`, { headers: { cookie }, client: http });
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("start refuses the demo account of dev until its password has been changed", async () => {
  await using store = await createTestStore();
  await using first = await startServer({ task: "dev", store });
  const password = await demoPassword(first);
  const { status, cookie } = await signIn(first, password);
  assert.equal(status, 200);
  assert.equal(await statusWithCookie(first, cookie), 200);
  await first.stop();

  await using served = await startServer({ task: "start", store });
  assert.equal(await statusWithCookie(served, cookie), 401, "the account's session has ended");
  const { status: refused, code } = await signIn(served, password);
  assert.deepEqual([refused, code], [401, "CREDENTIALS_INVALID"]);
  assert.match(served.stdout(), /The demo account demo@example\.com of dev cannot sign in/);
  assert.ok(!served.stdout().includes(password));

  const words = ["account", "password", "--email", EMAIL];
  await admin(words, served.settings, `${OWN_PASSWORD}\n`);
  assert.equal((await signIn(served, OWN_PASSWORD)).status, 200);
  assert.equal((await signIn(served, password)).status, 401);
});

Deno.test("a process that finds its port in use leaves the demo account as it is", async () => {
  await using store = await createTestStore();
  const assertPortInUse = async (task: "start" | "dev", { port, settings }: Server) => {
    const { code, stderr } = await (await run(task, [], { settings })).ended;
    assert.notEqual(code, 0);
    assert.match(stderr, new RegExp(`Cannot listen on [^ ]*:${port}: the port is in use`));
  };
  await using first = await startServer({ task: "dev", store });
  const password = await demoPassword(first);
  const { cookie } = await signIn(first, password);
  await assertPortInUse("start", first);
  assert.equal(await statusWithCookie(first, cookie), 200);
  assert.equal((await signIn(first, password)).status, 200);
  await first.stop();

  await using served = await startServer({ task: "start", store });
  await assertPortInUse("dev", served);
  assert.equal((await signIn(served, password)).status, 401);
});
