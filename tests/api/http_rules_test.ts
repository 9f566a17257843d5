import assert from "node:assert/strict";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { allowOrigins } from "./origins.ts";
import { createTestCollection, ok, refused, times, UNKNOWN_ID } from "./test_collection.ts";
import { isDashboards, sampleCalls } from "./sample_calls.ts";

const SAMPLES = sampleCalls();

const EXPOSED = [
  "etag",
  "content-range",
  "location",
  "retry-after",
  "x-request-id",
  "x-corbel-warning",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  // Headers that tus clients read.
  ...["tus-resumable", "tus-version", "tus-extension", "tus-checksum-algorithm"],
  ...["upload-offset", "upload-length", "upload-expires"],
];

const words = (header: string | null): string[] =>
  (header ?? "").split(",").map((word) => word.trim().toLowerCase());

/** Calls of the operations that set a cookie. */
const SETTING_COOKIES: readonly Call[] = SAMPLES.filter(({ setsCookie }) => setsCookie)
  .map(({ call }) => call);

/** Calls of every operation, of unknown operations, and of paths refused before routing. */
const ADDRESSES: readonly Call[] = [
  ...SAMPLES.map(({ call }) => call),
  { path: "/api/nothing" },
  { path: "/api/data/users" },
  { path: "/api/data/%zz" },
  { path: "/api/data/posts", method: "DELETE" },
  { path: "/api/data/posts", method: "OPTIONS" },
  { path: "/api/data/posts", method: "HEAD" },
];

Deno.test("every response has a unique request id", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const ids: (string | null)[] = [];
  for (const call of ADDRESSES) {
    for (const send of [app.send, collection.project.asSecret, collection.project.asPublic]) {
      ids.push((await send(call)).headers.get("x-request-id"));
    }
  }
  const together = await Promise.all(times(50, () => collection.asSecret({})));
  ids.push(...together.map(({ headers }) => headers.get("x-request-id")));
  assert.ok(ids.every((id) => id !== null && /^[\w-]{8,}$/.test(id)));
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("a request id that the client sends is ignored", async () => {
  await using app = await openTestApp();
  const sent = "chosen-by-the-client";
  const answer = await app.send({ path: "/api/health", headers: { "x-request-id": sent } });
  assert.notEqual(answer.headers.get("x-request-id"), sent);
});

Deno.test("every response under /api is private and must be revalidated", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const call of ADDRESSES.filter(({ path }) => path.startsWith("/api/"))) {
    for (const send of [app.send, collection.project.asSecret]) {
      const { headers, body } = await send(call);
      // A signed URL and a session are secrets.
      const opensSession = headers.getSetCookie().some((one) =>
        /_(?:session|rt_\w+)=[^;]/.test(one)
      );
      const holdsSecret = body?.signedUrl !== undefined || opensSession ||
        body?.data?.url?.includes("ticket=");
      const control = holdsSecret ? "no-store" : "private, no-cache";
      assert.equal(headers.get("cache-control"), control, call.path);
      for (const name of ["origin", "authorization", "x-api-key"]) {
        assert.ok(words(headers.get("vary")).includes(name), `${call.path} varies by ${name}`);
      }
    }
  }
});

Deno.test("JSON responses have their content type, and refusals an envelope with a code", async () => {
  await using app = await openTestApp();
  for (const call of ADDRESSES.filter(({ path }) => path.startsWith("/api/"))) {
    const answer = await app.send(call);
    if (answer.status === 204) continue;
    assert.match(answer.headers.get("content-type")!, /^application\/json; charset=utf-8$/i);
    if (answer.text === "") continue;
    if (answer.status >= 400) {
      const error = call.path.startsWith("/api/storage/") ? ["error"] : [];
      const members = ["success", "data", "message", ...error, "code"];
      assert.deepEqual(Object.keys(answer.body), members);
      assert.equal(answer.body.success, false);
      assert.deepEqual(answer.body.data, {});
      assert.match(answer.body.code, /^[A-Z_]+$/);
      assert.ok(answer.body.message.length > 0);
    } else assert.equal(answer.body.success, true);
  }
});

const DASHBOARDS: readonly Call[] = SAMPLES.filter(isDashboards).map(({ call }) => call);

Deno.test("dashboard operations send CORS headers to their own origin only", async () => {
  await using app = await openTestApp();
  assert.ok(DASHBOARDS.length > 0);
  for (const call of DASHBOARDS) {
    for (const one of [call, { path: call.path, method: "OPTIONS" }]) {
      for (const origin of ["https://app.example", "http://localhost:5173", "null"]) {
        const { headers } = await app.send({ ...one, headers: { origin } });
        assert.equal(headers.get("access-control-allow-origin"), null, call.path);
        assert.equal(headers.get("access-control-allow-credentials"), null, call.path);
      }
      const own = app.services.config.publicUrl;
      const { headers } = await app.send({ ...one, headers: { origin: own } });
      assert.equal(headers.get("access-control-allow-origin"), own);
    }
  }
});

Deno.test("every other response allows the request's origin with credentials, also refusals", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const origin of ["https://app.example", "http://localhost:5173", "null"]) {
    for (const call of ADDRESSES.filter((one) => !DASHBOARDS.includes(one))) {
      for (const send of [app.send, collection.project.asPublic]) {
        const { headers } = await send({ ...call, headers: { origin } });
        assert.equal(headers.get("access-control-allow-origin"), origin);
        assert.equal(headers.get("access-control-allow-credentials"), "true");
        const exposed = words(headers.get("access-control-expose-headers"));
        assert.deepEqual(exposed.sort(), EXPOSED.toSorted());
      }
    }
  }
});

Deno.test("a request without an origin gets no CORS headers", async () => {
  await using app = await openTestApp();
  for (const call of ADDRESSES.filter(({ path }) => !path.includes("OPTIONS"))) {
    if ("method" in call && call.method === "OPTIONS") continue;
    const { headers } = await app.send(call);
    const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
    assert.deepEqual(names, [], call.path);
  }
});

Deno.test("a preflight allows the requested headers for two hours", async () => {
  await using app = await openTestApp();
  const { headers, status } = await app.send({
    method: "OPTIONS",
    path: `/api/data/posts/${UNKNOWN_ID}`,
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "x-api-key,authorization,content-type,sentry-trace",
    },
  });
  assert.equal(status, 204);
  assert.equal(headers.get("access-control-allow-origin"), "https://app.example");
  assert.equal(headers.get("access-control-allow-credentials"), "true");
  assert.equal(headers.get("access-control-max-age"), "7200");
  assert.deepEqual(words(headers.get("access-control-allow-methods")).sort(), [
    "delete",
    "get",
    "head",
    "patch",
    "post",
    "put",
  ]);
  const requestedHeaders = "x-api-key,authorization,content-type,sentry-trace";
  assert.equal(headers.get("access-control-allow-headers"), requestedHeaders);
});

Deno.test("a publishable key works only from listed origins, the Site URL and this server", async () => {
  await using app = await openTestApp({ env: { PUBLIC_URL: "https://api.example" } });
  const project = await app.project({ siteUrl: "https://site.example" });
  const collection = await createTestCollection(app, {}, project);
  const ann = await project.user();
  await allowOrigins(app, project, ["https://app.example", "http://localhost:5173"]);
  const allowedOrigins = [
    "https://app.example",
    "http://localhost:5173",
    "https://site.example",
    "https://api.example",
  ];
  const foreignOrigins = [
    "https://evil.example",
    "http://app.example",
    "https://app.example:8443",
    "https://app.example.evil.example",
    "https://sub.app.example",
    "https://APP.example",
    "https://app.example/",
    "null",
    "",
    "http://localhost:5174",
  ];
  for (const origin of allowedOrigins) {
    ok(await collection.asPublic({ headers: { origin } }));
    ok(await collection.asPublic({ body: {}, headers: { origin } }, ann), 201);
  }
  await collection.untouched(async () => {
    for (const origin of foreignOrigins) {
      refused(await collection.asPublic({ headers: { origin } }), 403, "ORIGIN_NOT_ALLOWED");
      const write = { body: {}, headers: { origin } };
      refused(await collection.asPublic(write, ann), 403, "ORIGIN_NOT_ALLOWED");
    }
  });
  ok(await collection.asPublic({}), 200);
  for (const origin of foreignOrigins) ok(await collection.asSecret({ headers: { origin } }));
});

Deno.test("a project without listed origins allows every origin", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://site.example" });
  const collection = await createTestCollection(app, {}, project);
  for (const origin of ["https://anything.example", "null"]) {
    ok(await collection.asPublic({ headers: { origin } }));
  }
});

Deno.test("listed origins restrict only their project, and not its public key set", async () => {
  await using app = await openTestApp();
  const [one, two] = [await app.project(), await app.project()];
  const collection = await createTestCollection(app, {}, two);
  await allowOrigins(app, one, ["https://one.example"]);
  const headers = { origin: "https://two.example" };
  ok(await collection.asPublic({ headers }));
  const keys = await app.send({ path: `/api/projects/${one.projectId}/jwks.json`, headers });
  assert.equal(keys.status, 200);
});

Deno.test("an invalid key from a foreign origin is 401, because the key is checked first", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await allowOrigins(app, project, ["https://one.example"]);
  const headers = { origin: "https://evil.example", "x-api-key": "pk_live_wrong" };
  refused(await app.send({ path: "/api/data/posts", headers }), 401, "API_KEY_INVALID");
});

Deno.test("cookies never authenticate a request to the data API", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const ann = await collection.project.user();
  const cookie = `x-api-key=${collection.project.secretKey}; authorization=Bearer ${ann.token}; ` +
    `corbel_session=${ann.token}`;
  const path = "/api/data/posts";
  refused(await app.send({ path, headers: { cookie } }), 401, "API_KEY_INVALID");
  refused(await collection.asPublic({ headers: { cookie } }), 401, "ACCESS_TOKEN_REQUIRED");
  const cookieless = ADDRESSES.filter((call) => !SETTING_COOKIES.includes(call));
  for (const call of cookieless) {
    assert.equal((await collection.project.asSecret(call)).headers.get("set-cookie"), null);
  }
});
