import assert from "node:assert/strict";
import { send } from "./project.ts";
import { admin, type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const PASSWORD = "seven wet stones 41";

const register = async (server: Server, email: string): Promise<number> =>
  (await send(server, { path: "/api/auth/register", body: { email, password: PASSWORD } })).status;

Deno.test("start describes how to create the first account, and then accepts only invitations", async () => {
  await using server = await startServer({ settings: { REGISTRATION: "" } });
  const expected = new RegExp(
    `There is no account yet.*"register":"http://localhost:${server.port}/dashboard/register"`,
  );
  await until("the output describes it", () => expected.test(server.stdout()));
  assert.equal(await register(server, "ada@example.com"), 201);
  assert.equal(await register(server, "bob@example.com"), 403);
  const words = ["account", "create", "--email", "charles@example.com"];
  const { accountId } = await admin(words, server.settings, `${PASSWORD}\n`);
  assert.match(accountId, /^[0-9a-f]{24}$/);
});

Deno.test("an account from the command line is the first one and closes open registration", async () => {
  await using server = await startServer({ settings: { REGISTRATION: "" } });
  await admin(
    ["account", "create", "--email", "ada@example.com"],
    server.settings,
    `${PASSWORD}\n`,
  );
  assert.equal(await register(server, "bob@example.com"), 403);
});
