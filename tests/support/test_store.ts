/**
 * Stores of tests, on the engine in `CORBEL_TEST_DATABASE` and with the file store in
 * `CORBEL_TEST_STORAGE`. Only depends on Corbel's settings, which lets suites that only use HTTP
 * import it.
 */

export type Database = "sqlite" | "mongodb";
export type Storage = "disk" | "s3";

export const database: Database = readChoice("CORBEL_TEST_DATABASE", ["sqlite", "mongodb"]);

/** The file store under test: a folder next to the database, or one bucket per store. */
export const storage: Storage = readChoice("CORBEL_TEST_STORAGE", ["disk", "s3"]);

/** An empty store. Processes that open it with the same settings share its data. */
export interface TestStore extends AsyncDisposable {
  readonly settings: Readonly<Record<string, string>>;
  /** A temporary folder that is removed with the store; SQLite keeps its files there. */
  readonly folder: string;
  isUntouched(): Promise<boolean>;
}

/** Fixed, because all processes on MongoDB must have the same keys. */
const SECRET_KEYS = `test:${btoa("a key ring for tests and no more")}`;

/**
 * Creates a store that is removed when it is disposed.
 *
 * @param prefix Prefix of the names of databases on MongoDB that the caller drops.
 */
export async function createTestStore(
  engine: Database = database,
  prefix?: string,
  files: Storage = storage,
): Promise<TestStore> {
  await using opening = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "corbel-test-" });
  opening.defer(() => removeFolder(folder));
  const store = engine === "sqlite" ? sqliteStoreIn(folder) : await mongodbStoreIn(folder, prefix);
  opening.use(store);
  const bucket = files === "s3" ? opening.use(await emptyBucket()) : null;
  const resources = opening.move();
  return {
    ...store,
    settings: { ...store.settings, ...bucket?.settings },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Maximum number of attempts to remove a folder. */
const REMOVAL_TRIES_MAX = 5;
const REMOVAL_PAUSE_MS = 100;

/** Removes a folder. Retries, because a terminated SQLite worker may still create a file. */
export async function removeFolder(folder: string): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      return await Deno.remove(folder, { recursive: true });
    } catch (error) {
      if (tries === REMOVAL_TRIES_MAX || !/not empty/i.test((error as Error).message)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, REMOVAL_PAUSE_MS));
  }
}

// Imported lazily because the S3 client takes longer to load than most test files run.
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

/** Returns the SQLite store in a folder that the caller removes, with a folder for files inside. */
export function sqliteStoreIn(folder: string): TestStore {
  return {
    settings: { DATABASE_URL: `sqlite:${folder}`, STORAGE_URL: filesIn(folder) },
    folder,
    isUntouched: () => Promise.resolve([...Deno.readDirSync(folder)].length === 0),
    async [Symbol.asyncDispose]() {},
  };
}

const filesIn = (folder: string): string => `file:${folder}/files`;

/** Reads a setting with a fixed set of values. The first value is the default. */
function readChoice<const C extends string>(name: string, choices: readonly [C, ...C[]]): C {
  const value = Deno.env.get(name) || choices[0];
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  throw new Error(`${name} must be ${choices.join(" or ")}, got "${value}"`);
}
