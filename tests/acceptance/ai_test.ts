import assert from "node:assert/strict";
import { startAiFake } from "../support/ai_fake.ts";
import { admin, type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const JSON_TYPE = { "content-type": "application/json" };

async function registerOwner(server: Server) {
  const call = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(`${server.url}${path}`, { ...init, client: server.http } as RequestInit);
  const body = JSON.stringify({ email: "ada@example.com", password: "seven wet stones 41" });
  const registered = await call("/api/auth/register", { method: "POST", headers: JSON_TYPE, body });
  assert.equal(registered.status, 201, await registered.text());
  const cookie = registered.headers.getSetCookie()[0]!.split(";")[0]!;
  const headers = { ...JSON_TYPE, cookie };
  const post = (path: string, body: unknown, more: RequestInit = {}) =>
    call(path, {
      method: "POST",
      body: JSON.stringify(body),
      ...more,
      headers: { ...headers, ...more.headers as Record<string, string> },
    });
  const created = await (await post("/api/projects", { name: "Blog" })).json();
  return {
    post,
    path: `/api/projects/${created.data.projectId}/ai`,
    made: created.data,
    call,
    headers,
  };
}

Deno.test("the server calls its AI provider within its permissions, and stops if the reader leaves", async () => {
  await using fake = startAiFake();
  await using server = await startServer({
    settings: { AI_API_KEY: fake.key, AI_BASE_URL: fake.url, AI_MODEL: fake.model },
  });
  const { post, path } = await registerOwner(server);
  fake.reply({
    writes: {
      type: "schema",
      message: "Here.",
      collections: [
        { name: "posts", access: "private", fields: [] },
      ],
    },
  });
  const turn = await (await post(`${path}/collection-creator`, { userMessage: "a blog" })).json();
  assert.equal(turn.data.type, "schema", JSON.stringify(turn));
  const applied = await post(`${path}/collection-creator/apply`, {});
  assert.equal(applied.status, 201, await applied.text());
  fake.reply({ writes: { filters: [], sort: "-createdAt" } });
  const question = { collectionName: "posts", prompt: "the latest first", preview: true };
  const built = await (await post(`${path}/query-builder`, question)).json();
  assert.equal(built.data.query, "sort=-createdAt", JSON.stringify(built));
  assert.equal(built.data.preview.total, 0);

  fake.reply({ silent: true, writes: '{"type":"clarify","message":"It will ' });
  const stream = await post(
    `${path}/collection-creator`,
    { userMessage: "x".repeat(1000) },
    { headers: { accept: "text/event-stream" } },
  );
  const reader = stream.body!.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  assert.match(first, /^event: message\ndata: \{"text":/);
  await reader.cancel();
  await until("the request to the provider is canceled", () => fake.abandoned === 1);
  const { stdout, stderr } = await server.stop();
  for (const secret of [fake.key, "a blog", "the latest first", "ada@example.com"]) {
    assert.ok(!stdout.includes(secret) && !stderr.includes(secret), secret);
  }
});

Deno.test("secrets reseal runs next to a server, which then starts without the old key", async () => {
  const ring = (id: string) => `${id}:${btoa(id.padEnd(32, "."))}`;
  const user = async (settings: Record<string, string>, project: string) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { userId } = await admin(
      ["user", "create", "--project", project, "--email", email],
      settings,
    );
    return await admin(["token", "issue", "--project", project, "--user", userId], settings);
  };
  await using before = await startServer({ settings: { SECRET_KEYS: ring("old") } });
  const { made: { projectId } } = await registerOwner(before);
  const twoKeys = { ...before.settings, SECRET_KEYS: `${ring("new")},${ring("old")}` };
  assert.deepEqual(await admin(["secrets", "reseal"], twoKeys), { resealed: 1 });
  assert.deepEqual(await admin(["secrets", "reseal"], twoKeys), { resealed: 0 });
  const after = { ...before.settings, SECRET_KEYS: ring("new") };
  assert.match((await user(after, projectId)).accessToken, /^ey/);
});
