/** Databases on the MongoDB that the tests were given, by the prefix of their names. */

import { Binary, MongoClient } from "mongodb";

const ADDRESS = /^(mongodb(?:\+srv)?:\/\/)([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/** `MONGODB_TEST_URL`. Throws without one: `deno task test` starts a server and sets it. */
export function mongodbTestUrl(): string {
  const url = Deno.env.get("MONGODB_TEST_URL");
  if (!url) throw new Error("MONGODB_TEST_URL is not set: `deno task test` starts a server");
  return url;
}

/** What `DATABASE_URL` is for a Corbel whose databases are called `<prefix>_…`. */
export const mongodbUrl = (prefix: string): string => withPath(mongodbTestUrl(), prefix);

/**
 * The address with another path, which Corbel reads as the prefix of its databases. Who signs in
 * still does so against the database that was named before.
 */
export function withPath(url: string, path: string): string {
  const parts = ADDRESS.exec(url);
  if (parts === null) throw new Error("MONGODB_TEST_URL must begin with mongodb://host");
  const [, scheme, hosts, former, query] = parts;
  const options = (query ?? "").split("&").filter((option) => option !== "");
  if (hosts!.includes("@") && !options.some((option) => /^authSource=/i.test(option))) {
    options.push(`authSource=${former || "admin"}`);
  }
  return `${scheme}${hosts}/${path}${options.length > 0 ? "?" : ""}${options.join("&")}`;
}

const ANSWER_MS = 5000;

/** Throws when nobody answers at the address within 5 s, or turns us away. */
export async function assertAnswers(url: string): Promise<void> {
  await using client = new MongoClient(url, { serverSelectionTimeoutMS: ANSWER_MS });
  try {
    await client.db("admin").admin().listDatabases({ nameOnly: true });
  } catch (error) {
    throw new Error(`MongoDB does not serve at MONGODB_TEST_URL: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Names of the databases that begin with `<prefix>_`. */
export async function databaseNames(prefix: string, url = mongodbTestUrl()): Promise<string[]> {
  await using client = new MongoClient(url);
  return await namesOf(client, `${prefix}_`);
}

/** Drops every database whose name begins with `<prefix>_`. */
export async function dropDatabases(prefix: string, url = mongodbTestUrl()): Promise<void> {
  await using client = new MongoClient(url);
  await dropAll(client, `${prefix}_`);
}

/** Drops every database whose name begins so. */
export async function dropAll(client: MongoClient, beginning: string): Promise<void> {
  for (const name of await namesOf(client, beginning)) await client.db(name).dropDatabase();
}

async function namesOf(client: MongoClient, beginning: string): Promise<string[]> {
  const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
  return databases.map(({ name }) => name).filter((name) => name.startsWith(beginning)).sort();
}

/** Tells of every session that this process begins from now on, by its id in hexadecimal. */
export function announceSessions(tell: (id: string) => void): void {
  const { startSession } = MongoClient.prototype;
  MongoClient.prototype.startSession = function (...args) {
    const session = startSession.apply(this, args);
    tell(session.id!.id.toString("hex"));
    return session;
  };
}

/**
 * Ends sessions of a process that is dead. What it left open in them the server would hold until
 * `transactionLifetimeLimitSeconds`, a minute.
 */
export async function endSessions(ids: Iterable<string>, url = mongodbTestUrl()): Promise<void> {
  await using client = new MongoClient(url);
  const sessions = [...ids].map((id) => ({
    id: new Binary(Uint8Array.fromHex(id), Binary.SUBTYPE_UUID),
  }));
  await client.db("admin").command({ killSessions: sessions });
}
