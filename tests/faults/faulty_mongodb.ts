/** MongoDB servers with fail points. */

import { type Document, MongoClient } from "mongodb";
import { type Mongodb, type MongodbOptions, startMongodb } from "../services/mongodb_server.ts";
import { withPath } from "../support/mongodb.ts";
import type { TestStore } from "../support/test_store.ts";

/** Options of `failCommand` except the names of commands. */
export type Fault = Readonly<Document>;

/** Number of commands that fail, or all until {@linkcode FaultyMongodb.heal}. */
export type Times = number | "always";

export interface FaultyMongodb extends AsyncDisposable {
  readonly server: Mongodb;
  /** Fails these commands of clients named `corbel`. A new fault replaces the former one. */
  fail(commands: readonly string[], fault: Fault, times: Times): Promise<void>;
  heal(): Promise<void>;
}

const CLIENT = "corbel";
const SECRET_KEYS = `test:${btoa("a key ring for tests and no more")}`;

/** Starts a server with fail points, which `mongod` and the stand-in support. */
export async function startFaultyMongodb(options: MongodbOptions = {}): Promise<FaultyMongodb> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startMongodb(options));
  // Named differently, which lets this client remove a fault that applies to `corbel`.
  const client = opening.use(new MongoClient(server.url, { appName: "tests" }));
  const admin = client.db("admin");
  await admin.command({ ping: 1 });
  const opened = opening.move();
  const configure = async (mode: unknown, data: Document = {}) => {
    await admin.command({ configureFailPoint: "failCommand", mode, data });
  };
  return {
    server,
    fail: (commands, fault, times) =>
      configure(times === "always" ? "alwaysOn" : { times }, {
        ...fault,
        failCommands: [...commands],
        appName: CLIENT,
      }),
    heal: () => configure("off"),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Creates an empty store on a server of the test, which ends with the server.
 * @param options Options of the driver, as in an address.
 */
export async function storeOn(
  url: string,
  options: Readonly<Record<string, string | number>> = {},
): Promise<TestStore> {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const folder = await Deno.makeTempDir({ prefix: "corbel-test-" });
  const address = withPath(url, prefix);
  const parameters = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  const joined = [address, ...parameters].reduce((all, one) =>
    `${all}${all.includes("?") ? "&" : "?"}${one}`
  );
  return {
    settings: { DATABASE_URL: joined, STORAGE_URL: `file:${folder}/files`, SECRET_KEYS },
    folder,
    isUntouched: () => Promise.reject(new Error("A store with faults does not support this")),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
