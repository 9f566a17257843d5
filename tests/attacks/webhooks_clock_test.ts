/** Webhooks while somebody sets the clock of the machine. */

import assert from "node:assert/strict";
import {
  change,
  openPeer,
  openWebhooks,
  tellWebhooks,
  type WebhookFixture,
} from "../api/webhooks.ts";
import { times } from "../api/test_collection.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** After which every message that was not given up was tried again. */
const LONGEST_PAUSE_MS = DAY_MS;

const id = (index: number): string => index.toString(16).padStart(24, "0");
const message = (document: number, n: number) =>
  change({ recordId: id(document), action: "changed", after: `{"n":${n}}` });

/** What arrived of a document, and was answered with 200. */
const taken = (arrived: readonly (readonly [number, number])[], document: number) =>
  arrived.filter(([of]) => of === document).map(([, n]) => n);

/** All processes look for what is due, and send it. */
async function runAll(hooks: WebhookFixture, peer: Awaited<ReturnType<typeof openPeer>>) {
  const runners = [hooks.app.services.jobRunner, peer.services.jobRunner];
  await Promise.all(runners.map((runner) => runner.runDue()));
  await Promise.all(runners.map((runner) => runner.idle()));
}

Deno.test("messages all arrive, once and in order, while the clock is set back and forth between their tries", async () => {
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
    await tellWebhooks(services, hooks.projectId, times(3, (document) => message(document, n)));
    await services.jobRunner.idle();
    clock.setBack(back);
    clock.advance(6 * SECOND_MS);
    await runAll(hooks, peer);
  }
  isAway = false;
  // As far as it was ever set back, and a pause.
  for (let pass = 0; pass < 3; pass++) {
    clock.advance(4 * DAY_MS + LONGEST_PAUSE_MS);
    await runAll(hooks, peer);
  }
  const numbers = jumps.map((_, n) => n);
  for (const document of times(3, (i) => i)) assert.deepEqual(taken(arrived, document), numbers);
  const states = (await hooks.deliveries()).map(({ state }) => state);
  assert.deepEqual(new Set(states), new Set(["delivered"]));
});

Deno.test("a message that is on its way when the clock is set ahead is sent by no more than one other, and what is behind it once", async () => {
  await using hooks = await openWebhooks();
  await using peer = await openPeer(hooks.app);
  const { clock, services } = hooks.app;
  await hooks.create();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  hooks.server.behave(async (_message, response) => {
    await held;
    response.end();
  });
  await tellWebhooks(services, hooks.projectId, times(3, (n) => message(1, n)));
  while (hooks.server.received.length < 1) await turn();
  clock.setBack(-DAY_MS);
  await Promise.all(times(3, () => peer.services.jobRunner.look()));
  while (hooks.server.received.length < 2) await turn();
  for (const { services: { jobRunner } } of [peer, hooks.app]) await jobRunner.look();
  release();
  await runAll(hooks, peer);
  clock.advance(MINUTE_MS);
  await runAll(hooks, peer);
  const told = hooks.server.received.map(({ json }) => json.data.document.n);
  assert.deepEqual(told, [0, 0, 1, 2]);
  const ids = hooks.server.received.map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([ids[0] === ids[1], new Set(ids).size], [true, 3]);
});

Deno.test("messages that a killed process left are sent though the clock is set back: later, and not lost", async () => {
  await using hooks = await openWebhooks();
  await using peer = await openPeer(hooks.app);
  const { clock, services } = hooks.app;
  await hooks.create();
  await tellWebhooks(services, hooks.projectId, [message(1, 0)], { begins: false });
  clock.setBack(HOUR_MS);
  await runAll(hooks, peer);
  assert.equal(hooks.server.received.length, 0);
  clock.advance(HOUR_MS);
  await runAll(hooks, peer);
  assert.equal(hooks.server.received.length, 1);
});

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
