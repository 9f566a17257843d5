import assert from "node:assert/strict";
import { createPasswordQueue } from "@/lib/credentials/password_queue.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openAccount, PASSWORD } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { refused, times } from "./test_collection.ts";

const BUSY = { code: "PASSWORDS_BUSY", retryAfter: 2 };

/** Takes places in the queue and keeps them until it is asked to release them. */
function openPlaceTaker(queue: ReturnType<typeof createPasswordQueue>) {
  const held = Promise.withResolvers<void>();
  const takes: Promise<void>[] = [];
  return {
    take: (network: string) => void takes.push(queue.run(network, () => held.promise)),
    async giveBack() {
      held.resolve();
      await Promise.all(takes);
    },
  };
}

Deno.test("a network can take a limited number of places, and each is given back", async () => {
  const queue = createPasswordQueue({ perNetwork: 3, inAll: 100 });
  for (const _ of times(2, () => 0)) {
    const { take, giveBack } = openPlaceTaker(queue);
    for (const _ of times(3, () => 0)) take("a");
    await assert.rejects(queue.run("a", () => Promise.resolve()), BUSY);
    assert.equal(await queue.run("b", () => Promise.resolve(7)), 7);
    await giveBack();
  }
});

Deno.test("all networks together can take a limited number of places", async () => {
  const queue = createPasswordQueue({ perNetwork: 3, inAll: 5 });
  const { take, giveBack } = openPlaceTaker(queue);
  for (const network of ["a", "a", "b", "b", "c"]) take(network);
  await assert.rejects(queue.run("d", () => Promise.resolve()), BUSY);
  await giveBack();
  await queue.run("d", () => Promise.resolve());
});

Deno.test("work that fails gives its place back", async () => {
  const queue = createPasswordQueue({ perNetwork: 1, inAll: 1 });
  for (const _ of times(3, () => 0)) {
    await assert.rejects(queue.run("a", () => Promise.reject(new Error("no"))), /no/);
  }
});

Deno.test("each operation that hashes a password is 503 while the queue is full", async () => {
  await using app = await openTestApp();
  const { cookie, email } = await openAccount(app);
  const full = createApp({ ...app.services, passwordQueue: createPasswordQueue({ inAll: 0 }) });
  const calls = [
    { path: "/api/auth/register", body: { email: "new@example.com", password: PASSWORD } },
    { path: "/api/auth/login", body: { email, password: PASSWORD } },
    {
      path: "/api/auth/change-password",
      body: { currentPassword: PASSWORD, newPassword: "eight dry leaves 52" },
    },
    { method: "DELETE", path: "/api/auth/account", body: { password: PASSWORD } },
  ];
  for (const call of calls) {
    const answer = await send(full, { ...call, headers: { cookie } });
    refused(answer, 503, "PASSWORDS_BUSY");
    assert.equal(answer.headers.get("retry-after"), "2");
  }
  const login = await app.send(calls[1]!);
  assert.equal(login.status, 200, "the refused operation had no effect");
});
