import {
  MongoClient,
  type MongoClientOptions,
  MongoCompatibilityError,
  MongoServerSelectionError,
} from "mongodb";
import { StoreUnavailable } from "../errors.ts";
import { CODES, hasCode } from "./error_codes.ts";

/** Default options, which the address may override. Times are milliseconds. */
const DEFAULTS = {
  appName: "corbel",
  maxPoolSize: 32,
  waitQueueTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  serverSelectionTimeoutMS: 5_000,
  // A server that stops responding is dropped after this period and `connectTimeoutMS`. It is
  // polled, because a streaming monitor reports the recovery of a server that rejected a command
  // only after an entire period.
  serverMonitoringMode: "poll",
  heartbeatFrequencyMS: 3_000,
} as const satisfies MongoClientOptions;

/** Time limit in milliseconds of all commands on the server, except lists and counts. */
export const COMMAND_TIME_LIMIT_MS = 5_000;

/** Options of a command with the time limit; docs/mongodb.md lists commands without it. */
export const MAX_TIME = { maxTimeMS: COMMAND_TIME_LIMIT_MS } as const;

/** Time in milliseconds beyond a command's limit after which the server counts as hanging. */
const SILENCE_MS = 5_000;

/** Options that the address cannot weaken: a confirmed write survives the loss of a server. */
const REQUIRED = {
  readConcern: { level: "majority" },
  writeConcern: { w: "majority", journal: true },
  retryReads: true,
  retryWrites: true,
  readPreference: "primary",
} as const satisfies MongoClientOptions;

/** Names of these options in addresses, in lower case. The driver would prefer some of them. */
const REQUIRED_OPTION_NAMES = new Set([
  ...["readconcernlevel", "w", "j", "journal", "fsync", "retryreads", "retrywrites"],
  ...["readpreference", "readpreferencetags", "maxstalenessseconds"],
]);

const TOO_OLD = "MongoDB is older than 6.0: upgrade the server";

/** Minimum wire protocol version: MongoDB 6.0. */
const WIRE_VERSION_MIN = 17;

/**
 * Connects to a replica set or a sharded cluster. Throws `StoreUnavailable` with a remedy if Corbel
 * cannot run on it.
 *
 * @param database A database that will be used. Access to it is checked immediately.
 * @param queryTimeLimitMs Time limit of a list or a count on the server in milliseconds.
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
    const problem = incompatibility(
      await client.db("admin").command({ hello: 1, ...MAX_TIME }),
    );
    if (problem !== null) throw new StoreUnavailable(problem);
    await client.db(database).command({ listCollections: 1, nameOnly: true, ...MAX_TIME });
    return client;
  } catch (error) {
    await client.close();
    throw error instanceof StoreUnavailable ? error : connectionError(error, client);
  }
}

/** Creates a client without connecting. Throws `StoreUnavailable` for an invalid address. */
export function clientFor(url: string, socketTimeoutMS: number): MongoClient {
  try {
    const [address, query = ""] = url.split(/\?(.*)/);
    const options = query.split("&")
      .filter((one) => one !== "" && !REQUIRED_OPTION_NAMES.has(optionName(one)));
    const given = new Set(options.map(optionName));
    const defaults = Object.entries({ ...DEFAULTS, socketTimeoutMS })
      .filter(([name]) => !given.has(name.toLowerCase()));
    const addressWithoutRequired = options.length === 0
      ? address!
      : `${address}?${options.join("&")}`;
    return new MongoClient(addressWithoutRequired, {
      ...Object.fromEntries(defaults),
      ...REQUIRED,
    });
  } catch (error) {
    throw new StoreUnavailable(
      `DATABASE_URL is not a MongoDB address (${(error as Error).message}). ` +
        "It has the form mongodb://user:password@host:27017/corbel?authSource=admin",
      { cause: error },
    );
  }
}

/** Returns the name of an option in lower case, because the driver ignores letter case. */
const optionName = (option: string): string => option.split("=", 1)[0]!.toLowerCase();

function incompatibility(hello: Record<string, unknown>): string | null {
  if ((hello.maxWireVersion as number) < WIRE_VERSION_MIN) {
    return TOO_OLD;
  }
  const isReplicaSet = typeof hello.setName === "string";
  if (isReplicaSet || hello.msg === "isdbgrid") return null;
  return "MongoDB runs as a standalone server, which has no transactions: start it with " +
    "`mongod --replSet rs0` and run `rs.initiate()` once in mongosh; one member is enough";
}

const AUTHENTICATION = [18, 8000];

function connectionError(error: unknown, client: MongoClient): unknown {
  if (!(error instanceof Error)) return error;
  const hosts = client.options.srvHost ?? client.options.hosts.join(", ");
  const cause = rootCause(error);
  if (hasCode(cause, CODES.Unauthorized)) {
    return new StoreUnavailable(
      `MongoDB at ${hosts} denies access to the user in DATABASE_URL, if there is one ` +
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
  if (isOtherReplicaSet(error)) {
    return new StoreUnavailable(
      `MongoDB at ${hosts} does not belong to the replica set "${client.options.replicaSet}" that ` +
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

/** Whether servers responded but belong to another replica set: the driver removes them. */
const isOtherReplicaSet = (error: Error): boolean =>
  error instanceof MongoServerSelectionError && error.reason?.servers.size === 0;

/** Returns the innermost cause, because a failed server selection wraps the actual error. */
function rootCause(error: Error): Error {
  let inner = error;
  while (inner.cause instanceof Error) inner = inner.cause;
  return inner;
}
