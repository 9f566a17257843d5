import assert from "node:assert/strict";
import { Hono } from "hono";
import { createApp } from "@/routes/app.ts";
import type { AppEnv } from "@/routes/handler.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

function otherApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    await next();
    c.header("x-served-by", "them");
  });
  app.get("/mine", (c) => c.text("mine"));
  app.notFound((c) => c.text("not here", 404));
  return app;
}

const PEER = { remoteAddr: { hostname: "127.0.0.1" } };

async function ask(app: Hono<AppEnv>, path: string, init: RequestInit = {}) {
  const response = await app.fetch(new Request(`http://localhost:8000${path}`, init), PEER);
  assert.equal(response.headers.get("x-served-by"), "them");
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function assertServes(app: Hono<AppEnv>, { services, project }: TestApp, base: string) {
  const { secretKey, publishableKey, collection } = await project();
  await collection({ name: "posts" });
  const path = `${base}/api/data/posts`;
  const headers = { "x-api-key": secretKey, "content-type": "application/json" };
  const body = JSON.stringify({ title: "Hello" });
  const created = await ask(app, path, { method: "POST", headers, body });
  assert.equal(created.status, 201, created.text);
  const { _id } = JSON.parse(created.text).data;
  const read = await ask(app, `${path}/${_id}`, { headers });
  assert.equal(JSON.parse(read.text).data.title, "Hello");
  assert.match(read.headers.get("x-request-id")!, /^\w+-\w+$/);
  const head = await ask(app, `${path}/${_id}`, { method: "HEAD", headers });
  assert.deepEqual([head.status, head.text], [200, ""]);
  const options = await ask(app, path, { method: "OPTIONS", headers: { origin: "https://a.b" } });
  assert.equal(options.status, 204);
  const refusals: [string, RequestInit, number, string][] = [
    [path, {}, 401, "API_KEY_INVALID"],
    [path, { headers: { "x-api-key": publishableKey } }, 401, "ACCESS_TOKEN_REQUIRED"],
    [`${path}?limit=0`, { headers }, 400, "INVALID_QUERY"],
    [`${path}/%E0%A4%A`, { headers }, 400, "INVALID_PATH"],
    [`${base}/api/data/%75sers/x`, { headers }, 403, "USERS_RESERVED"],
    [path, { method: "POST", headers, body: "{" }, 400, "INVALID_JSON"],
  ];
  for (const [path, init, status, code] of refusals) {
    const answer = await ask(app, path, init);
    assert.deepEqual([answer.status, JSON.parse(answer.text).code], [status, code], path);
  }
  assert.equal((await ask(app, "/mine")).text, "mine");
  assert.equal(services.requestDrain.isDraining, false);
}

Deno.test("createApp can be mounted below a path of another app and runs inside its middleware", async () => {
  await using app = await openTestApp();
  const other = otherApp();
  other.mount("/backend", createApp(app.services).fetch);
  await assertServes(other, app, "/backend");
  const unknown = await ask(other, "/backend/api/nothing");
  assert.equal(JSON.parse(unknown.text).code, "ROUTE_NOT_FOUND");
  const method = await ask(other, "/backend/api/health", { method: "DELETE" });
  assert.deepEqual([method.status, method.headers.get("allow")], [405, "GET"]);
  assert.equal((await ask(other, "/api/health")).text, "not here");
});

Deno.test("createApp can be a route at the root of another app and runs inside its middleware", async () => {
  await using app = await openTestApp();
  const other = otherApp();
  other.route("/", createApp(app.services));
  await assertServes(other, app, "");
});

Deno.test("createApp accepts further routes", async () => {
  await using app = await openTestApp();
  const corbel = createApp(app.services);
  corbel.get("/mine", (c) => c.json({ client: c.var.state.client }));
  const answer = await corbel.fetch(new Request("http://localhost:8000/mine"), PEER);
  assert.deepEqual(await answer.json(), { client: "127.0.0.1" });
});
