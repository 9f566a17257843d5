/**
 * A MongoDB client that all tests of a file share, and databases with a common prefix that are
 * dropped at the end of the file. The client connects while the file is loaded, because the
 * sanitizer would report connections that are opened during a test.
 */

import { loadConfig } from "@/lib/runtime/config.ts";
import type { Engine } from "@/lib/store/port.ts";
import { connect } from "@/lib/store/mongo/connect.ts";
import { MongoEngine } from "@/lib/store/mongo/engine.ts";
import { dropAll, mongodbUrl } from "../support/mongodb.ts";

const { queryTimeLimitMs } = loadConfig({});
const beginning = `test${crypto.getRandomValues(new Uint8Array(6)).toHex()}x`;
// Without monitoring: otherwise a test that ends during a heartbeat would seem to leak its timers.
const address = mongodbUrl(beginning);
const unasked = `${address}${address.includes("?") ? "&" : "?"}heartbeatFrequencyMS=3600000`;
const client = await connect(unasked, `${beginning}0_control`, queryTimeLimitMs);
let stores = 0;

Deno.test.afterAll(async () => {
  await dropAll(client, beginning);
  await client.close();
});

/** Returns a new prefix for the databases of a store, which are dropped with the file. */
export const newPrefix = (): string => `${beginning}${stores++}`;

/** Creates an engine on the databases with a prefix. Disposing it keeps the client open. */
export const engineOver = (prefix: string, queryTimeLimitMs: number): Engine =>
  MongoEngine.over(client, { prefix, queryTimeLimitMs });
