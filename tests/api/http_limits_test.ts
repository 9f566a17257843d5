import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  createTestCollection,
  ok,
  refused,
  tally,
  type TestCollection,
  times,
} from "./test_collection.ts";

const RATE_HEADERS = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

const openLimitedApp = (limit: number, more: Record<string, string> = {}): Promise<TestApp> =>
  openTestApp({ env: { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: String(limit), ...more } });

/** Lists documents with the publishable key from a client address, optionally through proxies. */
const listFrom = (app: TestApp, collection: TestCollection, peer: string, forwarded?: string) =>
  app.send({
    path: "/api/data/posts",
    peer,
    headers: {
      "x-api-key": collection.project.publishableKey,
      ...(forwarded !== undefined && { "x-forwarded-for": forwarded }),
    },
  });

Deno.test(
  "a publishable key is limited per minute, and headers report the remaining requests",
  async () => {
    await using app = await openLimitedApp(3);
    const collection = await createTestCollection(app);
    for (const remaining of ["2", "1", "0"]) {
      const answer = await collection.asPublic({});
      ok(answer);
      assert.equal(answer.headers.get("ratelimit-limit"), "3");
      assert.equal(answer.headers.get("ratelimit-remaining"), remaining);
      const reset = Number(answer.headers.get("ratelimit-reset"));
      assert.ok(reset >= 1 && reset <= 60);
      assert.equal(answer.headers.get("retry-after"), null);
    }
    const answer = await collection.asPublic({});
    refused(answer, 429, "RATE_LIMITED", "Retry-After");
    assert.equal(answer.headers.get("ratelimit-remaining"), "0");
    assert.equal(answer.headers.get("retry-after"), answer.headers.get("ratelimit-reset"));
    const wait = Number(answer.headers.get("retry-after"));
    assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60);
  },
);

Deno.test("the rate limit admits exactly the allowed number of 50 concurrent requests", async () => {
  await using app = await openLimitedApp(20);
  const collection = await createTestCollection(app);
  const answers = await Promise.all(times(50, () => collection.asPublic({})));
  assert.deepEqual(tally(answers), { 200: 20, 429: 30 });
});

Deno.test("a secret key has no rate limit and no rate limit headers", async () => {
  await using app = await openLimitedApp(1);
  const collection = await createTestCollection(app);
  for (const answer of await Promise.all(times(20, () => collection.asSecret({})))) {
    ok(answer);
    for (const name of RATE_HEADERS) assert.equal(answer.headers.get(name), null);
  }
});

Deno.test("the rate limit counts each key and each address separately", async () => {
  await using app = await openLimitedApp(1);
  const [one, two] = [await createTestCollection(app), await createTestCollection(app)];
  ok(await listFrom(app, one, "192.0.2.1"));
  refused(await listFrom(app, one, "192.0.2.1"), 429, "RATE_LIMITED");
  ok(await listFrom(app, one, "192.0.2.2"));
  ok(await listFrom(app, one, "2001:db8::1"));
  ok(await listFrom(app, two, "192.0.2.1"));
  refused(await listFrom(app, two, "192.0.2.1"), 429, "RATE_LIMITED");
});

Deno.test("the rate limit counts refused requests too", async () => {
  await using app = await openLimitedApp(3);
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const guess = () => collection.asPublic({ headers: { authorization: "Bearer a.b.c" } });
  for (let i = 0; i < 3; i++) refused(await guess(), 401, "ACCESS_TOKEN_INVALID");
  refused(await guess(), 429, "RATE_LIMITED");
  const ann = await collection.project.user();
  refused(await collection.asPublic({}, ann), 429, "RATE_LIMITED");
});

Deno.test("a browser can read the rate limit headers of a 429", async () => {
  await using app = await openLimitedApp(1);
  const collection = await createTestCollection(app);
  const headers = { origin: "https://app.example" };
  ok(await collection.asPublic({ headers }));
  const answer = await collection.asPublic({ headers });
  refused(answer, 429, "RATE_LIMITED");
  assert.equal(answer.headers.get("access-control-allow-origin"), "https://app.example");
  const exposed = answer.headers.get("access-control-expose-headers")!;
  for (const name of [...RATE_HEADERS, "retry-after"]) assert.ok(exposed.includes(name));
});

Deno.test("RATE_LIMITS=off disables the rate limit and its headers", async () => {
  await using app = await openLimitedApp(1, { RATE_LIMITS: "off" });
  const collection = await createTestCollection(app);
  for (let i = 0; i < 5; i++) {
    const answer = await collection.asPublic({});
    ok(answer);
    for (const name of RATE_HEADERS) assert.equal(answer.headers.get(name), null);
  }
});

Deno.test("without TRUST_PROXY forwarded addresses are ignored", async () => {
  await using app = await openLimitedApp(1);
  const collection = await createTestCollection(app);
  ok(await listFrom(app, collection, "192.0.2.1", "198.51.100.1"));
  refused(await listFrom(app, collection, "192.0.2.1", "198.51.100.2"), 429, "RATE_LIMITED");
});

Deno.test("TRUST_PROXY=n trusts only the n-th forwarded address from the right", async () => {
  for (const [proxies, entry] of [["1", 0], ["2", 1]] as const) {
    await using app = await openLimitedApp(1, { TRUST_PROXY: proxies });
    const collection = await createTestCollection(app);
    const list = (client: string, invented: string) =>
      [invented, ...(entry === 1 ? [client, "10.0.0.9"] : [client])].join(" , ");
    ok(await listFrom(app, collection, "10.0.0.1", list("198.51.100.1", "203.0.113.1")));
    const again = await listFrom(app, collection, "10.0.0.2", list("198.51.100.1", "203.0.113.2"));
    refused(again, 429, "RATE_LIMITED");
    ok(await listFrom(app, collection, "10.0.0.1", list("198.51.100.2", "203.0.113.1")));
  }
});

Deno.test("the rate limit ignores all other forwarding headers", async () => {
  await using app = await openLimitedApp(1, { TRUST_PROXY: "1" });
  const collection = await createTestCollection(app);
  const names = ["x-real-ip", "forwarded", "cf-connecting-ip", "true-client-ip", "x-client-ip"];
  const send = (n: number) =>
    app.send({
      path: "/api/data/posts",
      peer: "192.0.2.1",
      headers: {
        "x-api-key": collection.project.publishableKey,
        "x-forwarded-host": `h${n}.example`,
        ...Object.fromEntries(names.map((name) => [name, `for=198.51.100.${n}`])),
      },
    });
  ok(await send(1));
  refused(await send(2), 429, "RATE_LIMITED");
});

Deno.test("with too few forwarded addresses the peer is the client", async () => {
  await using app = await openLimitedApp(1, { TRUST_PROXY: "2" });
  const collection = await createTestCollection(app);
  ok(await listFrom(app, collection, "192.0.2.1", "198.51.100.1"));
  refused(await listFrom(app, collection, "192.0.2.1", "198.51.100.2"), 429, "RATE_LIMITED");
  refused(await listFrom(app, collection, "192.0.2.1"), 429, "RATE_LIMITED");
  ok(await listFrom(app, collection, "192.0.2.2"));
});

Deno.test("addresses in responses come from PUBLIC_URL and not from request headers", async () => {
  await using app = await openTestApp({
    env: { PUBLIC_URL: "https://api.example", TRUST_PROXY: "1" },
  });
  const answer = await app.send({
    path: "/",
    headers: {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "ftp",
      forwarded: "host=evil.example",
    },
  });
  assert.ok(answer.text.includes("https://api.example/docs"));
  assert.ok(!answer.text.includes("evil"));
});

const MiB = 1_048_576;

/** Creates an endless body that counts the bytes that were read. */
function createEndlessBody(head: string) {
  const chunk = new TextEncoder().encode("x".repeat(65_536));
  let taken = 0;
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(head)),
    pull(controller) {
      taken += chunk.length;
      controller.enqueue(chunk);
    },
    cancel: () => void (cancelled = true),
  }, { highWaterMark: 0 });
  return { stream, taken: () => taken, cancelled: () => cancelled };
}

/** The maximum body size in bytes of each operation. */
const LIMITS: Record<string, { method: string; path: string; max: number }> = {
  createDocument: { method: "POST", path: "", max: MiB + 65_536 },
  createDocuments: { method: "POST", path: "/bulk", max: 8 * MiB },
  replaceDocument: { method: "PUT", path: "/id", max: MiB + 65_536 },
  patchDocument: { method: "PATCH", path: "/id", max: MiB + 65_536 },
};

for (const [operationId, { method, path, max }] of Object.entries(LIMITS)) {
  Deno.test(`${operationId}: an endless body is 413 and is read only up to the limit`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { _id: id } = await collection.insertOne();
    const call = { method, path: path.replace("id", id) };
    await collection.untouched(async () => {
      const body = createEndlessBody('{"text":"');
      refused(
        await collection.asSecret({ ...call, body: body.stream }),
        413,
        "BODY_TOO_LARGE",
        `${max}`,
      );
      assert.ok(body.taken() <= max + 2 * 65_536, `read ${body.taken()} bytes`);
      assert.ok(body.cancelled(), "the body is cancelled");

      const declared = createEndlessBody("{");
      const headers = { "content-length": String(max + 1) };
      const answer = await collection.asSecret({ ...call, body: declared.stream, headers });
      refused(answer, 413, "BODY_TOO_LARGE");
      assert.equal(declared.taken(), 0, "a body whose declared length is too large is not read");
    });
  });

  Deno.test(`${operationId}: a false content-length does not raise the limit`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { _id: id } = await collection.insertOne();
    await collection.untouched(async () => {
      for (const length of ["1", "0", "-1", "abc", ""]) {
        const body = createEndlessBody('{"text":"');
        const answer = await collection.asSecret({
          method,
          path: path.replace("id", id),
          body: body.stream,
          headers: { "content-length": length },
        });
        refused(answer, 413, "BODY_TOO_LARGE");
        assert.ok(body.taken() <= max + 2 * 65_536);
      }
    });
  });

  Deno.test(`${operationId}: a body of exactly the maximum size is accepted`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { _id: id } = await collection.insertOne();
    const call = { method, path: path.replace("id", id) };
    const text = path === "/bulk" ? "[{}]" : "{}";
    const body = text.padEnd(max);
    assert.ok((await collection.asSecret({ ...call, body })).status < 300);
    await collection.untouched(async () => {
      refused(await collection.asSecret({ ...call, body: `${body} ` }), 413, "BODY_TOO_LARGE");
    });
  });
}

Deno.test("createDocuments accepts 100 documents of 80 KB and refuses one of 2 MiB", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const body = times(100, (n) => ({ n, text: "x".repeat(80_000) }));
  assert.equal(ok(await collection.asSecret({ path: "/bulk", body }), 201).insertedCount, 100);
  await collection.untouched(async () => {
    const large = [{ text: "x".repeat(2 * MiB) }];
    refused(await collection.asSecret({ path: "/bulk", body: large }), 413, "DOCUMENT_TOO_LARGE");
    refused(await collection.asSecret({ body: large[0] }), 413, "BODY_TOO_LARGE");
  });
});

Deno.test("createDocument refuses an unauthorized caller before it reads the body", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const body = createEndlessBody("{");
  refused(await collection.asPublic({ body: body.stream }), 401, "ACCESS_TOKEN_REQUIRED");
  const other = createEndlessBody("{");
  const answer = await app.send({ path: "/api/data/posts", body: other.stream });
  refused(answer, 401, "API_KEY_INVALID");
  assert.equal(body.taken() + other.taken(), 0);
});
