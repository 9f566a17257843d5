import { type Collection, type Db, MongoClient } from "mongodb";
import assert from "node:assert/strict";
import { REQUEST_TIMEOUT_MS } from "@/lib/limits.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import type { Services } from "@/lib/services.ts";
import { QueryTooSlow, StoreUnavailable } from "@/lib/store/errors.ts";
import { createApp } from "@/routes/app.ts";
import { mongodbProgram, require } from "../services/mod.ts";
import type { Mongodb } from "../services/mongodb_server.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { storeOn } from "./faulty_mongodb.ts";
import { updateCollection } from "@/tests/support/given.ts";

const ignore = await require(mongodbProgram) === null;

/** A test of a MongoDB that goes wrong, left out where there is none to spoil. */
export function faultTest(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

/** The app on a MongoDB that can be spoilt. */
export interface Fixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly project: TestProject;
  /** Sends a call with the secret key to an app on whose plan there is no room for documents. */
  atTheEdge(call: Call): Promise<Answer>;
  /** The project's database, past Corbel and past what is done to it. */
  readonly db: Db;
  /** Where the documents of a collection are, in that database. */
  stored(collection: string): Promise<Collection>;
  /** Names of the indexes of a collection, as the server has them. */
  indexes(collection: string): Promise<string[]>;
}

/** So short that a fault for ever is over soon; what is tried again is tried as often. */
export const QUICK = {
  socketTimeoutMS: 1000,
  connectTimeoutMS: 1000,
  serverSelectionTimeoutMS: 400,
  waitQueueTimeoutMS: 1000,
  heartbeatFrequencyMS: 200,
  minHeartbeatFrequencyMS: 50,
};

export const THINGS = "/api/data/things";

const FIELDS = [
  { key: "n", type: "Number", index: true },
  { key: "code", type: "String", unique: true },
];

/** Waits as long as it takes for a server that is well again, so that none is missed. */
export const PATIENT = { ...QUICK, serverSelectionTimeoutMS: 5000 };

/** What a fixture has otherwise than usual. */
export interface FixtureOptions {
  /** What Corbel speaks to in place of the server itself. */
  readonly url?: string;
  /** Of the driver; {@linkcode QUICK} if left out. */
  readonly driver?: Readonly<Record<string, string | number>>;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openFixture(
  server: Mongodb,
  { url = server.url, driver = QUICK, env = {} }: FixtureOptions = {},
): Promise<Fixture> {
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await storeOn(url, driver));
  const app = opening.use(await openTestApp({ store, env }));
  const project = await app.project();
  await furnish(project);
  const raw = opening.use(new MongoClient(server.url, { appName: "tests" }));
  const prefix = new URL(store.settings.DATABASE_URL!).pathname.slice(1);
  const db = raw.db(`${prefix}_${project.projectId}`);
  const stored = async (name: string) => {
    const { records } = (await app.services.catalog.find(project.projectId, name))!;
    return db.collection(records.name);
  };
  const full = appWithoutRoom(app.services);
  const opened = opening.move();
  return {
    app,
    project,
    atTheEdge: (call) =>
      send(full, {
        ...call,
        headers: [["x-api-key", project.secretKey], ...new Headers(call.headers)],
      }),
    db,
    stored,
    indexes: async (name) =>
      (await (await stored(name)).indexes()).map((index) => index.name!).sort(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Makes the collections of a fixture, with a document in each. */
export async function furnish(project: TestProject): Promise<void> {
  const rls = { enabled: false };
  await project.collection({ name: "things", fields: FIELDS, rls });
  await project.collection({ name: "shapes", fields: [], rls });
  for (const name of ["things", "shapes"]) {
    const made = await project.asSecret({ path: `/api/data/${name}`, body: { n: 0 } });
    assert.equal(made.status, 201);
  }
}

/** Documents are not to grow in it. */
function appWithoutRoom(services: Services): ReturnType<typeof createApp> {
  const plan = { ...PLANS.free, documentBytes: 0 };
  const plans = { ...services.plans, of: () => Promise.resolve(plan) };
  return createApp({ ...services, plans });
}

/** Changes the definition of a collection. */
export const define = (
  { app, project }: Fixture,
  name: string,
  fields: unknown[],
): Promise<unknown> =>
  updateCollection(app.services, project.projectId, { name, fields, rls: { enabled: false } });

/** What became of one request. */
export type Outcome =
  /** It was answered, by a status that tells what was done. */
  | { readonly kind: "answered"; readonly status: number; readonly answer: Answer | null }
  /** An honest 503, or what becomes one. */
  | { readonly kind: "unavailable" };

const HONEST = ["STORE_UNAVAILABLE", "NOT_READY", "QUERY_TOO_SLOW"];

/** A request through the API. */
export async function outcomeOf(request: Promise<Answer>): Promise<Outcome> {
  const answer = await inTime(request);
  if (answer.status !== 503) return { kind: "answered", status: answer.status, answer };
  assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.ok(HONEST.includes(answer.body.code), answer.text);
  return { kind: "unavailable" };
}

/** A call of the port, or of a verb that has no operation yet. */
export async function outcomeOfCall(call: Promise<unknown>): Promise<Outcome> {
  try {
    await inTime(call);
    return { kind: "answered", status: 200, answer: null };
  } catch (error) {
    const isHonest = error instanceof StoreUnavailable || error instanceof QueryTooSlow;
    assert.ok(isHonest, `expected a StoreUnavailable, got ${error}`);
    return { kind: "unavailable" };
  }
}

/** Fails when there is no answer inside the time limit of requests. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("No answer in time")), REQUEST_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
