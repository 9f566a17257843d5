import assert from "node:assert/strict";
import { createClient as create } from "@/client/client.js";
import type { createClient as declared } from "@/client/client.d.ts";
import { openClients, refusal } from "./fixture.ts";

const createClient = create as typeof declared;

/** Fails `times` times, and then lets requests through. */
function failing(times: number, fail: () => Promise<Response>) {
  let left = times;
  return () => left-- > 0 ? fail() : null;
}

const unreachable = () => Promise.reject(new TypeError("connection refused"));

Deno.test("reads are retried without a response, and writes are not", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  fixture.intercept(failing(2, unreachable));
  assert.equal(await posts.count(), 0);
  assert.equal(fixture.asked.length, 3);
  fixture.intercept(failing(1, unreachable));
  await assert.rejects(posts.create({ title: "One" }), { code: "NETWORK", status: 0 });
  fixture.intercept(failing(1, () => refusal(503, "HANDLER_TIMEOUT")));
  await assert.rejects(posts.create({ title: "One" }), { code: "HANDLER_TIMEOUT" });
  fixture.intercept(null);
  assert.equal(await posts.count(), 0);
});

Deno.test("requests that the server refused to begin or that have a key are retried", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  for (const [status, code] of [[503, "SERVER_BUSY"], [429, "RATE_LIMITED"]] as const) {
    fixture.intercept(failing(1, () => refusal(status, code, { "retry-after": "0" })));
    await posts.create({ title: code });
  }
  fixture.intercept(failing(1, unreachable));
  await posts.create({ title: "Once" }, { idempotencyKey: "once" });
  assert.equal(await posts.count(), 3);
});

Deno.test("the client waits as Retry-After says, and does not wait for too long", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const wait = (seconds: string) => () => refusal(503, "SERVER_BUSY", { "retry-after": seconds });
  fixture.intercept(failing(1, wait("1")));
  const began = performance.now();
  await server.from("posts").count();
  assert.ok(performance.now() - began >= 1000);
  fixture.intercept(failing(9, wait("31")));
  await assert.rejects(server.from("posts").count(), { code: "SERVER_BUSY", retryAfter: 31 });
  assert.equal(fixture.asked.length, 3);
});

Deno.test("the client gives up after some tries and names the server", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  fixture.intercept(() => Promise.resolve(new Response("<h1>Bad gateway</h1>", { status: 502 })));
  await assert.rejects(server.from("posts").count(), { code: "NO_ANSWER_OF_CORBEL", status: 502 });
  assert.equal(fixture.asked.length, 4);
});

Deno.test("a call ends on its signal, also while it waits to retry", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const stop = new AbortController();
  fixture.intercept(() => {
    queueMicrotask(() => stop.abort(new Error("left")));
    return unreachable();
  });
  await assert.rejects(server.from("posts").list({ signal: stop.signal }), /left/);
  assert.equal(fixture.asked.length, 1);
  await assert.rejects(
    server.from("posts").get("0".repeat(24), { signal: AbortSignal.abort(Error("over")) }),
    /over/,
  );
  assert.equal(fixture.asked.length, 1, "no request follows");
});

Deno.test("a successful response that is not Corbel's is refused with its kind", async (t) => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  const html = { "content-type": "text/html; charset=utf-8" };
  const json = { "content-type": "application/json" };
  const answers = [
    ["HTML", "<!doctype html><title>Sign in to the network</title>", html],
    ["nothing", "", json],
    ["something other than Corbel's JSON", '{"success":true,"data":{"ite', json],
    ["something other than Corbel's JSON", "null", json],
    ["something other than Corbel's JSON", "[1]", json],
    ["something other than Corbel's JSON", '{"ok":true}', json],
  ] as const;
  const id = "0".repeat(24);
  const calls = {
    list: () => posts.list(),
    get: () => posts.get(id),
    count: () => posts.count(),
    create: () => posts.create({ title: "One" }),
    delete: () => posts.delete(id),
    batch: () => server.batch([{ action: "delete", collection: "posts", id }]),
    signIn: () => server.auth.signIn({ email: "ada@example.com", password: "a" }),
    files: () => server.files.list(),
    live: () => new Promise((items, error) => posts.live({}, { items, error })),
  };
  for (const [kind, body, headers] of answers) {
    for (const [name, call] of Object.entries(calls)) {
      await t.step(`${name}: ${kind}`, async () => {
        fixture.intercept(() => Promise.resolve(new Response(body, { headers })));
        await assert.rejects(call(), {
          name: "CorbelError",
          code: "NO_ANSWER_OF_CORBEL",
          status: 200,
          message: `The server answered 200 with ${kind}: is it Corbel?`,
        });
      });
    }
  }
});

Deno.test("an error response that is not Corbel's is reported as such", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  for (
    const body of ["null", "[]", '{"code":7,"faults":"none"}', "<html>", "", '{"message":"no"}']
  ) {
    fixture.intercept(() => Promise.resolve(new Response(body, { status: 403 })));
    await assert.rejects(server.from("posts").count(), {
      name: "CorbelError",
      code: "NO_ANSWER_OF_CORBEL",
      status: 403,
      faults: [],
    });
  }
});

Deno.test("a truncated response counts as none: reads are retried", async () => {
  await using fixture = await openClients();
  const posts = fixture.client(fixture.project.secretKey).from("posts");
  const brokenResponse = () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"data":{"co')),
      pull: (controller) => controller.error(new TypeError("connection reset")),
    }, { highWaterMark: 0 });
    return Promise.resolve(new Response(body));
  };
  fixture.intercept(failing(1, brokenResponse));
  assert.equal(await posts.count(), 0);
  assert.equal(fixture.asked.length, 2);
  fixture.intercept(failing(1, brokenResponse));
  await assert.rejects(posts.create({ title: "One" }), { code: "NETWORK", status: 0 });
});

Deno.test("a missing or invalid url is reported at once", async () => {
  await using fixture = await openClients();
  const { publishableKey: key } = fixture.project;
  const missing = [undefined, null, ""];
  for (const url of missing as string[]) {
    assert.throws(() => createClient({ url, key }), {
      name: "CorbelError",
      code: "INVALID_OPTIONS",
      message: /^The url is missing/,
    });
  }
  assert.throws(() => (createClient as () => unknown)(), { code: "INVALID_OPTIONS" });
  const wrong = ["localhost:8000", "/", "ftp://a", "http://", "http://a b", "http://a?b", 7, {}];
  for (const url of wrong as string[]) {
    assert.throws(() => createClient({ url, key }), {
      name: "CorbelError",
      code: "INVALID_OPTIONS",
      message: /^The url must be the address of the server/,
    });
  }
  for (const url of ["http://localhost:8000/", " https://a.example// ", "http://[::1]:8000"]) {
    createClient({ url, key }).close();
  }
});

Deno.test("an invalid key is reported at once", async () => {
  await using fixture = await openClients();
  for (const key of ["", "pk_live_…", "PUBLISHABLE_KEY", "pk_live_a b"]) {
    assert.throws(() => fixture.client(key), {
      name: "CorbelError",
      code: "INVALID_OPTIONS",
      message: /The key must be a project's/,
    });
  }
});
