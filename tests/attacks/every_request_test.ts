/**
 * Every operation of the contract and every page, with the dearest requests that their limits let
 * in: none may hold up the others. An operation that is added is in here too.
 */

import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/accounts/records.ts";
import { FORM_BYTES_MAX } from "@/lib/limits.ts";
import { eq } from "@/lib/store/filter.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import { createApp } from "@/routes/app.ts";
import { admission, inProject, type Sample, sampleCalls } from "../api/sample_calls.ts";
import { callOf, openHousehold, ROWS } from "../pages/every_page.ts";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { type Cost, costOf } from "./cost.ts";
import {
  type Hostile,
  hostileBodies,
  hostileForms,
  hostileHeaders,
  hostileQueries,
} from "./hostile_requests.ts";

const PROCESSOR_MS_MAX = 250;
const BYTES_MAX = 64 * 1_048_576;

/** Enough to see what is wrong. */
const FAILURES_TOLD = 5;

/** How often a request that took too much is tried again: what else the process did is no fault. */
const TRIES = 3;

interface Request {
  readonly what: string;
  readonly call: Call;
}

type SendRaw = (call: Call) => Promise<number>;

/** Sends to the app without looking at the answer, which would cost time of its own. */
function rawSender({ services }: TestApp): SendRaw {
  const app = createApp(services);
  return async ({ method = "GET", path, headers, body }) => {
    const init: RequestInit = { method, headers: new Headers(headers) };
    if (body !== undefined) init.body = body as string;
    const request = new Request("http://localhost:8000/", init);
    // `Request` would take the address apart first.
    Object.defineProperty(request, "url", { value: `http://localhost:8000${path}` });
    const response = await app(request, { remoteAddr: { hostname: "127.0.0.1" } });
    for await (const _ of response.body ?? []);
    return response.status;
  };
}

const isDear = ({ processorMs, bytes }: Cost): boolean =>
  processorMs > PROCESSOR_MS_MAX || bytes > BYTES_MAX;

/** What of the requests takes too much, or is answered with a failure of our own. */
async function failuresOf(send: SendRaw, requests: Iterable<Request>): Promise<string[]> {
  const failures: string[] = [];
  for (const { what, call } of requests) {
    if (failures.length === FAILURES_TOLD) break;
    for (let tries = 1;; tries++) {
      let status = 0;
      const cost = await costOf(async () => status = await send(call));
      if (status === 500) failures.push(`${what}: 500`);
      if (!isDear(cost)) break;
      if (tries < TRIES) continue;
      const { processorMs, bytes } = cost;
      failures.push(
        `${what}: ${status}, ${Math.round(processorMs)} ms, ${Math.round(bytes / 1_048_576)} MiB`,
      );
      break;
    }
  }
  return failures;
}

const withQuery = (path: string, { text }: Hostile): string =>
  `${path}${path.includes("?") ? "&" : "?"}${text}`;

/** With what is too long, or repeated, around a call. */
function* around(call: Call): Generator<Request> {
  for (const query of hostileQueries("title")) {
    yield { what: `?${query.what}`, call: { ...call, path: withQuery(call.path, query) } };
  }
  for (const { what, name, text } of hostileHeaders()) {
    const headers = [...new Headers(call.headers)].filter(([other]) => other !== name);
    yield { what, call: { ...call, headers: [...headers, [name, text]] } };
  }
}

function* requestsOf(sample: Sample, call: Call): Generator<Request> {
  yield* around({ ...call, ...(call.body !== undefined && { body: JSON.stringify(call.body) }) });
  const bytesMax = CONTRACTS.find(({ operationId }) => operationId === sample.operationId)!
    .body?.bytesMax;
  if (bytesMax === undefined) return;
  for (const { what, text } of hostileBodies(call.body, bytesMax)) {
    yield { what: `${what}, ${text.length} bytes`, call: { ...call, body: text } };
  }
}

/** An app with a project whose plan has room for all that is sent. */
async function openRoomyApp() {
  const app = await openTestApp();
  const project = await app.project();
  const { accountId } = await project.owner();
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", accountId), { set: { plan: "pro" } });
  await project.collection({
    name: "posts",
    fields: [{ key: "title", type: "String", index: true }, { key: "views", type: "Number" }],
    strict: false,
  });
  const documents = Array.from({ length: 100 }, (_, i) => ({ title: `t${i}`, views: i }));
  await project.asSecret({ path: "/api/data/posts/bulk", body: { documents } });
  return { app, project };
}

for (const sample of sampleCalls()) {
  Deno.test(`${sample.operationId}: no request of the allowed size takes long or much`, async () => {
    const { app, project } = await openRoomyApp();
    await using _app = app;
    const call = inProject(sample.call, project.projectId);
    const headers = { "content-type": "application/json", ...await admission(sample, project) };
    const send = rawSender(app);
    await send({ ...call, headers, body: undefined }); // What is loaded at the first request.
    assert.deepEqual(await failuresOf(send, requestsOf(sample, { ...call, headers })), []);
  });
}

for (const row of ROWS) {
  Deno.test(`${row.method} ${row.template}: nothing that a browser can send takes long or much`, async () => {
    await using app = await openTestApp();
    const household = await openHousehold(app);
    const { cookie } = household.owner;
    const call = callOf(row, household, { headers: [["cookie", cookie]] });
    const send = rawSender(app);
    await send(call);
    const names = [...new URLSearchParams(String(call.body ?? "")).keys()];
    const forms = row.method === "GET" ? [] : [...hostileForms(names, FORM_BYTES_MAX)];
    const requests = [
      ...around(call),
      ...forms.map(({ what, text }) => ({ what, call: { ...call, body: text } })),
    ];
    assert.deepEqual(await failuresOf(send, requests), []);
  });
}
