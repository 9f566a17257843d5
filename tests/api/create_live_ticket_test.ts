import assert from "node:assert/strict";
import { LIVE_TICKET_SECONDS } from "@/lib/limits.ts";
import { ALL } from "@/lib/store/filter.ts";
import { LIVE_TICKETS } from "@/lib/events/live/tickets.ts";
import type { Call } from "../support/conforming_client.ts";
import { LiveReader } from "../support/live_reader.ts";
import { openTestApp, type TestUser } from "../support/test_app.ts";
import { times } from "./test_collection.ts";

const NOTES = {
  name: "notes",
  rls: { mode: "private" },
  fields: [{ key: "n", type: "Number" }],
};

const PAGE = "https://app.example";

async function openNotes() {
  const app = await openTestApp();
  const project = await app.project();
  await project.collection(NOTES);
  await project.collection({ ...NOTES, name: "others" });
  const user = await project.user();
  const ask = (body: object = {}, more: Partial<Call> = {}, caller: TestUser | undefined = user) =>
    project.asPublic({ method: "POST", path: "/api/data/notes/live", body, ...more }, caller);
  const ticket = async (...given: Parameters<typeof ask>): Promise<string> => {
    const { status, body, headers } = await ask(...given);
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(body.data.expiresIn, LIVE_TICKET_SECONDS);
    const { origin, pathname, search } = new URL(body.data.url);
    assert.equal(origin, app.services.config.publicUrl);
    return pathname + search;
  };
  const open = (path: string, headers: [string, string][] = []) => app.open({ path, headers });
  const create = (n: number) => project.asPublic({ path: "/api/data/notes", body: { n } }, user);
  return {
    app,
    project,
    user,
    ask,
    ticket,
    open,
    create,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

async function refusalOf(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json()).code];
}

const INVALID = [401, "TICKET_INVALID"];

Deno.test("a ticket opens the caller's live list, with its query and without headers", async () => {
  await using notes = await openNotes();
  const { ticket, open, create } = notes;
  await create(1);
  const response = await open(await ticket({ query: "n_gte=2" }));
  assert.equal(response.status, 200);
  await using reader = new LiveReader(response.body as ReadableStream<Uint8Array<ArrayBuffer>>);
  assert.equal((await reader.expect("list")).data.total, 0);
  await create(2);
  const { data, id } = await reader.expect("change");
  assert.deepEqual([data.action, data.document.n], ["added", 2]);
  await create(3);
  const again = await open(await ticket({ lastEventId: id }));
  await using behind = new LiveReader(again.body as ReadableStream<Uint8Array<ArrayBuffer>>);
  assert.equal((await behind.expect("change")).data.document.n, 3);
});

Deno.test("exactly one of 50 concurrent requests opens a live list with one ticket", async () => {
  await using notes = await openNotes();
  const { ticket, open } = notes;
  const address = await ticket();
  const responses = await Promise.all(times(50, () => open(address)));
  const opened = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 401);
  assert.deepEqual([opened.length, refused.length], [1, 49]);
  for (const { body } of responses) await body!.cancel();
  assert.deepEqual(await refusalOf(await open(address)), INVALID);
});

Deno.test("a ticket is refused when expired or altered, for another list and from another page", async () => {
  await using notes = await openNotes();
  const { app, ticket, open } = notes;
  const address = await ticket(undefined, { headers: [["origin", PAGE]] });
  assert.deepEqual(await refusalOf(await open(address.replace("notes", "others"))), INVALID);
  assert.deepEqual(await refusalOf(await open(`${address}x`)), INVALID);
  assert.deepEqual(await refusalOf(await open("/api/data/notes/live?ticket=")), INVALID);
  const another: [string, string][] = [["origin", "https://evil.example"]];
  assert.deepEqual(await refusalOf(await open(address, another)), INVALID);
  // Refused requests do not use up the ticket.
  const opened = await open(address, [["origin", PAGE]]);
  assert.equal(opened.status, 200);
  await opened.body!.cancel();
  const late = await ticket();
  app.clock.advance(LIVE_TICKET_SECONDS * 1000);
  assert.deepEqual(await refusalOf(await open(late)), INVALID);
});

Deno.test("a page's ticket is refused from other pages, a program's ticket from none", async () => {
  await using notes = await openNotes();
  const { ticket, open } = notes;
  const from = (origin: string | null): [string, string][] =>
    origin === null ? [] : [["origin", origin]];
  for (
    const [asked, opened, status] of [
      [PAGE, PAGE, 200],
      [PAGE, null, 200],
      [PAGE, "https://evil.example", 401],
      [PAGE, `${PAGE}:8443`, 401],
      [PAGE, PAGE.replace("https", "http"), 401],
      [PAGE, "null", 401],
      [null, PAGE, 200],
      [null, null, 200],
    ] as const
  ) {
    const address = await ticket(undefined, { headers: from(asked) });
    const response = await open(address, from(opened));
    assert.equal(response.status, status, `${asked} ${opened}`);
    if (status === 200) await response.body!.cancel();
    else assert.deepEqual(await refusalOf(response), INVALID);
  }
});

Deno.test("a ticket is refused after the session of its user has ended", async () => {
  await using notes = await openNotes();
  const { app, project, ticket, open, user } = notes;
  const address = await ticket();
  await project.asPublic({ method: "POST", path: "/api/userAuth/logout-all" }, user);
  assert.deepEqual(await refusalOf(await open(address)), [401, "ACCESS_TOKEN_INVALID"]);
  assert.ok(app);
});

Deno.test("createLiveTicket refuses the same queries as a live list, and stores nothing", async () => {
  await using notes = await openNotes();
  const { app, project, ask } = notes;
  await project.collection({ ...NOTES, name: "quiet", events: false });
  const at = (name: string) => ({ path: `/api/data/${name}/live` });
  for (
    const [answer, status, code] of [
      [await ask({ query: "page=2" }), 400, "INVALID_QUERY"],
      [await ask({ query: "n_between=2" }), 400, "UNKNOWN_OPERATOR"],
      [await ask({ query: "search=word" }), 400, "SEARCH_NOT_DECLARED"],
      [await ask({ query: 1 }), 400, "INVALID_BODY"],
      [await ask({ more: 1 }), 400, "INVALID_BODY"],
      [await ask({}, at("nothing")), 404, "COLLECTION_NOT_FOUND"],
      [await ask({}, at("quiet")), 409, "EVENTS_OFF"],
    ] as const
  ) assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
  const alone = await project.asPublic({ path: "/api/data/notes/live", body: {} });
  assert.deepEqual([alone.status, alone.body.code], [401, "ACCESS_TOKEN_REQUIRED"]);
  const { engine } = app.services;
  assert.equal(await engine.records(project.projectId, LIVE_TICKETS).count(ALL), 0);
});

Deno.test("tickets, access tokens and keys are not stored in plain text", async () => {
  await using notes = await openNotes();
  const { app, project, ticket, user } = notes;
  const address = await ticket();
  const { engine } = app.services;
  const stored = await engine.records(project.projectId, LIVE_TICKETS).findOne(ALL);
  const secrets = [address.split("ticket=")[1]!, user.token, project.publishableKey];
  for (const secret of secrets) assert.equal(stored!.json.includes(secret), false);
});
