/** Webhooks while the machine's clock is set. */

import assert from "node:assert/strict";
import {
  change,
  enqueueChanges,
  openPeer,
  openWebhooks,
  type WebhookFixture,
} from "../api/webhooks.ts";
import { times } from "../api/test_collection.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Milliseconds after which every undelivered message has been retried, unless it was given up. */
const LONGEST_PAUSE_MS = DAY_MS;

const id = (index: number): string => index.toString(16).padStart(24, "0");
const message = (document: number, n: number) =>
  change({ recordId: id(document), action: "changed", after: `{"n":${n}}` });

/** Returns the arrivals of a document's messages that were answered with 200. */
const arrivalsOf = (arrived: readonly (readonly [number, number])[], document: number) =>
  arrived.filter(([of]) => of === document).map(([, n]) => n);

async function deliverDue(hooks: WebhookFixture, peer: Awaited<ReturnType<typeof openPeer>>) {
  const runners = [hooks.app.services.jobRunner, peer.services.jobRunner];
  await Promise.all(runners.map((runner) => runner.runDue()));
  await Promise.all(runners.map((runner) => runner.idle()));
}

Deno.test("messages arrive once and in order while the clock is set back and forth", async () => {
  await using hooks = await openWebhooks();
  await using peer = await openPeer(hooks.app);
  const { clock, services } = hooks.app;
  await hooks.create();
  const arrived: [number, number][] = [];
  let isAway = false;
  hooks.server.behave(({ json: { data } }, response) => {
    response.statusCode = isAway ? 503 : 200;
    if (!isAway) arrived.push([parseInt(data.id, 16), data.document.n]);
    response.end();
  });
  const jumps = [HOUR_MS, -HOUR_MS / 2, DAY_MS, -DAY_MS, -3 * DAY_MS, 2 * DAY_MS, 1, -1];
  for (const [n, back] of jumps.entries()) {
    isAway = n % 2 === 0;
    await enqueueChanges(services, hooks.projectId, times(3, (document) => message(document, n)));
    await services.jobRunner.idle();
    clock.setBack(back);
    clock.advance(6 * SECOND_MS);
    await deliverDue(hooks, peer);
  }
  isAway = false;
  // Advances past the largest correction and a pause.
  for (let pass = 0; pass < 3; pass++) {
    clock.advance(4 * DAY_MS + LONGEST_PAUSE_MS);
    await deliverDue(hooks, peer);
  }
  const numbers = jumps.map((_, n) => n);
  for (const document of times(3, (i) => i)) {
    assert.deepEqual(arrivalsOf(arrived, document), numbers);
  }
  const states = (await hooks.deliveries()).map(({ state }) => state);
  assert.deepEqual(new Set(states), new Set(["delivered"]));
});

Deno.test("a clock set ahead during a delivery causes at most one duplicate, and later messages none", async () => {
  await using hooks = await openWebhooks();
  await using peer = await openPeer(hooks.app);
  const { clock, services } = hooks.app;
  await hooks.create();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  hooks.server.behave(async (_message, response) => {
    await held;
    response.end();
  });
  await enqueueChanges(services, hooks.projectId, times(3, (n) => message(1, n)));
  while (hooks.server.received.length < 1) await turn();
  clock.setBack(-DAY_MS);
  await Promise.all(times(3, () => peer.services.jobRunner.startDue()));
  while (hooks.server.received.length < 2) await turn();
  for (const { services: { jobRunner } } of [peer, hooks.app]) await jobRunner.startDue();
  release();
  await deliverDue(hooks, peer);
  clock.advance(MINUTE_MS);
  await deliverDue(hooks, peer);
  const numbers = hooks.server.received.map(({ json }) => json.data.document.n);
  assert.deepEqual(numbers, [0, 0, 1, 2]);
  const ids = hooks.server.received.map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([ids[0] === ids[1], new Set(ids).size], [true, 3]);
});

Deno.test("messages of a killed process are sent later even if the clock is set back", async () => {
  await using hooks = await openWebhooks();
  await using peer = await openPeer(hooks.app);
  const { clock, services } = hooks.app;
  await hooks.create();
  await enqueueChanges(services, hooks.projectId, [message(1, 0)], { begins: false });
  clock.setBack(HOUR_MS);
  await deliverDue(hooks, peer);
  assert.equal(hooks.server.received.length, 0);
  clock.advance(HOUR_MS);
  await deliverDue(hooks, peer);
  assert.equal(hooks.server.received.length, 1);
});

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
