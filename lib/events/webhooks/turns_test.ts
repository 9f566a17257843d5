import assert from "node:assert/strict";
import { WebhookTurns } from "./turns.ts";

const ONE = "000000000000000000000001";
const OTHER = "000000000000000000000002";

Deno.test("four messages of a webhook have their turn at once, and those of another do not wait for them", async () => {
  const turns = new WebhookTurns();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let [now, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++now);
    await held;
    now--;
  };
  const running = Array.from({ length: 1_000 }, () => turns.run(ONE, work));
  assert.equal(await turns.run(OTHER, () => Promise.resolve("sent")), "sent");
  assert.equal(most, 4);
  release();
  await Promise.all(running);
  assert.deepEqual([now, most], [0, 4]);
});

Deno.test("a turn that throws is over", async () => {
  const turns = new WebhookTurns();
  for (let i = 0; i < 10; i++) {
    await assert.rejects(turns.run(ONE, () => Promise.reject(new Error("no"))), /no/);
  }
  assert.equal(await turns.run(ONE, () => Promise.resolve(1)), 1);
});
