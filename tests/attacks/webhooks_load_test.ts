/** Webhooks that hang and use up shared resources. */

import assert from "node:assert/strict";
import { change, enqueueChanges, openWebhooks, type WebhookFixture } from "../api/webhooks.ts";
import { times } from "../api/test_collection.ts";

const HANGING = 100;
const PROJECTS = 4;
const MESSAGES = 6;
/** Milliseconds, less than the ten seconds after which a hanging delivery times out. */
const SOON_MS = 4_000;

const messages = () =>
  times(MESSAGES, (n) => change({ recordId: n.toString(16).padStart(24, "0") }));

const enqueueMessages = ({ app, projectId }: WebhookFixture) =>
  enqueueChanges(app.services, projectId, messages());

async function openHangingProject(living: WebhookFixture): Promise<WebhookFixture> {
  const hooks = await openWebhooks({ plan: "pro", shared: living });
  const url = `http://127.0.0.1:${living.server.port}/hangs`;
  for (const _ of times(HANGING / PROJECTS, () => null)) await hooks.create({ url });
  return hooks;
}

Deno.test("a hundred hanging webhooks use one connection each and delay no other", async () => {
  await using living = await openWebhooks();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  living.server.behave(async ({ path }, response) => {
    if (path === "/hangs") await held;
    response.end();
  });
  await living.create();
  const dead = await Promise.all(times(PROJECTS, () => openHangingProject(living)));
  const arrivedAt = (path: string) =>
    living.server.received.filter((message) => message.path === path).length;
  const began = performance.now();
  const isInTime = () => performance.now() - began < SOON_MS;
  await Promise.all(dead.map(enqueueMessages));
  while (arrivedAt("/hangs") < HANGING && isInTime()) await turn();
  await enqueueMessages(living);
  while (arrivedAt("/hook") < MESSAGES && isInTime()) await turn();
  assert.deepEqual([arrivedAt("/hook"), arrivedAt("/hangs")], [MESSAGES, HANGING]);
  release();
  await living.app.services.jobRunner.idle();
  const deliveries = (await Promise.all(dead.map((hooks) => hooks.deliveries()))).flat();
  assert.deepEqual(new Set(deliveries.map(({ state }) => state)), new Set(["delivered"]));
});

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
