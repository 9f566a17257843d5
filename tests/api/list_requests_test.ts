import assert from "node:assert/strict";
import { PROJECT_TRASH_MS, REQUEST_LOG_MS } from "@/lib/limits.ts";
import { removeTrashed } from "@/lib/operations/project_trash.ts";
import { listRequests } from "@/lib/projects/list_requests.ts";
import { REQUEST_LOG } from "@/lib/projects/request_log.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openTeam, removed, type Team } from "./team.ts";
import { ok, refused } from "./test_collection.ts";

const SECRET_WORD = "xylophone";

/** Fails in several ways, each with a word that must be kept nowhere. */
async function fail(app: TestApp, team: Team) {
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

Deno.test("requests that failed are listed, the newest first, with nothing of what was sent", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  assert.deepEqual(await list(team), { items: [], nextCursor: null, recordsUntil: null });
  const { missing } = await fail(app, team);
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
  const kept = app.services.engine.records("control", REQUEST_LOG).find({ filter: ALL });
  const text = JSON.stringify(await Array.fromAsync(kept));
  for (const secret of [SECRET_WORD, team.publishableKey, team.secretKey, "127.0.0.1"]) {
    assert.ok(!text.includes(secret), secret);
  }
});

Deno.test("what goes well, what is of no project, and pages of the dashboard are not listed", async () => {
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

Deno.test("each filter leaves what matches it, and all of them together", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { bad } = await fail(app, team);
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

Deno.test("a page ends with a cursor that goes on, for the same filters alone", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  await fail(app, team);
  const first = await list(team, "?limit=2&status=4xx");
  assert.equal(first.items.length, 2);
  const rest = await list(team, `?limit=3&status=4xx&cursor=${first.nextCursor}`);
  assert.deepEqual([rest.items.length, rest.nextCursor], [2, null]);
  const other = { path: team.path(`/requests?limit=3&cursor=${first.nextCursor}`) };
  refused(await team.viewer.send(other), 400, "INVALID_CURSOR");
});

Deno.test("a filter that is none is 400, and a stranger sees no project", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const bad = [
    "status=40",
    "status=x",
    "caller=nobody",
    "since=yesterday",
    `code=${"A".repeat(65)}`,
    "limit=0",
    "page=2",
  ];
  for (const query of bad) {
    const answer = await team.owner.send({ path: team.path(`/requests?${query}`) });
    refused(answer, 400, "INVALID_QUERY");
  }
  const stranger = await team.stranger.send({ path: team.path("/requests") });
  refused(stranger, 404, "PROJECT_NOT_FOUND");
});

Deno.test("they are listed for seven days, and removed then, or with their project", async () => {
  await using app = await openTestApp();
  const other = await openTeam(app);
  await fail(app, other);
  const kept = (projectId: string) =>
    app.services.engine.records("control", REQUEST_LOG).count(eq("projectId", projectId));
  app.clock.advance(REQUEST_LOG_MS - 1);
  // Nobody's session lasts as long, so the verb is asked.
  const listed = async () =>
    (await listRequests(app.services, other.projectId, { limit: 9 })).items;
  assert.deepEqual((await listed()).map(({ caller }) => caller), ["publishable"]);
  app.clock.advance(1);
  assert.deepEqual(await listed(), []);
  assert.equal(await kept(other.projectId), 4);
  app.clock.advance(1);
  await maintain(app.services);
  assert.equal(await kept(other.projectId), 0);
  const late = await openTeam(app);
  await fail(app, late);
  assert.equal(await kept(late.projectId), 4);
  const { name } = ok(await late.read());
  ok(await late.owner.send(removed(late.path(), { name })));
  app.clock.advance(PROJECT_TRASH_MS + 1);
  await removeTrashed(app.services);
  assert.equal(await kept(late.projectId), 0);
});
