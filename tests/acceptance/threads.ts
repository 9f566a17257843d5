/** Clients that each reach another thread of a server. */

import assert from "node:assert/strict";
import { send } from "./project.ts";
import type { Server } from "./server.ts";

const TRIES = 100;

/**
 * The server by `count` clients: what one sends, one request after the other, is answered by one
 * thread, which answers none of the others. What it sends at once may be answered by any.
 */
export async function byThread(server: Server, count: number): Promise<Server[]> {
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

/** A connection stays with its thread, and each thread numbers the requests it answers. */
async function threadOf(server: Server): Promise<string> {
  const { headers } = await send(server, { path: "/api/health" });
  return headers.get("x-request-id")!.replace(/-\w+$/, "");
}
