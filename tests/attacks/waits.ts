/** How long requests of one project wait while something dear is done for another one. */

import assert from "node:assert/strict";
import type { Call } from "../support/conforming_client.ts";
import type { TestApp } from "../support/test_app.ts";
import { settle, threadMsSince, threadTime } from "./cost.ts";

/** No request may wait longer than this for a request of another project. */
export const WAIT_MAX_MS = 250;

/** What else the machine does is no fault of the work. */
const TRIES = 3;
/** Between two requests that are measured. */
const EVERY_MS = 5;

/** Makes a project of its own. Resolves to the health check, and a read of its document by the id. */
export async function openBystander(app: TestApp): Promise<readonly Call[]> {
  const { secretKey, collection, asSecret } = await app.project();
  await collection({ name: "small", fields: [], strict: false });
  const { body, status } = await asSecret({ path: "/api/data/small", body: { n: 1 } });
  assert.equal(status, 201);
  const path = `/api/data/small/${body.data._id}`;
  return [{ path: "/api/health" }, { path, headers: { "x-api-key": secretKey } }];
}

/**
 * Fails where one of the calls waits for longer than {@linkcode WAIT_MAX_MS} in each of
 * some tries. A wait is the processor time that this thread takes from when a request is due to its
 * answer, so that it does not depend on what else the machine does.
 *
 * @param work Can be done several times.
 */
export async function assertOthersGoOn(
  app: TestApp,
  calls: readonly Call[],
  work: () => Promise<unknown>,
): Promise<void> {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least > WAIT_MAX_MS; tries++) {
    if (tries > 0) settle();
    least = Math.min(least, await longestWait(app, calls, work));
  }
  assert.ok(least <= WAIT_MAX_MS, `others waited for ${Math.round(least)} ms`);
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
