/** What would hold the event loop up is handed over to another thread, with nothing lost on the way. */

import assert from "node:assert/strict";
import { loadConfig } from "@/lib/runtime/config.ts";
import { createByteBudget } from "@/lib/http/byte_budget.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import {
  SERVED_BYTES_MAX,
  SERVED_PARSED_BYTES_MAX,
  SERVED_READ_VALUES_MAX,
  SERVED_WRITTEN_VALUES_MAX,
} from "@/lib/long_work.ts";
import { openServices } from "@/lib/services.ts";
import { createApp } from "@/routes/app.ts";
import type { Offload, OffloadedRequest } from "@/routes/offload.ts";
import { refused, times } from "../api/test_collection.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";

/** Answers by an app of its own what is handed over, and keeps it. */
function recorded(app: TestApp) {
  const handedOver: OffloadedRequest[] = [];
  const elsewhere = createApp(app.services);
  const offload: Offload = {
    async answer(request) {
      handedOver.push(request);
      const { url, method, headers, body, requestId, hostname } = request;
      const init = {
        method,
        headers: headers as [string, string][],
        body: body.length === 0 ? null : new Blob([...body]),
      };
      const response = await elsewhere.fetch(
        new Request(url, init),
        { remoteAddr: { hostname }, requestId },
      );
      const code = response.ok ? null : (await response.clone().json()).code;
      return { response, problem: code };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { offload, handedOver };
}

interface Served extends AsyncDisposable {
  readonly app: TestApp;
  readonly project: TestProject;
  readonly handedOver: readonly OffloadedRequest[];
  readonly logged: readonly Record<string, unknown>[];
  call(call: Call, key?: string): Promise<Answer>;
}

/** An app that serves beside another thread, with a collection of `posts`. */
async function openServed(bodyBytesMax?: number): Promise<Served> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await openTestApp());
  const project = await app.project();
  await project.collection({ name: "posts", rls: { mode: "public-read" }, strict: false });
  const logged: Record<string, unknown>[] = [];
  const log = createLog("info", (text) => {
    for (const line of text.trimEnd().split("\n")) logged.push(JSON.parse(line));
  });
  const services = opened.use(
    await openServices(loadConfig(app.store.settings), {
      log,
      clock: app.clock,
      parsedBytesMax: SERVED_PARSED_BYTES_MAX,
    }),
  );
  const { offload, handedOver } = recorded(app);
  const bodyBudget = bodyBytesMax === undefined
    ? services.bodyBudget
    : createByteBudget({ bytesMax: bodyBytesMax, shareBytesMax: bodyBytesMax });
  const serve = createApp({ ...services, bodyBudget }, { offload });
  const disposed = opened.move();
  return {
    app,
    project,
    handedOver,
    get logged() {
      log.flush();
      return logged;
    },
    call(call, key = project.secretKey) {
      const headers = new Headers(call.headers);
      headers.set("x-api-key", key);
      // A server knows the length of a body that does not come in chunks.
      if (call.body !== undefined && !(call.body instanceof ReadableStream)) {
        headers.set("content-length", `${JSON.stringify(call.body).length}`);
      }
      return send(serve, { ...call, headers });
    },
    async [Symbol.asyncDispose]() {
      await disposed[Symbol.asyncDispose]();
      log[Symbol.dispose]();
    },
  };
}

const POSTS = "/api/data/posts";
const text = (length: number) => "a".repeat(length);

Deno.test("a long body is handed over whole, a short one is not", async () => {
  await using served = await openServed();
  const short = await served.call({ path: POSTS, body: { text: text(1000) } });
  assert.equal(short.status, 201);
  assert.equal(served.handedOver.length, 0);
  const long = await served.call({ path: POSTS, body: { text: text(SMALL_BODY_BYTES_MAX) } });
  assert.equal(long.status, 201);
  assert.equal(long.body.data.text.length, SMALL_BODY_BYTES_MAX);
  const length = new TextEncoder().encode(long.text).length;
  assert.equal(long.headers.get("content-length"), `${length}`);
  assert.equal(served.handedOver.length, 1);
  const found = await served.call({ path: `${POSTS}/${long.body.data._id}` });
  assert.equal(found.body.data.text.length, SMALL_BODY_BYTES_MAX);
  assert.equal(served.handedOver.length, 1);
});

/** An object of so many members, none of them long. */
const members = (count: number) => Object.fromEntries(times(count, (i) => [`m${i}`, 0]));

Deno.test("a short body of many values is handed over, once it was read", async () => {
  await using served = await openServed();
  const few = await served.call({ path: POSTS, body: members(SERVED_WRITTEN_VALUES_MAX / 2) });
  assert.equal(few.status, 201);
  assert.equal(served.handedOver.length, 0);
  const body = members(SERVED_WRITTEN_VALUES_MAX + 1);
  assert.ok(JSON.stringify(body).length < SMALL_BODY_BYTES_MAX / 2);
  const many = await served.call({ path: POSTS, body });
  assert.equal(many.status, 201);
  assert.equal(served.handedOver.length, 1);
  const found = await served.call({ path: `${POSTS}/${many.body.data._id}` });
  assert.deepEqual(found.body.data, many.body.data);
});

Deno.test("a short change of many levels is handed over", async () => {
  await using served = await openServed();
  const { body } = await served.call({ path: POSTS, body: { n: 1 } });
  const levels = "a.".repeat(18);
  const change = Object.fromEntries(times(500, (i) => [`${levels}b${i}`, 0]));
  const path = `${POSTS}/${body.data._id}`;
  const answer = await served.call({ method: "PATCH", path, body: change });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(served.handedOver.length, 1);
});

Deno.test("a body of unknown length is handed over", async () => {
  await using served = await openServed();
  const body = new Blob(['{"text":"a"}']).stream();
  const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
  const answer = await served.call({ method: "POST", path: POSTS, headers, body });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(served.handedOver.length, 1);
});

Deno.test("a request that is handed over has one id, one line in the log and the caller's limits", async () => {
  await using served = await openServed();
  const body = { $title: text(SMALL_BODY_BYTES_MAX) };
  const headers = { origin: "https://app.example" };
  const answer = await served.call({ path: POSTS, body, headers });
  refused(answer, 400, "INVALID_DOCUMENT");
  const id = answer.headers.get("x-request-id");
  assert.equal(answer.headers.get("access-control-allow-origin"), "https://app.example");
  assert.equal(served.handedOver[0]!.requestId, id);
  const lines = served.logged.filter(({ requestId }) => requestId === id);
  assert.equal(lines.length, 1);
  const { operation, status, problem, project, caller } = lines[0]!;
  assert.deepEqual([operation, status, problem, project, caller], [
    "createDocument",
    400,
    "INVALID_DOCUMENT",
    served.project.projectId,
    "secret",
  ]);
});

Deno.test("nobody is handed over whom the guard refuses", async () => {
  await using served = await openServed();
  const body = { text: text(SMALL_BODY_BYTES_MAX) };
  refused(await served.call({ path: POSTS, body }, "pk_live_nothing"), 401, "API_KEY_INVALID");
  assert.equal(served.handedOver.length, 0);
});

Deno.test("a long body of another type is refused unread", async () => {
  await using served = await openServed();
  const headers = { "content-type": "text/plain", "transfer-encoding": "chunked" };
  const body = new ReadableStream<Uint8Array>(); // It never comes.
  const answer = await served.call({ method: "POST", path: POSTS, headers, body });
  refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
  assert.equal(served.handedOver.length, 0);
});

Deno.test("bodies that are handed over count towards those that a process holds", async () => {
  await using served = await openServed(100_000);
  const declared = await served.call({ path: POSTS, body: { text: text(100_000) } });
  refused(declared, 503, "SERVER_BUSY");
  assert.equal(served.handedOver.length, 0);
  const body = new Blob([`{"text":"${text(100_000)}"}`]).stream();
  const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
  refused(
    await served.call({ method: "POST", path: POSTS, headers, body }),
    503,
    "SERVER_BUSY",
  );
  const fitting = await served.call({ path: POSTS, body: { text: text(90_000) } });
  assert.equal(fitting.status, 201, "what was held is given back");
});

Deno.test("parts of large documents are made in another thread, whatever asks for them", async () => {
  await using served = await openServed();
  const half = { n: 1, text: text(SERVED_PARSED_BYTES_MAX / 2) };
  for (let i = 0; i < 3; i++) await served.project.asSecret({ path: POSTS, body: half });
  const one = await served.call({ path: `${POSTS}?limit=1&fields=n` });
  assert.equal(one.body.data.items.length, 1);
  assert.equal(served.handedOver.length, 0);
  const three = await served.call({ path: `${POSTS}?fields=n` });
  assert.deepEqual(three.body.data.items.map(({ n }: { n: number }) => n), [1, 1, 1]);
  assert.equal(served.handedOver.length, 1);
  const large = { n: 2, text: text(SERVED_PARSED_BYTES_MAX) };
  const { body } = await served.project.asSecret({ path: POSTS, body: large });
  const path = `${POSTS}/${body.data._id}`;
  assert.equal((await served.call({ path })).body.data.n, 2);
  assert.equal(served.handedOver.length, 1, "a document as it is stored is only sent");
  assert.deepEqual((await served.call({ path: `${path}?fields=n` })).body.data.n, 2);
  assert.equal(served.handedOver.length, 2);
});

Deno.test("parts of documents of many members are made in another thread", async () => {
  await using served = await openServed();
  const some = { ...members(SERVED_READ_VALUES_MAX / 2), n: 1 };
  for (let i = 0; i < 2; i++) await served.project.asSecret({ path: POSTS, body: some });
  const one = await served.call({ path: `${POSTS}?limit=1&fields=n` });
  assert.deepEqual(one.body.data.items.map(({ n }: { n: number }) => n), [1]);
  assert.equal(served.handedOver.length, 0);
  const two = await served.call({ path: `${POSTS}?fields=n` });
  assert.deepEqual(two.body.data.items.map(({ n }: { n: number }) => n), [1, 1]);
  assert.equal(served.handedOver.length, 1);
  const body = { ...members(SERVED_READ_VALUES_MAX), n: 2 };
  const { data } = (await served.project.asSecret({ path: POSTS, body })).body;
  assert.equal((await served.call({ path: `${POSTS}/${data._id}?fields=n` })).body.data.n, 2);
  assert.equal(served.handedOver.length, 2);
});

Deno.test("an app whose services leave long work to another thread is not made without one", async () => {
  await using app = await openTestApp();
  const services = { ...app.services, parsedBytesMax: SERVED_PARSED_BYTES_MAX };
  assert.throws(() => createApp(services), TypeError);
});

Deno.test("a long page is read in another thread, and a short one here", async () => {
  await using served = await openServed();
  const part = { text: text(SERVED_BYTES_MAX / 4) };
  for (let i = 0; i < 4; i++) await served.project.asSecret({ path: POSTS, body: part });
  assert.equal((await served.call({ path: `${POSTS}?limit=3` })).body.data.items.length, 3);
  assert.equal(served.handedOver.length, 0);
  assert.equal((await served.call({ path: POSTS })).body.data.items.length, 4);
  assert.equal(served.handedOver.length, 1);
});

const CHANGES = {
  "PATCH": { body: { n: 2 } },
  "DELETE": {},
} as const;

const LARGE = {
  "a large document": { n: 1, text: text(SERVED_PARSED_BYTES_MAX) },
  "a document of many members": { n: 1, ...members(SERVED_WRITTEN_VALUES_MAX) },
};

for (const [method, rest] of Object.entries(CHANGES)) {
  for (const [what, large] of Object.entries(LARGE)) {
    Deno.test(`${method} of ${what} is done once, in another thread on SQLite`, async () => {
      await using served = await openServed();
      const { body } = await served.project.asSecret({ path: POSTS, body: large });
      const path = `${POSTS}/${body.data._id}`;
      const answer = await served.call({ method, path, ...rest });
      assert.equal(answer.status, 200, answer.text);
      const isEmbedded = served.app.services.config.database.kind === "sqlite";
      assert.equal(served.handedOver.length, isEmbedded ? 1 : 0);
      const after = await served.project.asSecret({ path: `${path}?include_deleted=true` });
      const { n, ...others } = after.body.data;
      assert.equal(n, method === "PATCH" ? 2 : 1);
      for (const name of Object.keys(large)) assert.ok(name === "n" || name in others, name);
      assert.equal(others.isDeleted, method === "DELETE");
    });
  }
}

Deno.test("a definition is changed in another thread, and holds for the next request", async () => {
  await using served = await openServed();
  const { cookie } = await served.project.owner();
  await served.call({ path: POSTS, body: { title: "a" } });
  const { publishableKey, projectId } = served.project;
  assert.equal((await served.call({ path: POSTS }, publishableKey)).status, 200);
  const changed = await served.call({
    method: "PUT",
    path: `/api/projects/${projectId}/collections/posts`,
    headers: { cookie },
    body: { name: "posts", fields: [{ key: "title", type: "String" }], rls: { mode: "private" } },
  });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(served.handedOver.length, 1);
  refused(await served.call({ path: POSTS }, publishableKey), 401, "ACCESS_TOKEN_REQUIRED");
});
