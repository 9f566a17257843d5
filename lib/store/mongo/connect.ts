import {
  MongoClient,
  type MongoClientOptions,
  MongoCompatibilityError,
  MongoServerSelectionError,
} from "mongodb";
import { StoreUnavailable } from "../errors.ts";
import { CODES, hasCode } from "./error_codes.ts";

/** What holds unless the address says otherwise. Times are milliseconds. */
const DEFAULTS = {
  appName: "corbel",
  maxPoolSize: 32,
  waitQueueTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  serverSelectionTimeoutMS: 5_000,
  // Who is asked for news in vain is lost after this and `connectTimeoutMS`. Polled, because a
  // stream of news hides for a whole period that a server which refused a command is well again.
  serverMonitoringMode: "poll",
  heartbeatFrequencyMS: 3_000,
} as const satisfies MongoClientOptions;

/** Milliseconds that any command but a list or a count may take on the server. */
export const COMMAND_TIME_LIMIT_MS = 5_000;

/** What is sent with such a command; docs/mongodb.md names those that go without, and why. */
export const LIMITED = { maxTimeMS: COMMAND_TIME_LIMIT_MS } as const;

/** Past what a command may take on the server and this, it is the server that hangs. */
const SILENCE_MS = 5_000;

/** Not to be weakened by an address: what is answered as stored must survive the loss of a server. */
const FIXED = {
  readConcern: { level: "majority" },
  writeConcern: { w: "majority", journal: true },
  retryReads: true,
  retryWrites: true,
  readPreference: "primary",
} as const satisfies MongoClientOptions;

/** How an address says the same, in lower case: the driver would let some of it prevail. */
const FIXED_IN_ADDRESSES = new Set([
  ...["readconcernlevel", "w", "j", "journal", "fsync", "retryreads", "retrywrites"],
  ...["readpreference", "readpreferencetags", "maxstalenessseconds"],
]);

const TOO_OLD = "MongoDB is older than 6.0: upgrade the server";

/** First version with everything that is used here: 6.0. */
const WIRE_VERSION_MIN = 17;

/**
 * Connects to a replica set or a sharded cluster. Throws `StoreUnavailable` with what to do about
 * it for anything that Corbel cannot run on.
 * @param database One that will be used: whether it may be is found out at once.
 * @param queryTimeLimitMs What a list or a count may take on the server.
 */
export async function connect(
  url: string,
  database: string,
  queryTimeLimitMs: number,
): Promise<MongoClient> {
  const longestMs = Math.max(queryTimeLimitMs, COMMAND_TIME_LIMIT_MS);
  const client = clientFor(url, longestMs + SILENCE_MS);
  try {
    await client.connect();
    const problem = unfit(await client.db("admin").command({ hello: 1, ...LIMITED }));
    if (problem !== null) throw new StoreUnavailable(problem);
    await client.db(database).command({ listCollections: 1, nameOnly: true, ...LIMITED });
    return client;
  } catch (error) {
    await client.close();
    throw error instanceof StoreUnavailable ? error : refusal(error, client);
  }
}

/** Connects nowhere yet. Throws `StoreUnavailable` where the address is none. */
export function clientFor(url: string, socketTimeoutMS: number): MongoClient {
  try {
    const [address, query = ""] = url.split(/\?(.*)/);
    const options = query.split("&")
      .filter((one) => one !== "" && !FIXED_IN_ADDRESSES.has(nameOf(one)));
    const given = new Set(options.map(nameOf));
    const defaults = Object.entries({ ...DEFAULTS, socketTimeoutMS })
      .filter(([name]) => !given.has(name.toLowerCase()));
    const kept = options.length === 0 ? address! : `${address}?${options.join("&")}`;
    return new MongoClient(kept, { ...Object.fromEntries(defaults), ...FIXED });
  } catch (error) {
    throw new StoreUnavailable(
      `DATABASE_URL is no address of MongoDB (${(error as Error).message}). ` +
        "It has the form mongodb://user:password@host:27017/corbel?authSource=admin",
      { cause: error },
    );
  }
}

/** The driver takes options in any case. */
const nameOf = (option: string): string => option.split("=", 1)[0]!.toLowerCase();

function unfit(hello: Record<string, unknown>): string | null {
  if ((hello.maxWireVersion as number) < WIRE_VERSION_MIN) {
    return TOO_OLD;
  }
  const isReplicaSet = typeof hello.setName === "string";
  if (isReplicaSet || hello.msg === "isdbgrid") return null;
  return "MongoDB runs as a standalone server, which has no transactions: start it with " +
    "`mongod --replSet rs0` and run `rs.initiate()` once in mongosh; one member is enough";
}

const AUTHENTICATION = [18, 8000];

function refusal(error: unknown, client: MongoClient): unknown {
  if (!(error instanceof Error)) return error;
  const hosts = client.options.srvHost ?? client.options.hosts.join(", ");
  const cause = deepest(error);
  if (hasCode(cause, CODES.Unauthorized)) {
    return new StoreUnavailable(
      `MongoDB at ${hosts} does not let us in with the user in DATABASE_URL, if there is one ` +
        `(${cause.message}). Give a user and a password, and the rights that docs/mongodb.md lists`,
      { cause: error },
    );
  }
  if (hasCode(cause, ...AUTHENTICATION)) {
    return new StoreUnavailable(
      `MongoDB at ${hosts} refuses the user or the password in DATABASE_URL (${cause.message}). ` +
        "The user must exist in the database that authSource names, or, without authSource, the path",
      { cause: error },
    );
  }
  if (error instanceof MongoCompatibilityError || cause instanceof MongoCompatibilityError) {
    return new StoreUnavailable(TOO_OLD, { cause: error });
  }
  if (isNoMember(error)) {
    return new StoreUnavailable(
      `MongoDB at ${hosts} is no member of the replica set "${client.options.replicaSet}" that ` +
        "DATABASE_URL names: give replicaSet the name that `rs.status().set` says in mongosh",
      { cause: error },
    );
  }
  return new StoreUnavailable(
    `MongoDB at ${hosts} does not answer (${cause.message}). ` +
      "Check the host and the port in DATABASE_URL, that the server runs, and its firewall",
    { cause: error },
  );
}

/** Servers that answer, but by the name of another replica set, are struck off the list. */
const isNoMember = (error: Error): boolean =>
  error instanceof MongoServerSelectionError && error.reason?.servers.size === 0;

/** Selection of a server fails because something else failed before. */
function deepest(error: Error): Error {
  let inner = error;
  while (inner.cause instanceof Error) inner = inner.cause;
  return inner;
}
