/**
 * Every operation of the contract and every page, with the dearest requests that their limits let
 * in: none may hold up the others. An operation that is added is in here too.
 */

import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/accounts/records.ts";
import { FORM_BYTES_MAX, IMPORT_BYTES_MAX } from "@/lib/limits.ts";
import { eq } from "@/lib/store/filter.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import { createApp } from "@/routes/app.ts";
import { admission, inProject, type Sample, sampleCalls } from "../api/sample_calls.ts";
import { callOf, openHousehold, type Row, ROWS } from "../pages/every_page.ts";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { type Cost, costOf, settle } from "./cost.ts";
import {
  type Hostile,
  hostileBodies,
  hostileForms,
  hostileHeaders,
  hostileQueries,
  hostileUploads,
  UPLOAD_TYPE,
} from "./hostile_requests.ts";

const PROCESSOR_MS_MAX = 250;
const BYTES_MAX = 64 * 1_048_576;

/** Enough to see what is wrong. */
const FAILURES_TOLD = 5;

/** How often a request that took too much is tried: what else the process did is no fault. */
const TRIES = 3;

const HOUR = 3_600_000;

interface Request {
  readonly what: string;
  readonly call: Call;
}

type SendRaw = (call: Call) => Promise<number>;

/**
 * Sends to the app without looking at the answer, which would cost time of its own. Who has asked
 * too often asks again an hour later.
 */
function rawSender({ services, clock }: TestApp): SendRaw {
  const app = createApp(services);
  const sendOnce: SendRaw = async ({ method = "GET", path, headers, body }) => {
    const init: RequestInit = { method, headers: new Headers(headers) };
    if (body !== undefined) init.body = body as string;
    const request = new Request("http://localhost:8000/", init);
    // `Request` would take the address apart first.
    Object.defineProperty(request, "url", { value: `http://localhost:8000${path}` });
    const response = await app(request, { remoteAddr: { hostname: "127.0.0.1" } });
    for await (const _ of response.body ?? []);
    return response.status;
  };
  return async (call) => {
    const status = await sendOnce(call);
    if (status !== 429) return status;
    clock.advance(HOUR);
    return await sendOnce(call);
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
      if (tries < TRIES) {
        settle();
        continue;
      }
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
  // A server takes up to a hundred.
  const many = Array.from({ length: 90 }, (_, i) => [`x-${i}`, "a"] as [string, string]);
  yield {
    what: "many headers",
    call: { ...call, headers: [...new Headers(call.headers), ...many] },
  };
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
  const stored = await project.asSecret({ path: "/api/data/posts/bulk", body: { documents } });
  return { app, project, documentId: stored.body.data.ids[0] as string };
}

/** The id at the end of a document's path. */
const OF_DOCUMENT = /(?<=\/posts\/(?:documents\/)?)[0-9a-f]{24}/;

for (const sample of sampleCalls()) {
  Deno.test(`${sample.operationId}: no request of the allowed size takes long or much`, async () => {
    const { app, project, documentId } = await openRoomyApp();
    await using _app = app;
    const { path, ...rest } = inProject(sample.call, project.projectId);
    const call = { ...rest, path: path.replace(OF_DOCUMENT, documentId) };
    const headers = { "content-type": "application/json", ...await admission(sample, project) };
    const send = rawSender(app);
    await send({ ...call, headers, body: undefined }); // What is loaded at the first request.
    assert.deepEqual(await failuresOf(send, requestsOf(sample, { ...call, headers })), []);
  });
}

/** Forms with a file, by the end of their paths, and how many bytes they take. */
const UPLOADS: readonly (readonly [string, number])[] = [
  ["/files", FORM_BYTES_MAX],
  ["/import", IMPORT_BYTES_MAX],
  ["/import/run", FORM_BYTES_MAX],
];

function* browserRequests(
  { method, template }: Row,
  call: Call,
  names: readonly string[],
): Generator<Request> {
  yield* around(call);
  if (method === "GET") return;
  const upload = UPLOADS.find(([end]) => template.endsWith(end));
  if (upload === undefined) {
    for (const { what, text } of hostileForms(names, FORM_BYTES_MAX)) {
      yield { what, call: { ...call, body: text } };
    }
    return;
  }
  const headers = [...new Headers(call.headers)].filter(([name]) => name !== "content-type");
  for (const { what, text } of hostileUploads(upload[1])) {
    const more = [["content-type", UPLOAD_TYPE], ["content-length", `${text.length}`]];
    yield {
      what,
      call: { ...call, headers: [...headers, ...more] as [string, string][], body: text },
    };
  }
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
    assert.deepEqual(await failuresOf(send, browserRequests(row, call, names)), []);
  });
}
