import assert from "node:assert/strict";
import { createCatalog } from "@/lib/documents/catalog.ts";
import { LiveLists } from "@/lib/events/live/live_lists.ts";
import { createBodyBudget } from "@/lib/http/body_budget.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { createRequestShares } from "@/lib/http/request_shares.ts";
import { QUERY_LENGTH_MAX, REQUEST_TIMEOUT_MS } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import { createApp } from "@/routes/app.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { engineOver } from "../support/engine_over.ts";
import { hurried } from "../support/hurried.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { allowOnly } from "./origins.ts";
import { createTestCollection, refused, type TestCollection } from "./test_collection.ts";
import {
  admission,
  inProject,
  isDashboards,
  type Sample,
  sampleCalls,
  takesKey,
} from "./sample_calls.ts";
import { setAuth } from "./user_email.ts";

const SAMPLES = sampleCalls();
/** But logout, which refuses nothing. */
const WITH_BODY = SAMPLES.filter(({ operationId, call }) =>
  call.body !== undefined && operationId !== "logout"
);

/**
 * One test with a step for each operation, on one app: only for what leaves it as it was. What an
 * app begins in one step it may end in a later one, so leaks are looked for at the end of the test.
 */
function onEach(
  name: string,
  samples: readonly Sample[],
  check: (sample: Sample, app: TestApp, collection: TestCollection) => Promise<void>,
): void {
  Deno.test(name, async (t) => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    // What is off would be refused before the store is asked.
    await setAuth(app, collection.project, { anonymous: true });
    for (const sample of samples) {
      await t.step({
        name: sample.operationId,
        fn: () => check(sample, app, collection),
        sanitizeOps: false,
        sanitizeResources: false,
      });
    }
  });
}

/** A detail that must never leave the process. */
const DETAIL = "detail-of-a-failure /var/secret/place";

/** Sends a sample, with what its guard asks for, to an app over changed services. */
async function sendTo(
  services: Services,
  collection: TestCollection,
  sample: Sample,
): Promise<Answer> {
  const headers = await admission(sample, collection.project);
  const call = inProject(sample.call, collection.project.projectId);
  return await send(createApp(services), { ...call, headers });
}

/** The services over a store that fails whenever it is asked. */
function failing(services: Services, error: Error): Services {
  const fail = () => {
    throw error;
  };
  const reject = () => Promise.reject(error);
  const engine = engineOver(services.engine, {
    records: () => new Proxy({}, { get: () => reject }) as never, // Fails as any.
    transaction: reject,
    version: fail,
    foreignVersion: fail,
    bytes: reject,
    recount: reject,
    drop: reject,
    ping: reject,
  });
  const down: Services = {
    ...services,
    engine,
    catalog: createCatalog(engine, services.clock),
    signingKeys: { create: fail, find: () => Promise.reject(error) },
    liveLists: new LiveLists(() => down),
  };
  return down;
}

const withWork = (services: Services, error: Error): Services => ({
  ...services,
  deadlines: { within: () => Promise.reject(error), [Symbol.dispose]() {} },
});

onEach(
  "an unexpected failure is an opaque 500, with the details in the log",
  SAMPLES,
  async (sample, app, collection) => {
    let logged = "";
    using log = createLog("info", (text) => void (logged += text));
    const services = withWork({ ...app.services, log }, new TypeError(DETAIL));
    const answer = await sendTo(services, collection, sample);
    refused(answer, 500, "INTERNAL", "Something went wrong on our side.");
    assert.ok(!answer.text.includes("detail"));
    for (const value of answer.headers.values()) assert.ok(!value.includes("detail"));
    log.flush();
    const line = logged.split("\n").find((one) => one.includes("detail-of-a-failure"))!;
    assert.equal(JSON.parse(line).requestId, answer.headers.get("x-request-id"));
    assert.equal(JSON.parse(line).level, "error");
  },
);

const queried = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

onEach(
  "414 for a query beyond the limits, before anything looks at it",
  SAMPLES,
  (sample, app, collection) =>
    collection.untouched(async () => {
      for (const query of [`a=${"x".repeat(QUERY_LENGTH_MAX)}`, "a&".repeat(101)]) {
        const call = { ...sample.call, path: queried(sample.call.path, query) };
        const answer = await sendTo(app.services, collection, { ...sample, call });
        refused(answer, 414, "QUERY_TOO_LONG", "at most 32768 characters and 100 parameters");
      }
    }),
);

onEach("503 with Retry-After when it takes too long", SAMPLES, async (sample, app, collection) => {
  const late = withWork(app.services, new Problem("HANDLER_TIMEOUT"));
  const answer = await sendTo(late, collection, sample);
  refused(answer, 503, "HANDLER_TIMEOUT");
  assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
});

const asksStore = (sample: Sample): boolean =>
  takesKey(sample) || isDashboards(sample) || sample.operationId === "getJwks";

onEach(
  "503 with Retry-After when the store is unavailable",
  SAMPLES.filter(asksStore),
  (sample, app, collection) =>
    collection.untouched(async () => {
      const down = failing(app.services, new StoreUnavailable(DETAIL));
      const answer = await sendTo(down, collection, sample);
      refused(answer, 503, "STORE_UNAVAILABLE");
      assert.ok(!answer.text.includes("detail"));
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
      const broken = await sendTo(failing(app.services, new Error(DETAIL)), collection, sample);
      refused(broken, 500, "INTERNAL");
      assert.ok(!broken.text.includes("detail"));
    }),
);

Deno.test("a store that is away after the guard is 503 too, for every operation on documents", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  // The definition is known, so that only the documents cannot be reached.
  await app.services.catalog.find(collection.project.projectId, collection.name);
  const down = failing(app.services, new StoreUnavailable(DETAIL));
  const { catalog } = app.services;
  await collection.untouched(async () => {
    for (const sample of SAMPLES.filter(({ template }) => template.startsWith("/api/data/"))) {
      const answer = await sendTo({ ...down, catalog }, collection, sample);
      refused(answer, 503, "STORE_UNAVAILABLE");
    }
  });
});

/** A body that never comes to its end. */
const silence = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });

/** Runs `work` while every timer of the body's time limit fires at once. */
const impatiently = <T>(work: () => Promise<T>): Promise<T> => hurried(REQUEST_TIMEOUT_MS, 0, work);

async function sendAs(
  sample: Sample,
  app: TestApp,
  collection: TestCollection,
  change: Partial<Call>,
): Promise<Answer> {
  return await app.send({
    ...sample.call,
    path: inProject(sample.call, collection.project.projectId).path,
    headers: { ...await admission(sample, collection.project), ...change.headers as object },
    ...(change.body !== undefined && { body: change.body }),
  });
}

onEach(
  "408 when the body does not come",
  WITH_BODY,
  (sample, app, collection) =>
    collection.untouched(async () => {
      const answer = await impatiently(() => sendAs(sample, app, collection, { body: silence() }));
      refused(answer, 408, "REQUEST_TIMEOUT");
    }),
);

onEach(
  "503 with Retry-After while too much is under way",
  SAMPLES,
  async (sample, app, collection) => {
    const requestShares = createRequestShares({ max: 0, shareMax: 0 });
    await collection.untouched(async () => {
      const answer = await sendTo({ ...app.services, requestShares }, collection, sample);
      refused(answer, 503, "SERVER_BUSY");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    });
  },
);

onEach(
  "503 with Retry-After while the server holds too much",
  WITH_BODY,
  (sample, app, collection) =>
    collection.untouched(async () => {
      const bodyBudget = createBodyBudget({ bytesMax: 1, shareBytesMax: 1 });
      const answer = await sendTo({ ...app.services, bodyBudget }, collection, sample);
      refused(answer, 503, "SERVER_BUSY");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }),
);

onEach(
  "415 for a body that is packed",
  WITH_BODY,
  (sample, app, collection) =>
    collection.untouched(async () => {
      for (const encoding of ["gzip", "br", "GZIP", "identity, gzip", "x"]) {
        const headers = { "content-encoding": encoding };
        const answer = await sendAs(sample, app, collection, { headers });
        refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding");
      }
    }),
);

onEach(
  "415 for every type but JSON in UTF-8",
  WITH_BODY,
  (sample, app, collection) =>
    collection.untouched(async () => {
      const types = [
        "none",
        "",
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/x-json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/json; charset=iso-8859-1",
        "application/json, text/plain",
        "application/jsonx",
        "*/*",
      ];
      for (const type of types) {
        const answer = await sendAs(sample, app, collection, { headers: { "content-type": type } });
        assert.equal(answer.status, 415, type);
        refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE", "application/json");
      }
    }),
);

onEach(
  "400 for a body that is no JSON",
  WITH_BODY,
  (sample, app, collection) =>
    collection.untouched(async () => {
      const send = (body: Call["body"]) => sendAs(sample, app, collection, { body });
      const mayBeEmpty = sample.bodyIsOptional || sample.misshapen !== "INVALID_BODY";
      const empty = mayBeEmpty ? [] : [""];
      for (
        const body of [...empty, " ", "{", "[", "undefined", "{'a':1}", '{"a":1}{"b":2}', "\u0000"]
      ) {
        refused(await send(body), 400, "INVALID_JSON");
      }
      const broken = [[0xff, 0xfe], [0x22, 0xc3, 0x28, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]];
      for (const bytes of broken) {
        refused(await send(new Uint8Array(bytes)), 400, "INVALID_JSON");
      }
      const cut = new ReadableStream({ start: (stream) => stream.error(new Error("gone")) });
      refused(await send(cut), 400, "INVALID_JSON", "cut off");
    }),
);

onEach(
  "400 for JSON of another shape",
  WITH_BODY,
  (sample, app, collection) =>
    collection.untouched(async () => {
      for (const body of ["null", "1", "true", '"text"']) {
        refused(await sendAs(sample, app, collection, { body }), 400, sample.misshapen);
      }
    }),
);

for (const sample of WITH_BODY) {
  const { operationId } = sample;

  Deno.test(`${operationId}: its own time begins when the body has come`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    let restarts = 0;
    const deadlines = {
      within: <T>(work: (restart: () => void) => Promise<T>) => work(() => void restarts++),
      [Symbol.dispose]() {},
    };
    await sendTo({ ...app.services, deadlines }, collection, sample);
    assert.equal(restarts, 1);
  });

  Deno.test(`${operationId}: every spelling of JSON in UTF-8 is taken`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const types = [
      "application/json",
      "APPLICATION/JSON",
      "application/json;charset=utf-8",
      'application/json; charset="UTF-8"',
      " application/json ",
    ];
    for (const type of types) {
      const answer = await sendAs(sample, app, collection, { headers: { "content-type": type } });
      assert.notEqual(answer.status, 415, type);
    }
  });
}

/** Navigation, which has no origin that a page could be held to: any site may link to it. */
const FROM_ANYWHERE = ["startSignIn"];

onEach(
  "403 from an origin that the project does not list",
  SAMPLES.filter((sample) => takesKey(sample) && !FROM_ANYWHERE.includes(sample.operationId)),
  async (sample, app, collection) => {
    await allowOnly(app, collection.project, ["https://app.example"]);
    const { token } = await collection.project.user();
    const headers = {
      "x-api-key": collection.project.publishableKey,
      authorization: `Bearer ${token}`,
    };
    await collection.untouched(async () => {
      const foreign = { ...sample.call, headers: { ...headers, origin: "https://evil.example" } };
      refused(await app.send(foreign), 403, "ORIGIN_NOT_ALLOWED");
    });
  },
);

for (const sample of SAMPLES.filter(takesKey)) {
  Deno.test(`${sample.operationId}: 429 beyond the limit, and nothing is done`, async () => {
    await using app = await openTestApp({
      env: { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: "1" },
    });
    const collection = await createTestCollection(app);
    const { token } = await collection.project.user();
    await collection.asPublic({ path: "?count=true" });
    await collection.untouched(async () => {
      const answer = await app.send({
        ...sample.call,
        headers: {
          "x-api-key": collection.project.publishableKey,
          authorization: `Bearer ${token}`,
        },
      });
      refused(answer, 429, "RATE_LIMITED");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d?$/);
    });
  });
}
