/**
 * Sends the most expensive allowed requests to every operation and every page. None may delay other
 * requests. New operations are included automatically.
 */

import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { eq } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { guardHeaders, inProject, sampleCalls } from "../api/sample_calls.ts";
import { callOf, openHousehold, ROWS } from "../pages/every_page.ts";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { RUNS } from "../property/run.ts";
import { costOf, prepareMeasurement, type ProcessCost } from "./cost.ts";
import { type HostileCall, hostileCalls, hostileVisits, type SizeOf } from "./hostile_calls.ts";

/** Bounds of a request with the longest allowed body. Other requests wait for its thread. */
const LONG: Bounds = { processorMs: 250, threadMs: 250, bytes: 64 * 1_048_576 };
const SHORT: Bounds = { ...LONG, threadMs: 64 };
const SHORT_BODY_BYTES = SMALL_BODY_BYTES_MAX;

type Bounds = ProcessCost;

const PRINTED_FAILURES_MAX = 5;

/** Number of attempts of a costly request, because the process does other work too. */
const TRIES = 3;

const HOUR = 3_600_000;

type SendRaw = (call: Call) => Promise<number>;

/** Returns a function that sends without parsing the response, and advances past rate limits. */
function rawSender({ services, clock }: TestApp): SendRaw {
  const app = createApp(services);
  const sendOnce: SendRaw = async ({ method = "GET", path, headers = {}, body }) => {
    const init = { method, headers, body: body as string };
    const request = new Request("http://localhost:8000/", init);
    // A server sets the length.
    if (typeof body === "string") request.headers.set("content-length", `${body.length}`);
    // `Request` would normalize the address.
    Object.defineProperty(request, "url", { value: `http://localhost:8000${path}` });
    const response = await app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
    // An endless response is canceled after its start.
    const isEndless = response.headers.get("content-type") === "text/event-stream";
    for await (const _ of response.body ?? []) if (isEndless) break;
    return response.status;
  };
  return async (call) => {
    const status = await sendOnce(call);
    if (status !== 429) return status;
    clock.advance(HOUR);
    return await sendOnce(call);
  };
}

const exceedsBounds = (cost: ProcessCost, bounds: Bounds): boolean =>
  cost.processorMs > bounds.processorMs || cost.threadMs > bounds.threadMs ||
  cost.bytes > bounds.bytes;

interface Attack {
  readonly send: SendRaw;
  readonly requests: Iterable<HostileCall>;
  readonly bounds: Bounds;
}

/** Returns the requests that exceed the bounds or get a 5xx. */
async function failuresOf({ send, requests, bounds }: Attack): Promise<string[]> {
  const failures: string[] = [];
  for (const { what, call } of requests) {
    if (failures.length === PRINTED_FAILURES_MAX) break;
    for (let tries = 1;; tries++) {
      let status = 0;
      const cost = await costOf(async () => status = await send(call));
      if (status === 500) failures.push(`${what}: 500`);
      if (!exceedsBounds(cost, bounds)) break;
      if (tries < TRIES) {
        prepareMeasurement();
        continue;
      }
      const [all, own] = [cost.processorMs, cost.threadMs].map(Math.round);
      const times = `${all} ms, ${own} of this thread`;
      failures.push(`${what}: ${status}, ${times}, ${Math.round(cost.bytes / 1_048_576)} MiB`);
      break;
    }
  }
  return failures;
}

/** The longest bodies take twice as long to test and run only in the full matrix. */
const SIZES: readonly (readonly [Bounds, SizeOf])[] = [
  [SHORT, (bytesMax) => Math.min(bytesMax, SHORT_BODY_BYTES)],
  ...(RUNS > 100 ? [[LONG, (bytesMax: number) => bytesMax] as const] : []),
];

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

const OF_DOCUMENT = /(?<=\/posts\/(?:documents\/)?)[0-9a-f]{24}/;

for (const sample of sampleCalls()) {
  Deno.test(`${sample.operationId}: no request of an allowed size is slow or large`, async () => {
    const { app, project, documentId } = await openRoomyApp();
    await using _app = app;
    const { path, ...rest } = inProject(sample.call, project.projectId);
    const call = { ...rest, path: path.replace(OF_DOCUMENT, documentId) };
    const headers = { "content-type": "application/json", ...await guardHeaders(sample, project) };
    const send = rawSender(app);
    for (const [bounds, sizeOf] of SIZES) {
      // The first request loads modules and is not measured.
      await send({ ...call, headers, body: undefined });
      const requests = hostileCalls(sample, { ...call, headers }, sizeOf);
      assert.deepEqual(await failuresOf({ send, requests, bounds }), []);
    }
  });
}

for (const row of ROWS) {
  Deno.test(`${row.method} ${row.template}: no browser request is slow or large`, async () => {
    await using app = await openTestApp();
    const household = await openHousehold(app);
    const { cookie } = household.owner;
    const call = callOf(row, household, { headers: [["cookie", cookie]] });
    const send = rawSender(app);
    for (const [bounds, sizeOf] of SIZES) {
      await send(call);
      const requests = hostileVisits(row, call, sizeOf);
      assert.deepEqual(await failuresOf({ send, requests, bounds }), []);
    }
  });
}
