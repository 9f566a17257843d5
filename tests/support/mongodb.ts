/** Databases on the MongoDB server of the tests, named by a prefix. */

import { Binary, MongoClient } from "mongodb";

const ADDRESS = /^(mongodb(?:\+srv)?:\/\/)([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/** Returns `MONGODB_TEST_URL`, which `deno task test` sets. Throws if it is not set. */
export function mongodbTestUrl(): string {
  const url = Deno.env.get("MONGODB_TEST_URL");
  if (!url) throw new Error("MONGODB_TEST_URL is not set: `deno task test` starts a server");
  return url;
}

/** Returns the `DATABASE_URL` of a Corbel whose databases are called `<prefix>_…`. */
export const mongodbUrl = (prefix: string): string => withPath(mongodbTestUrl(), prefix);

/**
 * Replaces the path of the address, which Corbel reads as the prefix of its databases. Credentials
 * are still checked against the original database.
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

/** Throws if no server answers at the address within 5 s or the server rejects the credentials. */
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

export async function databaseNames(prefix: string, url = mongodbTestUrl()): Promise<string[]> {
  await using client = new MongoClient(url);
  return await namesOf(client, `${prefix}_`);
}

export async function dropDatabases(prefix: string, url = mongodbTestUrl()): Promise<void> {
  await using client = new MongoClient(url);
  await dropAll(client, `${prefix}_`);
}

export async function dropAll(client: MongoClient, beginning: string): Promise<void> {
  for (const name of await namesOf(client, beginning)) await client.db(name).dropDatabase();
}

async function namesOf(client: MongoClient, beginning: string): Promise<string[]> {
  const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
  return databases.map(({ name }) => name).filter((name) => name.startsWith(beginning)).sort();
}

/** Reports every session that this process begins from now on, by its hexadecimal id. */
export function announceSessions(report: (id: string) => void): void {
  const { startSession } = MongoClient.prototype;
  MongoClient.prototype.startSession = function (...args) {
    const session = startSession.apply(this, args);
    report(session.id!.id.toString("hex"));
    return session;
  };
}

/**
 * Ends the sessions of a killed process. Otherwise the server keeps its open transactions for
 * `transactionLifetimeLimitSeconds`, which is a minute.
 */
export async function endSessions(ids: Iterable<string>, url = mongodbTestUrl()): Promise<void> {
  await using client = new MongoClient(url);
  const sessions = [...ids].map((id) => ({
    id: new Binary(Uint8Array.fromHex(id), Binary.SUBTYPE_UUID),
  }));
  await client.db("admin").command({ killSessions: sessions });
}
