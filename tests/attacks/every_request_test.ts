/**
 * Every operation of the contract and every page, with the dearest requests that their limits let
 * in: none may hold up the others. An operation that is added is in here too.
 */

import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { eq } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { admission, inProject, sampleCalls } from "../api/sample_calls.ts";
import { callOf, openHousehold, ROWS } from "../pages/every_page.ts";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { type Cost, costOf, settle } from "./cost.ts";
import { type HostileCall, hostileCalls, hostileVisits } from "./hostile_calls.ts";

const PROCESSOR_MS_MAX = 250;
const BYTES_MAX = 64 * 1_048_576;

/** Enough to see what is wrong. */
const FAILURES_TOLD = 5;

/** How often a request that took too much is tried: what else the process did is no fault. */
const TRIES = 3;

const HOUR = 3_600_000;

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
    const response = await app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
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
async function failuresOf(send: SendRaw, requests: Iterable<HostileCall>): Promise<string[]> {
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
    assert.deepEqual(await failuresOf(send, hostileCalls(sample, { ...call, headers })), []);
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
    assert.deepEqual(await failuresOf(send, hostileVisits(row, call)), []);
  });
}
