import assert from "node:assert/strict";
import { PROJECT_TRASH_MS, REQUEST_LOG_MS } from "@/lib/limits.ts";
import { removeExpiredTrash } from "@/lib/operations/project_trash.ts";
import { listRequests } from "@/lib/projects/list_requests.ts";
import { REQUEST_LOG } from "@/lib/projects/request_log.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { deleteCall, openTeam, type Team } from "./team.ts";
import { ok, refused } from "./test_collection.ts";

const SECRET_WORD = "xylophone";

/** Sends requests that fail and contain a word that must not be stored. */
async function sendFailingRequests(app: TestApp, team: Team) {
  const { publishableKey, secretKey } = team;
  const send = (path: string, key: string, rest: object = {}) =>
    app.send({ path: `/api/data/${path}`, headers: { "x-api-key": key }, ...rest });
  const missing = await send(`none?note=${SECRET_WORD}`, secretKey);
  refused(missing, 404, "COLLECTION_NOT_FOUND");
  app.clock.advance(1000);
  const body = { name: "9", fields: [], note: SECRET_WORD };
  const bad = await team.owner.send({ method: "POST", path: team.path("/collections"), body });
  assert.equal(bad.status, 400);
  app.clock.advance(1000);
  refused(await send("users", publishableKey, { body: { a: SECRET_WORD } }), 403, "USERS_RESERVED");
  app.clock.advance(1000);
  refused(await send("none", publishableKey), 404, "COLLECTION_NOT_FOUND");
  await app.services.requestLog.store();
  return { missing, bad };
}

const list = async (team: Team, query = "") =>
  ok(await team.viewer.send({ path: team.path(`/requests${query}`) }));

const codes = async (team: Team, query = ""): Promise<string[]> =>
  (await list(team, query)).items.map(({ code }: { code: string }) => code);

Deno.test("listRequests returns failed requests, newest first, without their content", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  assert.deepEqual(await list(team), { items: [], nextCursor: null, recordsUntil: null });
  const { missing } = await sendFailingRequests(app, team);
  const { items } = await list(team);
  const [first, , , last] = items;
  assert.equal(items.length, 4);
  const { ms, ...rest } = last;
  assert.ok(ms >= 0);
  assert.deepEqual(rest, {
    requestId: missing.headers.get("x-request-id"),
    operation: "listDocuments",
    method: "GET",
    status: 404,
    code: "COLLECTION_NOT_FOUND",
    caller: "secret",
    leftOut: 0,
    at: "2026-01-31T12:00:00.000Z",
  });
  assert.deepEqual([first.caller, first.at], ["publishable", "2026-01-31T12:00:03.000Z"]);
  const stored = app.services.engine.records("control", REQUEST_LOG).find({ filter: ALL });
  const text = JSON.stringify(await Array.fromAsync(stored));
  for (const secret of [SECRET_WORD, team.publishableKey, team.secretKey, "127.0.0.1"]) {
    assert.ok(!text.includes(secret), secret);
  }
});

Deno.test("listRequests omits successes, requests without a project and dashboard pages", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  ok(await team.owner.send({ path: team.path() }));
  refused(
    await app.send({ path: "/api/data/none", headers: { "x-api-key": "pk_live_x" } }),
    401,
    "API_KEY_INVALID",
  );
  refused(await app.send({ path: "/api/nothing" }), 404, "ROUTE_NOT_FOUND");
  const page = await app.open({
    path: `/dashboard/projects/${team.projectId}/collections/none/fields`,
    headers: { cookie: team.owner.cookie },
  });
  assert.equal(page.status, 404);
  await page.body?.cancel();
  await app.services.requestLog.store();
  assert.deepEqual((await list(team)).items, []);
});

Deno.test("listRequests combines all its filters", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { bad } = await sendFailingRequests(app, team);
  const [NONE, USERS] = ["COLLECTION_NOT_FOUND", "USERS_RESERVED"];
  const invalid = bad.body.code;
  assert.deepEqual(await codes(team), [NONE, USERS, invalid, NONE]);
  assert.deepEqual(await codes(team, "?operation=listDocuments"), [NONE, NONE]);
  assert.deepEqual(await codes(team, "?status=403"), [USERS]);
  assert.deepEqual(await codes(team, "?status=4xx"), [NONE, USERS, invalid, NONE]);
  assert.deepEqual(await codes(team, "?status=5xx"), []);
  assert.deepEqual(await codes(team, `?code=${NONE}`), [NONE, NONE]);
  assert.deepEqual(await codes(team, "?caller=account"), [invalid]);
  assert.deepEqual(await codes(team, "?caller=accountToken"), []);
  assert.deepEqual(await codes(team, "?since=2026-01-31T13:00:02%2B01:00"), [NONE, USERS]);
  const requestId = bad.headers.get("x-request-id");
  assert.deepEqual(await codes(team, `?requestId=${requestId}`), [invalid]);
  assert.deepEqual(await codes(team, `?code=${NONE}&caller=secret&status=404`), [NONE]);
});

Deno.test("listRequests refuses a cursor of other filters", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  await sendFailingRequests(app, team);
  const first = await list(team, "?limit=2&status=4xx");
  assert.equal(first.items.length, 2);
  const rest = await list(team, `?limit=3&status=4xx&cursor=${first.nextCursor}`);
  assert.deepEqual([rest.items.length, rest.nextCursor], [2, null]);
  const other = { path: team.path(`/requests?limit=3&cursor=${first.nextCursor}`) };
  refused(await team.viewer.send(other), 400, "INVALID_CURSOR");
});

Deno.test("listRequests refuses invalid filters and strangers", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const invalid = [
    "status=40",
    "status=x",
    "caller=other",
    "since=yesterday",
    `code=${"A".repeat(65)}`,
    "limit=0",
    "page=2",
  ];
  for (const query of invalid) {
    const answer = await team.owner.send({ path: team.path(`/requests?${query}`) });
    refused(answer, 400, "INVALID_QUERY");
  }
  const stranger = await team.stranger.send({ path: team.path("/requests") });
  refused(stranger, 404, "PROJECT_NOT_FOUND");
});

Deno.test("listRequests returns requests of seven days, and maintenance deletes older ones", async () => {
  await using app = await openTestApp();
  const other = await openTeam(app);
  await sendFailingRequests(app, other);
  const countStored = (projectId: string) =>
    app.services.engine.records("control", REQUEST_LOG).count(eq("projectId", projectId));
  app.clock.advance(REQUEST_LOG_MS - 1);
  // A session does not last that long, so the function is called directly.
  const listed = async () =>
    (await listRequests(app.services, other.projectId, { limit: 9 })).items;
  assert.deepEqual((await listed()).map(({ caller }) => caller), ["publishable"]);
  app.clock.advance(1);
  assert.deepEqual(await listed(), []);
  assert.equal(await countStored(other.projectId), 4);
  app.clock.advance(1);
  await maintain(app.services);
  assert.equal(await countStored(other.projectId), 0);
  const next = await openTeam(app);
  await sendFailingRequests(app, next);
  assert.equal(await countStored(next.projectId), 4);
  const { name } = ok(await next.read());
  ok(await next.owner.send(deleteCall(next.path(), { name })));
  app.clock.advance(PROJECT_TRASH_MS + 1);
  await removeExpiredTrash(app.services);
  assert.equal(await countStored(next.projectId), 0);
});
