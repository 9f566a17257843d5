/** Webhooks that hang, so many that whatever they share is full. */

import assert from "node:assert/strict";
import { change, openWebhooks, tellWebhooks, type WebhookFixture } from "../api/webhooks.ts";
import { times } from "../api/test_collection.ts";

const DEAD = 100;
const PROJECTS = 4;
const MESSAGES = 6;
/** Of the ten seconds that each of the dead is waited for. */
const SOON_MS = 4_000;

const messages = () =>
  times(MESSAGES, (n) => change({ recordId: n.toString(16).padStart(24, "0") }));

const tell = ({ app, projectId }: WebhookFixture) =>
  tellWebhooks(app.services, projectId, messages());

/** A project beside another one, whose webhooks all hang. */
async function openDead(living: WebhookFixture): Promise<WebhookFixture> {
  const hooks = await openWebhooks({ plan: "pro", beside: living });
  const url = `http://127.0.0.1:${living.server.port}/hangs`;
  for (const _ of times(DEAD / PROJECTS, () => null)) await hooks.create({ url });
  return hooks;
}

Deno.test("a hundred webhooks that hang take a connection each, and delay none that lives", async () => {
  await using living = await openWebhooks();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  living.server.behave(async ({ path }, response) => {
    if (path === "/hangs") await held;
    response.end();
  });
  await living.create();
  const dead = await Promise.all(times(PROJECTS, () => openDead(living)));
  const arrivedAt = (path: string) =>
    living.server.received.filter((message) => message.path === path).length;
  const began = performance.now();
  const isSoon = () => performance.now() - began < SOON_MS;
  await Promise.all(dead.map(tell));
  while (arrivedAt("/hangs") < DEAD && isSoon()) await turn();
  await tell(living);
  while (arrivedAt("/hook") < MESSAGES && isSoon()) await turn();
  assert.deepEqual([arrivedAt("/hook"), arrivedAt("/hangs")], [MESSAGES, DEAD]);
  release();
  await living.app.services.jobRunner.idle();
  const deliveries = (await Promise.all(dead.map((hooks) => hooks.deliveries()))).flat();
  assert.deepEqual(new Set(deliveries.map(({ state }) => state)), new Set(["delivered"]));
});

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
