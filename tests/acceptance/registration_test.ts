import assert from "node:assert/strict";
import { send } from "./project.ts";
import { admin, type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const PASSWORD = "seven wet stones 41";

const register = async (server: Server, email: string): Promise<number> =>
  (await send(server, { path: "/api/auth/register", body: { email, password: PASSWORD } })).status;

Deno.test("start tells where to make the first account, and then takes invitations alone", async () => {
  await using server = await startServer({ settings: { REGISTRATION: "" } });
  const told = new RegExp(
    `There is no account yet.*"register":"http://localhost:${server.port}/dashboard/register"`,
  );
  await until("it is told", () => told.test(server.stdout()));
  assert.equal(await register(server, "ada@example.com"), 201);
  assert.equal(await register(server, "bob@example.com"), 403);
  const words = ["account", "create", "--email", "charles@example.com"];
  const { accountId } = await admin(words, server.settings, `${PASSWORD}\n`);
  assert.match(accountId, /^[0-9a-f]{24}$/);
});

Deno.test("an account of the command line is the first one, and closes the first visit", async () => {
  await using server = await startServer({ settings: { REGISTRATION: "" } });
  await admin(
    ["account", "create", "--email", "ada@example.com"],
    server.settings,
    `${PASSWORD}\n`,
  );
  assert.equal(await register(server, "bob@example.com"), 403);
});
