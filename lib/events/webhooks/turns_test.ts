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

/** Begins more than may be at once, and tells how many are, until they are released. */
async function begin(turns: WebhookTurns, webhookId: string, count: number) {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let now = 0;
  const running = Array.from({ length: count }, () =>
    turns.run(webhookId, async () => {
      now++;
      await held;
    }));
  await turn();
  return { now: () => now, end: () => (release(), Promise.all(running)) };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("however many webhooks answer nothing, another one does not wait for them", async () => {
  const turns = new WebhookTurns();
  const dead = await Promise.all(
    Array.from({ length: 1_000 }, (_, i) => begin(turns, `dead ${i}`, 5)),
  );
  assert.deepEqual(new Set(dead.map(({ now }) => now())), new Set([4]));
  assert.equal(await turns.run(OTHER, () => turns.read(() => Promise.resolve("sent"))), "sent");
  await Promise.all(dead.map(({ end }) => end()));
});

Deno.test("a webhook that did not answer has one turn at once until it answers", async () => {
  const turns = new WebhookTurns();
  await turns.run(ONE, () => Promise.resolve(turns.heard(ONE, false)));
  const silent = await begin(turns, ONE, 10);
  const other = await begin(turns, OTHER, 10);
  assert.deepEqual([silent.now(), other.now()], [1, 4]);
  turns.heard(ONE, true);
  await turn();
  assert.equal(silent.now(), 4);
  turns.heard(ONE, false);
  await Promise.all([silent.end(), other.end()]);
});

Deno.test("a turn that throws is over", async () => {
  const turns = new WebhookTurns();
  for (let i = 0; i < 10; i++) {
    await assert.rejects(turns.run(ONE, () => Promise.reject(new Error("no"))), /no/);
  }
  assert.equal(await turns.run(ONE, () => Promise.resolve(1)), 1);
});
