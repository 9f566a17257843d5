/** Faults of a MongoDB of the tests' own, made to order by its fail points. */

import { type Document, MongoClient } from "mongodb";
import { type Mongodb, type MongodbOptions, startMongodb } from "../services/mongodb_server.ts";
import { withPath } from "../support/mongodb.ts";
import type { TestStore } from "../support/test_store.ts";

/** What `failCommand` does to a command, but for which commands it is about. */
export type Fault = Readonly<Document>;

/** How often: the next so many of the commands, or all until {@linkcode FaultyMongodb.heal}. */
export type Times = number | "always";

export interface FaultyMongodb extends AsyncDisposable {
  readonly server: Mongodb;
  /**
   * Fails these commands of clients that are called `corbel`, as Corbel is; only one fault is there
   * at a time.
   */
  fail(commands: readonly string[], fault: Fault, times: Times): Promise<void>;
  heal(): Promise<void>;
}

const CLIENT = "corbel";
const SECRET_KEYS = `test:${btoa("a key ring for tests and no more")}`;

/** A server with fail points, which both `mongod` and the stand-in are started with. */
export async function startFaultyMongodb(options: MongodbOptions = {}): Promise<FaultyMongodb> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startMongodb(options));
  // Called otherwise, so that no fault ever reaches who has to end it.
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
 * An empty store on a server of the test's own: it ends with the server.
 * @param options Of the driver, as they stand in an address.
 */
export async function storeOn(
  url: string,
  options: Readonly<Record<string, string | number>> = {},
): Promise<TestStore> {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const folder = await Deno.makeTempDir({ prefix: "corbel-test-" });
  const address = withPath(url, prefix);
  const given = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  const joined = [address, ...given].reduce((all, one) =>
    `${all}${all.includes("?") ? "&" : "?"}${one}`
  );
  return {
    settings: { DATABASE_URL: joined, STORAGE_URL: `file:${folder}/files`, SECRET_KEYS },
    folder,
    isUntouched: () => Promise.reject(new Error("Nobody asks this of a store on such a server")),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
