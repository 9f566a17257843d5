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

/** Registers a test of MongoDB faults, which is ignored if there is no program to start. */
export function faultTest(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

export interface Fixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly project: TestProject;
  /** Sends a call with the secret key to an app whose plan allows no further documents. */
  withoutQuota(call: Call): Promise<Answer>;
  /** The project's database, without Corbel and without faults. */
  readonly db: Db;
  /** Returns the MongoDB collection that stores the documents of a collection. */
  stored(collection: string): Promise<Collection>;
  indexes(collection: string): Promise<string[]>;
}

/** Short timeouts of the driver, to end lasting faults soon, with the default of retries. */
export const SHORT_TIMEOUTS = {
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

/** Options with enough time for a recovering server to be found. */
export const LONG_SELECTION = { ...SHORT_TIMEOUTS, serverSelectionTimeoutMS: 5000 };

export interface FixtureOptions {
  /** Address that Corbel uses instead of the server's own. */
  readonly url?: string;
  /** Options of the driver; {@linkcode SHORT_TIMEOUTS} by default. */
  readonly driver?: Readonly<Record<string, string | number>>;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openFixture(
  server: Mongodb,
  { url = server.url, driver = SHORT_TIMEOUTS, env = {} }: FixtureOptions = {},
): Promise<Fixture> {
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await storeOn(url, driver));
  const app = opening.use(await openTestApp({ store, env }));
  const project = await app.project();
  await createCollections(project);
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
    withoutQuota: (call) =>
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

export async function createCollections(project: TestProject): Promise<void> {
  const rls = { enabled: false };
  await project.collection({ name: "things", fields: FIELDS, rls });
  await project.collection({ name: "shapes", fields: [], rls });
  for (const name of ["things", "shapes"]) {
    const created = await project.asSecret({ path: `/api/data/${name}`, body: { n: 0 } });
    assert.equal(created.status, 201);
  }
}

function appWithoutRoom(services: Services): ReturnType<typeof createApp> {
  const plan = { ...PLANS.free, documentBytes: 0 };
  const plans: Services["plans"] = {
    ...services.plans,
    ofProject: () => Promise.resolve(plan),
  };
  return createApp({ ...services, plans });
}

export const updateDefinition = (
  { app, project }: Fixture,
  name: string,
  fields: unknown[],
): Promise<unknown> =>
  updateCollection(app.services, project.projectId, { name, fields, rls: { enabled: false } });

export type RequestResult =
  /** A response whose status says what was done. */
  | { readonly kind: "answered"; readonly status: number; readonly answer: Answer | null }
  /** A 503, or an error that becomes one. */
  | { readonly kind: "unavailable" };

const HONEST = ["STORE_UNAVAILABLE", "NOT_READY", "QUERY_TOO_SLOW"];

export async function requestResult(request: Promise<Answer>): Promise<RequestResult> {
  const answer = await withinTimeLimit(request);
  if (answer.status !== 503) return { kind: "answered", status: answer.status, answer };
  assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.ok(HONEST.includes(answer.body.code), answer.text);
  return { kind: "unavailable" };
}

/** Resolves to the result of a call of the port, or of a verb without an operation. */
export async function callResult(call: Promise<unknown>): Promise<RequestResult> {
  try {
    await withinTimeLimit(call);
    return { kind: "answered", status: 200, answer: null };
  } catch (error) {
    const isHonest = error instanceof StoreUnavailable || error instanceof QueryTooSlow;
    assert.ok(isHonest, `expected a StoreUnavailable, got ${error}`);
    return { kind: "unavailable" };
  }
}

/** Fails if there is no response within the time limit of requests. */
async function withinTimeLimit<T>(work: Promise<T>): Promise<T> {
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
