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
import { withFasterTimers } from "../support/faster_timers.ts";
import type { TestOptions } from "../support/test_services.ts";
import { allowOrigins } from "./origins.ts";
import { refused, type TestCollection } from "./test_collection.ts";
import {
  guardHeaders,
  inProject,
  isDashboards,
  type Sample,
  sampleCalls,
  takesKey,
} from "./sample_calls.ts";
import { onEach, type OpenCollection, openCollection } from "./on_each.ts";
import { setAuth } from "./user_email.ts";

const SAMPLES = sampleCalls();
/** Samples with a body. Logout is left out, because it refuses nothing. */
const WITH_BODY = SAMPLES.filter(({ operationId, call }) =>
  call.body !== undefined && operationId !== "logout"
);

/** Opens the samples' collection, with every sign-in method enabled that samples need. */
async function open(options?: TestOptions): Promise<OpenCollection> {
  const collection = await openCollection(options);
  await setAuth(collection.app, collection.project, { anonymous: true });
  return collection;
}

/** Opens the samples' collection with an app over changed services for the test's own calls. */
async function openChanged(change: (services: Services) => Services): Promise<OpenCollection> {
  const collection = await open();
  const app = createApp(change(collection.app.services));
  return { ...collection, app: { ...collection.app, send: (call) => send(app, call) } };
}

/** An error message that must never leave the process. */
const DETAIL = "detail-of-a-failure /var/secret/place";

/** Sends a sample with the credentials that its guard requires. */
async function sendSample(
  { app, project }: TestCollection,
  { call, ...sample }: Sample,
  change: Partial<Call> = {},
): Promise<Answer> {
  return await app.send({
    ...inProject(call, project.projectId),
    ...change,
    headers: { ...await guardHeaders({ call, ...sample }, project), ...change.headers as object },
  });
}

function withFailingStore(services: Services, error: Error): Services {
  const fail = () => {
    throw error;
  };
  const reject = () => Promise.reject(error);
  const engine = engineOver(services.engine, {
    records: () => new Proxy({}, { get: () => reject }) as never,
    transaction: reject,
    externalCommitMark: fail,
    bytes: reject,
    recount: reject,
    dropDefinition: reject,
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

const withFailingHandlers = (services: Services, error: Error): Services => ({
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
      withFailingHandlers({ ...services, log }, new TypeError(DETAIL))
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
    const answer = await sendSample(collection, sample);
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

const withQuery = (path: string, query: string) =>
  `${path}${path.includes("?") ? "&" : "?"}${query}`;

onEach(
  "a query beyond the limits is refused with 414 before anything reads it",
  SAMPLES,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      for (const query of [`a=${"x".repeat(QUERY_LENGTH_MAX)}`, "a&".repeat(101)]) {
        const call = { ...sample.call, path: withQuery(sample.call.path, query) };
        const answer = await sendSample(collection, { ...sample, call });
        refused(answer, 414, "QUERY_TOO_LONG", "at most 32768 characters and 100 parameters");
      }
    }),
);

onEach(
  "a slow handler ends in 503 with Retry-After",
  SAMPLES,
  () => openChanged((services) => withFailingHandlers(services, new Problem("HANDLER_TIMEOUT"))),
  async (sample, collection) => {
    const answer = await sendSample(collection, sample);
    refused(answer, 503, "HANDLER_TIMEOUT");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
  },
);

const asksStore = (sample: Sample): boolean =>
  takesKey(sample) || isDashboards(sample) || sample.operationId === "getJwks";

onEach(
  "an unavailable store is 503 with Retry-After",
  SAMPLES.filter(asksStore),
  () => openChanged((services) => withFailingStore(services, new StoreUnavailable(DETAIL))),
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await sendSample(collection, sample);
      refused(answer, 503, "STORE_UNAVAILABLE");
      assert.ok(!answer.text.includes("detail"));
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }),
);

onEach(
  "a failing store is an opaque 500",
  SAMPLES.filter(asksStore),
  () => openChanged((services) => withFailingStore(services, new Error(DETAIL))),
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await sendSample(collection, sample);
      refused(answer, 500, "INTERNAL");
      assert.ok(!answer.text.includes("detail"));
    }),
);

Deno.test("a store that becomes unavailable after the guard is 503 for operations on documents", async () => {
  await using collection = await openChanged((services) => ({
    ...withFailingStore(services, new StoreUnavailable(DETAIL)),
    catalog: services.catalog,
  }));
  // The cached definition leaves only the documents unreachable.
  await collection.app.services.catalog.find(collection.project.projectId, collection.name);
  await collection.untouched(async () => {
    for (const sample of SAMPLES.filter(({ template }) => template.startsWith("/api/data/"))) {
      refused(await sendSample(collection, sample), 503, "STORE_UNAVAILABLE");
    }
  });
});

const endlessBody = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });

/** Runs `work` while every timer of the body's time limit fires immediately. */
const withImmediateTimeout = <T>(work: () => Promise<T>): Promise<T> =>
  withFasterTimers(REQUEST_TIMEOUT_MS, 0, work);

onEach(
  "a body that does not arrive is refused with 408",
  WITH_BODY,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await withImmediateTimeout(() =>
        sendSample(collection, sample, { body: endlessBody() })
      );
      refused(answer, 408, "REQUEST_TIMEOUT");
    }),
);

onEach(
  "a request beyond the limit of concurrent requests is 503 with Retry-After",
  SAMPLES,
  () =>
    openChanged((services) => ({
      ...services,
      requestShares: createRequestShares({ max: 0, shareMax: 0 }),
    })),
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await sendSample(collection, sample);
      refused(answer, 503, "SERVER_BUSY");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }),
);

onEach(
  "a body beyond the server's budget of bytes is 503 with Retry-After",
  WITH_BODY,
  () =>
    openChanged((services) => ({
      ...services,
      bodyBudget: createByteBudget({ bytesMax: 1, shareBytesMax: 1 }),
    })),
  (sample, collection) =>
    collection.untouched(async () => {
      const answer = await sendSample(collection, sample);
      refused(answer, 503, "SERVER_BUSY");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }),
);

onEach(
  "a compressed body is refused with 415",
  WITH_BODY,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      for (const encoding of ["gzip", "br", "GZIP", "identity, gzip", "x"]) {
        const headers = { "content-encoding": encoding };
        const answer = await sendSample(collection, sample, { headers });
        refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding");
      }
    }),
);

onEach(
  "every content type other than JSON in UTF-8 is refused with 415",
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
        const answer = await sendSample(collection, sample, { headers: { "content-type": type } });
        assert.equal(answer.status, 415, type);
        refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE", "application/json");
      }
    }),
);

onEach(
  "a body that is not JSON is refused with 400",
  WITH_BODY,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      const send = (body: Call["body"]) => sendSample(collection, sample, { body });
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
  "JSON of another shape is refused with 400",
  WITH_BODY,
  open,
  (sample, collection) =>
    collection.untouched(async () => {
      for (const body of ["null", "1", "true", '"text"']) {
        refused(await sendSample(collection, sample, { body }), 400, sample.misshapen);
      }
    }),
);

/** Opens an app whose handlers time out when their time begins, before they do anything. */
const openWithoutHandlers = async () => {
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
  "a handler's time begins after the body has arrived, in every spelling of JSON in UTF-8",
  WITH_BODY,
  openWithoutHandlers,
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
        const answer = await sendSample(collection, sample, { headers: { "content-type": type } });
        refused(answer, 503, "HANDLER_TIMEOUT");
        assert.equal(restarts.count, 1);
      }
    }),
);

/** Navigations, which have no origin: any site may link to them. */
const FROM_ANYWHERE = ["startSignIn"];

onEach(
  "an origin that the project does not list is refused with 403",
  SAMPLES.filter((sample) => takesKey(sample) && !FROM_ANYWHERE.includes(sample.operationId)),
  async () => {
    const collection = await open();
    await allowOrigins(collection.app, collection.project, ["https://app.example"]);
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
  "a request beyond the rate limit is refused with 429 and has no effect",
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
