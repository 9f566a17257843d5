/**
 * Stores of the tests' own, on the engine that `CORBEL_TEST_DATABASE` names and with files where
 * `CORBEL_TEST_STORAGE` says. Knows nothing of the
 * product but its settings, so that suites which only speak HTTP can use it.
 */

export type Database = "sqlite" | "mongodb";
export type Storage = "disk" | "s3";

/** The engine that the tests run on. */
export const database: Database = readChoice("CORBEL_TEST_DATABASE", ["sqlite", "mongodb"]);

/** Where the files of the tests' stores are kept: beside the database, or in a bucket each. */
export const storage: Storage = readChoice("CORBEL_TEST_STORAGE", ["disk", "s3"]);

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

/**
 * A store that is removed when it is disposed.
 *
 * @param prefix Of the names of databases on MongoDB that somebody else drops.
 */
export async function createTestStore(
  engine: Database = database,
  prefix?: string,
  files: Storage = storage,
): Promise<TestStore> {
  await using making = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "corbel-test-" });
  making.defer(() => removeFolder(folder));
  const store = engine === "sqlite" ? sqliteStoreIn(folder) : await mongodbStoreIn(folder, prefix);
  making.use(store);
  const bucket = files === "s3" ? making.use(await emptyBucket()) : null;
  const made = making.move();
  return {
    ...store,
    settings: { ...store.settings, ...bucket?.settings },
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  };
}

const REMOVALS = 5;
const REMOVAL_PAUSE_MS = 100;

/** A thread of SQLite's that was ended ends the call that it is in, and may make a file by that. */
export async function removeFolder(folder: string): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      return await Deno.remove(folder, { recursive: true });
    } catch (error) {
      if (tries === REMOVALS || !/not empty/i.test((error as Error).message)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, REMOVAL_PAUSE_MS));
  }
}

// The drivers take longer to load than most files of tests to run.
const emptyBucket = async () => (await import("./s3.ts")).createTestBucket();

async function mongodbStoreIn(folder: string, given?: string): Promise<TestStore> {
  const { databaseNames, dropDatabases, mongodbUrl } = await import("./mongodb.ts");
  const prefix = given ?? `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  return {
    settings: { DATABASE_URL: mongodbUrl(prefix), STORAGE_URL: filesIn(folder), SECRET_KEYS },
    folder,
    isUntouched: async () => (await databaseNames(prefix)).length === 0,
    [Symbol.asyncDispose]: () => given === undefined ? dropDatabases(prefix) : Promise.resolve(),
  };
}

/** The SQLite store in a folder that is somebody else's to remove, with its files beside it. */
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

/** The first choice is the default. */
function readChoice<const C extends string>(name: string, choices: readonly [C, ...C[]]): C {
  const value = Deno.env.get(name) || choices[0];
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  throw new Error(`${name} must be ${choices.join(" or ")}, got "${value}"`);
}
