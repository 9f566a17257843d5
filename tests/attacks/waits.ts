/** Measures the delay of requests of one project during expensive work for another. */

import assert from "node:assert/strict";
import type { Call } from "../support/conforming_client.ts";
import type { TestApp } from "../support/test_app.ts";
import { prepareMeasurement, threadMsSince, threadTime } from "./cost.ts";

/** Maximum delay of a request by another project's request, in milliseconds. */
export const WAIT_MAX_MS = 250;

/** Number of attempts, because the machine does other work too. */
const TRIES = 3;
/** Milliseconds between two measured requests. */
const EVERY_MS = 5;

/** Creates a project, and resolves to two calls: the health check and a read of a document. */
export async function openBystander(app: TestApp): Promise<readonly Call[]> {
  const { secretKey, collection, asSecret } = await app.project();
  await collection({ name: "small", fields: [], strict: false });
  const { body, status } = await asSecret({ path: "/api/data/small", body: { n: 1 } });
  assert.equal(status, 201);
  const path = `/api/data/small/${body.data._id}`;
  return [{ path: "/api/health" }, { path, headers: { "x-api-key": secretKey } }];
}

/**
 * Fails if one of the calls is delayed by more than {@linkcode WAIT_MAX_MS} in each of some
 * attempts. The delay is this thread's processor time from a request's due time to its response,
 * so that other load on the machine does not count.
 *
 * @param work Repeatable work.
 */
export async function assertOthersGoOn(
  app: TestApp,
  calls: readonly Call[],
  work: () => Promise<unknown>,
): Promise<void> {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least > WAIT_MAX_MS; tries++) {
    if (tries > 0) prepareMeasurement();
    least = Math.min(least, await longestWait(app, calls, work));
  }
  assert.ok(least <= WAIT_MAX_MS, `other requests were delayed by ${Math.round(least)} ms`);
}

async function longestWait(
  app: TestApp,
  calls: readonly Call[],
  work: () => Promise<unknown>,
): Promise<number> {
  let [longest, isOver] = [0, false];
  const ask = async (call: Call) => {
    while (!isOver) {
      const began = threadTime();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      const response = await app.open(call);
      await response.body?.cancel();
      assert.equal(response.status, 200);
      longest = Math.max(longest, threadMsSince(began));
    }
  };
  const asking = Promise.all(calls.map(ask));
  try {
    await work();
  } finally {
    isOver = true;
    await asking;
  }
  return longest;
}
