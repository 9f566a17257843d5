import assert from "node:assert/strict";
import { openClients, refusal } from "./fixture.ts";

/** Fails so often, and then lets requests through. */
function failing(times: number, fail: () => Promise<Response>) {
  let left = times;
  return () => left-- > 0 ? fail() : null;
}

const unreachable = () => Promise.reject(new TypeError("connection refused"));

Deno.test("what only reads is asked again when no answer comes, and what writes is not", async () => {
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

Deno.test("what was refused before it began is asked again, and what has a key too", async () => {
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

Deno.test("the server says when to ask again; for what takes too long nobody waits", async () => {
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

Deno.test("it gives up after some tries, and says who did not answer", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  fixture.intercept(() => Promise.resolve(new Response("<h1>Bad gateway</h1>", { status: 502 })));
  await assert.rejects(server.from("posts").count(), { code: "NO_ANSWER_OF_CORBEL", status: 502 });
  assert.equal(fixture.asked.length, 4);
});

Deno.test("a call ends with its signal, also while it waits to be asked again", async () => {
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
    server.from("posts").get("x", { signal: AbortSignal.abort(Error("over")) }),
    /over/,
  );
  assert.equal(fixture.asked.length, 1, "nothing is asked any more");
});

Deno.test("what is no key is told at once", async () => {
  await using fixture = await openClients();
  for (const key of ["", "pk_live_…", "PUBLISHABLE_KEY", "pk_live_a b"]) {
    assert.throws(() => fixture.client(key), /The key must be a project's/);
  }
});
