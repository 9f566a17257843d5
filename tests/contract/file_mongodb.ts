/**
 * What all tests of one file share on MongoDB: one client, and databases whose names begin alike,
 * dropped when the file ends. Connected while the file is loaded, before a test is there that the
 * connections could be taken for leaks of.
 */

import { loadConfig } from "@/lib/runtime/config.ts";
import type { Engine } from "@/lib/store/port.ts";
import { connect } from "@/lib/store/mongo/connect.ts";
import { MongoEngine } from "@/lib/store/mongo/engine.ts";
import { dropAll, mongodbUrl } from "../support/mongodb.ts";

const { queryTimeLimitMs } = loadConfig({});
const beginning = `test${crypto.getRandomValues(new Uint8Array(6)).toHex()}x`;
// A test that ends while the driver asks for news would be taken to leak the timers of that.
const address = mongodbUrl(beginning);
const unasked = `${address}${address.includes("?") ? "&" : "?"}heartbeatFrequencyMS=3600000`;
const client = await connect(unasked, `${beginning}0_control`, queryTimeLimitMs);
let stores = 0;

Deno.test.afterAll(async () => {
  await dropAll(client, beginning);
  await client.close();
});

/** A prefix for the databases of one store; they need not be dropped. */
export const newPrefix = (): string => `${beginning}${stores++}`;

/** An engine on the databases with a prefix; closing it leaves the client. */
export const engineOver = (prefix: string, queryTimeLimitMs: number): Engine =>
  MongoEngine.over(client, { prefix, queryTimeLimitMs });
