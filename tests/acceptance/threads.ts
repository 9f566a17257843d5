/** Clients that are each connected to a different thread of a server. */

import assert from "node:assert/strict";
import { send } from "./project.ts";
import type { Server } from "./server.ts";

const TRIES = 100;

/**
 * Returns `count` clients of different threads. Sequential requests of a client stay on its thread.
 * Concurrent requests may use any thread.
 */
export async function clientsByThread(server: Server, count: number): Promise<Server[]> {
  const found = new Map<string, Server>();
  for (let tries = 0; found.size < count; tries++) {
    assert.ok(tries < TRIES, `${TRIES} connections reached ${found.size} of ${count} threads`);
    const one = { ...server, http: Deno.createHttpClient({}) };
    const thread = await threadOf(one);
    if (found.has(thread)) one.http.close();
    else found.set(thread, one);
  }
  return [...found.values()];
}

/**
 * Identifies the client's thread, because a connection stays with it and each thread numbers its
 * requests.
 */
async function threadOf(server: Server): Promise<string> {
  const { headers } = await send(server, { path: "/api/health" });
  return headers.get("x-request-id")!.replace(/-\w+$/, "");
}
