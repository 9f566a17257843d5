import assert from "node:assert/strict";
import { createCatalog } from "@/lib/documents/catalog.ts";
import { LiveLists } from "@/lib/events/live/live_lists.ts";
import { createByteBudget } from "@/lib/http/byte_budget.ts";
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
import type { TestOptions } from "../support/test_services.ts";
import { allowOnly } from "./origins.ts";
import { refused, type TestCollection } from "./test_collection.ts";
import {
  admission,
  inProject,
  isDashboards,
  type Sample,
  sampleCalls,
  takesKey,
} from "./sample_calls.ts";
import { onEach, type OpenCollection, openCollection } from "./on_each.ts";
import { setAuth } from "./user_email.ts";

const SAMPLES = sampleCalls();
/** But logout, which refuses nothing. */
const WITH_BODY = SAMPLES.filter(({ operationId, call }) =>
  call.body !== undefined && operationId !== "logout"
);

/** The samples' collection, where nothing that a sample asks for is off. */
async function open(options?: TestOptions): Promise<OpenCollection> {
  const collection = await openCollection(options);
  await setAuth(collection.app, collection.project, { anonymous: true });
  return collection;
}

/** The same, with an app over changed services for what a test sends itself. */
async function openChanged(change: (services: Services) => Services): Promise<OpenCollection> {
  const collection = await open();
  const app = createApp(change(collection.app.services));
  return { ...collection, app: { ...collection.app, send: (call) => send(app, call) } };
}

/** A detail that must never leave the process. */
const DETAIL = "detail-of-a-failure /var/secret/place";

/** Sends a sample with what its guard asks for. */
async function sendTo(
  { app, project }: TestCollection,
  { call, ...sample }: Sample,
  change: Partial<Call> = {},
): Promise<Answer> {
  return await app.send({
    ...inProject(call, project.projectId),
    ...change,
    headers: { ...await admission({ call, ...sample }, project), ...change.headers as object },
  });
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
    commitsOfOthers: fail,
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
  async () => {
    let logged = "";
    const log = createLog("info", (text) => void (logged += text));
    const collection = await openChanged((services) =>
      withWork({ ...services, log }, new TypeError(DETAIL))
    );
    const lines = () => {
      log.flush();
      return logged.split("\n");
    };
    const end = async () => {
      await collection[Symbol.asyncDispose]();
      log[Symbol.dispose]();
    };
    return { ...collection, lines, [Symbol.asyncDispose]: end };
  },
  async (sample, { lines, ...collection }) => {
    const answer = await sendTo(collection, sample);
    refused(answer, 500, "INTERNAL", "Something went wrong on our side.");
    assert.ok(!answer.text.includes("detail"));
    for (const value of answer.headers.values()) assert.ok(!value.includes("detail"));
    const requestId = answer.headers.get("x-request-id")!;
    const line = lines().find((one) =>
      one.includes(requestId) && one.includes("detail-of-a-failure")
    )!;
    assert.equal(JSON.parse(line).requestId, requestId);
    assert.equal(JSON.parse(line).level, "error");
  },
);

const queried = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

onEach(
  "414 for a query beyond the limits, before anything looks at it",
  SAMPLES,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      for (const query of [`a=${"x".repeat(QUERY_LENGTH_MAX)}`, "a&".repeat(101)]) {
        const call = { ...sample.call, path: queried(sample.call.path, query) };
        const answer = await sendTo(collection, { ...sample, call });
        refused(answer, 414, "QUERY_TOO_LONG", "at most 32768 characters and 100 parameters");
      }
    }),
);

onEach(
  "503 with Retry-After when it takes too long",
  SAMPLES,
  () => openChanged((services) => withWork(services, new Problem("HANDLER_TIMEOUT"))),
  async (sample, collection) => {
    const answer = await sendTo(collection, sample);
    refused(answer, 503, "HANDLER_TIMEOUT");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
  },
);

const asksStore = (sample: Sample): boolean =>
  takesKey(sample) || isDashboards(sample) || sample.operationId === "getJwks";

onEach(
  "503 with Retry-After when the store is unavailable",
  SAMPLES.filter(asksStore),
  () => openChanged((services) => failing(services, new StoreUnavailable(DETAIL))),
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await sendTo(collection, sample);
      refused(answer, 503, "STORE_UNAVAILABLE");
      assert.ok(!answer.text.includes("detail"));
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }),
);

onEach(
  "an opaque 500 when the store fails",
  SAMPLES.filter(asksStore),
  () => openChanged((services) => failing(services, new Error(DETAIL))),
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await sendTo(collection, sample);
      refused(answer, 500, "INTERNAL");
      assert.ok(!answer.text.includes("detail"));
    }),
);

Deno.test("a store that is away after the guard is 503 too, for every operation on documents", async () => {
  await using collection = await openChanged((services) => ({
    ...failing(services, new StoreUnavailable(DETAIL)),
    catalog: services.catalog,
  }));
  // The definition is known, so that only the documents cannot be reached.
  await collection.app.services.catalog.find(collection.project.projectId, collection.name);
  await collection.untouched(async () => {
    for (const sample of SAMPLES.filter(({ template }) => template.startsWith("/api/data/"))) {
      refused(await sendTo(collection, sample), 503, "STORE_UNAVAILABLE");
    }
  });
});

/** A body that never comes to its end. */
const silence = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });

/** Runs `work` while every timer of the body's time limit fires at once. */
const impatiently = <T>(work: () => Promise<T>): Promise<T> => hurried(REQUEST_TIMEOUT_MS, 0, work);

onEach(
  "408 when the body does not come",
  WITH_BODY,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await impatiently(() => sendTo(collection, sample, { body: silence() }));
      refused(answer, 408, "REQUEST_TIMEOUT");
    }),
);

onEach(
  "503 with Retry-After while too much is under way",
  SAMPLES,
  () =>
    openChanged((services) => ({
      ...services,
      requestShares: createRequestShares({ max: 0, shareMax: 0 }),
    })),
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await sendTo(collection, sample);
      refused(answer, 503, "SERVER_BUSY");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }),
);

onEach(
  "503 with Retry-After while the server holds too much",
  WITH_BODY,
  () =>
    openChanged((services) => ({
      ...services,
      bodyBudget: createByteBudget({ bytesMax: 1, shareBytesMax: 1 }),
    })),
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await sendTo(collection, sample);
      refused(answer, 503, "SERVER_BUSY");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }),
);

onEach(
  "415 for a body that is packed",
  WITH_BODY,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      for (const encoding of ["gzip", "br", "GZIP", "identity, gzip", "x"]) {
        const headers = { "content-encoding": encoding };
        const answer = await sendTo(collection, sample, { headers });
        refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding");
      }
    }),
);

onEach(
  "415 for every type but JSON in UTF-8",
  WITH_BODY,
  open,
  (sample, collection) =>
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
        const answer = await sendTo(collection, sample, { headers: { "content-type": type } });
        assert.equal(answer.status, 415, type);
        refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE", "application/json");
      }
    }),
);

onEach(
  "400 for a body that is no JSON",
  WITH_BODY,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      const send = (body: Call["body"]) => sendTo(collection, sample, { body });
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
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      for (const body of ["null", "1", "true", '"text"']) {
        refused(await sendTo(collection, sample, { body }), 400, sample.misshapen);
      }
    }),
);

/** Whose handlers are given up when their own time begins, before they do anything. */
const givenUp = async () => {
  const restarts = { count: 0 };
  const restart = () => {
    restarts.count++;
    throw new Problem("HANDLER_TIMEOUT");
  };
  const deadlines: Services["deadlines"] = {
    within: (work) => work(restart),
    [Symbol.dispose]() {},
  };
  return { ...await openChanged((services) => ({ ...services, deadlines })), restarts };
};

onEach(
  "its own time begins when the body has come, in every spelling of JSON in UTF-8",
  WITH_BODY,
  givenUp,
  (sample, { restarts, ...collection }) =>
    collection.untouched(async () => {
      const types = [
        "application/json",
        "APPLICATION/JSON",
        "application/json;charset=utf-8",
        'application/json; charset="UTF-8"',
        " application/json ",
      ];
      for (const type of types) {
        restarts.count = 0;
        const answer = await sendTo(collection, sample, { headers: { "content-type": type } });
        refused(answer, 503, "HANDLER_TIMEOUT");
        assert.equal(restarts.count, 1);
      }
    }),
);

/** Navigation, which has no origin that a page could be held to: any site may link to it. */
const FROM_ANYWHERE = ["startSignIn"];

onEach(
  "403 from an origin that the project does not list",
  SAMPLES.filter((sample) => takesKey(sample) && !FROM_ANYWHERE.includes(sample.operationId)),
  async () => {
    const collection = await open();
    await allowOnly(collection.app, collection.project, ["https://app.example"]);
    return collection;
  },
  async (sample, { app, project, untouched }) => {
    const { token } = await project.user();
    const headers = { "x-api-key": project.publishableKey, authorization: `Bearer ${token}` };
    await untouched(async () => {
      const foreign = { ...sample.call, headers: { ...headers, origin: "https://evil.example" } };
      refused(await app.send(foreign), 403, "ORIGIN_NOT_ALLOWED");
    });
  },
);

onEach(
  "429 beyond the limit, and nothing is done",
  SAMPLES.filter(takesKey),
  () => open({ env: { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: "1" } }),
  async (sample, { app, project, asPublic, untouched }) => {
    app.clock.advance(60_000);
    const { token } = await project.user();
    await asPublic({ path: "?count=true" });
    await untouched(async () => {
      const answer = await app.send({
        ...sample.call,
        headers: { "x-api-key": project.publishableKey, authorization: `Bearer ${token}` },
      });
      refused(answer, 429, "RATE_LIMITED");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d?$/);
    });
  },
);
