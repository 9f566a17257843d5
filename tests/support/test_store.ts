/**
 * Stores of the tests' own, on the engine that `CORBEL_TEST_DATABASE` names. Knows nothing of the
 * product but its settings, so that suites which only speak HTTP can use it.
 */

import { databaseNames, dropDatabases, mongodbUrl } from "./mongodb.ts";

export type Database = "sqlite" | "mongodb";

/** The engine that the tests run on. */
export const database: Database = readDatabase();

/** An empty store. Whoever opens it with the same settings finds the same data. */
export interface TestStore extends AsyncDisposable {
  /** Environment variables that open it. */
  readonly settings: Readonly<Record<string, string>>;
  /** A temporary folder that goes with it; SQLite keeps its files there. */
  readonly folder: string;
  /** Whether nothing was ever made in it. */
  isUntouched(): Promise<boolean>;
}

/** Fixed, because on MongoDB every process must be given the same. */
const SECRET_KEYS = `test:${btoa("a key ring for tests and no more")}`;

/** A store that is removed when it is disposed. */
export async function createTestStore(engine: Database = database): Promise<TestStore> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-test-" });
  const removeFolder = () => Deno.remove(folder, { recursive: true });
  if (engine === "sqlite") {
    return { ...sqliteStoreIn(folder), [Symbol.asyncDispose]: removeFolder };
  }
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  return {
    settings: { DATABASE_URL: mongodbUrl(prefix), STORAGE_URL: filesIn(folder), SECRET_KEYS },
    folder,
    isUntouched: async () => (await databaseNames(prefix)).length === 0,
    async [Symbol.asyncDispose]() {
      await removeFolder();
      await dropDatabases(prefix);
    },
  };
}

/** The SQLite store in a folder that is somebody else's to remove. */
export function sqliteStoreIn(folder: string): TestStore {
  return {
    settings: { DATABASE_URL: `sqlite:${folder}`, STORAGE_URL: filesIn(folder) },
    folder,
    isUntouched: () => Promise.resolve([...Deno.readDirSync(folder)].length === 0),
    async [Symbol.asyncDispose]() {},
  };
}

/** Where the files of such a store are kept; made at the first upload. */
const filesIn = (folder: string): string => `file:${folder}/files`;

function readDatabase(): Database {
  const name = Deno.env.get("CORBEL_TEST_DATABASE") || "sqlite";
  if (name === "sqlite" || name === "mongodb") return name;
  throw new Error(`CORBEL_TEST_DATABASE must be sqlite or mongodb, got "${name}"`);
}
