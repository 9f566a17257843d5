import assert from "node:assert/strict";
import { until } from "../acceptance/until.ts";
import { openClients, reportedErrors } from "./fixture.ts";

function recorder() {
  const state = { titles: [] as string[], total: undefined as number | undefined };
  const connections: boolean[] = [];
  const errors: string[] = [];
  return {
    told: state,
    connections,
    errors,
    handlers: {
      // deno-lint-ignore no-explicit-any -- Documents of every shape.
      items(items: any[], total: number | undefined) {
        state.titles = items.map(({ title, text }) => title ?? text);
        state.total = total;
      },
      connected: (isConnected: boolean) => void connections.push(isConnected),
      error: ({ code }: { code: string }) => void errors.push(code),
    },
    shows: (...titles: string[]) =>
      until(`the list is ${titles}`, () => state.titles.join() === titles.join()),
  };
}

Deno.test("a live list is sorted after each change", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  const low = await posts.create({ title: "low", views: 1 });
  const list = recorder();
  const live = posts.live({ where: { views: { gt: 0 } }, sort: "-views" }, list.handlers);
  await list.shows("low");
  await posts.create({ title: "high", views: 9 });
  await list.shows("high", "low");
  await posts.patch(low._id, { views: 10 });
  await list.shows("low", "high");
  assert.equal(list.told.total, 2);
  await posts.patch(low._id, { views: 0 });
  await list.shows("high");
  live.close();
  await posts.create({ title: "unseen", views: 5 });
  assert.deepEqual(list.told.titles, ["high"]);
  assert.deepEqual(list.connections, [true]);
});

Deno.test("changes during a lost connection are not missed", async () => {
  await using fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const posts = server.from("posts");
  let cut: (() => void) | null = null;
  let opened = 0;
  fixture.intercept((request) => {
    if (!request.url.includes("/live")) return null;
    opened++;
    if (cut !== null) return null;
    fixture.intercept(null);
    return fixture.app.open({
      path: request.url.slice("http://localhost:8000".length),
      headers: request.headers,
    }).then(({ body, status, headers }) => {
      const reader = body!.getReader();
      const stream = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value, done } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      });
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const broken = new AbortController();
      cut = () => {
        broken.abort(new TypeError("lost"));
        reader.cancel();
      };
      stream.pipeTo(writable, { signal: broken.signal }).catch(() => {});
      return new Response(readable, { status, headers });
    });
  });
  const list = recorder();
  const live = posts.live({ sort: "createdAt" }, list.handlers);
  await until("the list is connected", () => list.connections.length === 1);
  await posts.create({ title: "one" });
  await list.shows("one");
  cut!();
  fixture.app.clock.advance(1000);
  await posts.create({ title: "two" });
  await list.shows("one", "two");
  assert.deepEqual(list.connections, [true, false, true]);
  assert.equal(opened, 1);
  live.close();
});

Deno.test("a live list continues when its token expires, and ends with its session", async () => {
  await using fixture = await openClients();
  const { app, project } = fixture;
  const corbel = fixture.client();
  const { _id } = await corbel.auth.signInAnonymously();
  const notes = corbel.from("notes");
  const list = recorder();
  const live = notes.live({}, list.handlers);
  await until("the list is connected", () => list.connections.length === 1);
  app.clock.advance(16 * 60_000);
  await notes.create({ text: "renewed" });
  await list.shows("renewed");
  await project.asSecret({ method: "DELETE", path: `/api/userAuth/users/${_id}/sessions` });
  app.clock.advance(6_000);
  await until("the list has ended", () => list.errors.length === 1);
  live.close();
});

Deno.test("a final refusal is reported once and is not repeated", async () => {
  await using fixture = await openClients();
  const corbel = fixture.client();
  const list = recorder();
  corbel.from("notes").live({}, list.handlers);
  await until("the list is refused", () => list.errors.length === 1);
  assert.deepEqual(list.errors, ["ACCESS_TOKEN_REQUIRED"]);
  assert.equal(fixture.asked.length, 1);
});

Deno.test("handlers that throw are reported, and the list continues", async () => {
  await using fixture = await openClients();
  const posts = fixture.client(fixture.project.secretKey).from("posts");
  using reported = reportedErrors();
  const shown: string[] = [];
  const fail = () => {
    throw new Error("by a handler");
  };
  const live = posts.live({ sort: "title" }, {
    items(items) {
      shown.push(items.map(({ title }) => title).join());
      fail();
    },
    connected: fail,
  });
  await until("the list is there", () => shown.length === 1);
  await posts.create({ title: "one" });
  await until("the change is there", () => shown.at(-1) === "one");
  assert.equal(fixture.asked.filter((line) => line.includes("/live")).length, 1);
  assert.deepEqual(new Set(reported.messages), new Set(["by a handler"]));
  live.close();
  fixture.client().from("notes").live({}, { items() {}, error: fail });
  fixture.client().from("notes").live({}, { items() {} });
  await until(
    "an error without a handler is reported",
    () => reported.messages.some((one) => /token/i.test(one)),
  );
});

/** Opens a live list of two of the documents 1 to 4, by their numbers. */
async function openTwoOfFour(fixture: Awaited<ReturnType<typeof openClients>>, sort = "views") {
  const posts = fixture.client(fixture.project.secretKey).from("posts");
  const ids: string[] = [];
  for (const views of [1, 2, 3, 4]) {
    ids.push((await posts.create({ title: String(views), views }))._id);
  }
  const list = recorder();
  const live = posts.live({ sort, limit: 2 }, list.handlers);
  await list.shows(...(sort === "views" ? ["1", "2"] : ["4", "3"]));
  const openedLists = () => fixture.asked.filter((line) => line.includes("/live")).length;
  return { posts, ids: ids as [string, string, string, string], list, live, opened: openedLists };
}

Deno.test("a list with a limit is refilled when one of its documents is deleted", async () => {
  await using fixture = await openClients();
  const { posts, ids, list, live, opened } = await openTwoOfFour(fixture);
  await posts.delete(ids[0]);
  await list.shows("2", "3");
  assert.equal(list.told.total, 3);
  await posts.delete(ids[2]);
  await list.shows("2", "4");
  await posts.delete(ids[1]);
  await list.shows("4");
  assert.equal(list.told.total, 1);
  const before = opened();
  await posts.delete(ids[3]);
  await list.shows();
  assert.equal(opened(), before, "a list whose end is known is not read again");
  assert.deepEqual(list.connections, [true], "reading the list again does not disconnect");
  live.close();
});

Deno.test("a list with a limit is correct when a document moves beyond its edge and back", async () => {
  await using fixture = await openClients();
  const { posts, ids, list, live } = await openTwoOfFour(fixture);
  await posts.patch(ids[0], { views: 3.5 });
  await list.shows("2", "3");
  await posts.patch(ids[0], { views: 100 });
  await posts.patch(ids[1], { views: 200 });
  await list.shows("3", "4");
  await posts.patch(ids[1], { views: 0 });
  await list.shows("2", "3");
  live.close();
});

Deno.test("a list with a limit adds documents before its edge, and none after it", async () => {
  await using fixture = await openClients();
  const { posts, ids, list, live, opened } = await openTwoOfFour(fixture);
  await posts.create({ title: "far", views: 9 });
  const { _id } = await posts.create({ title: "half", views: 0.5 });
  await list.shows("half", "1");
  await posts.patch(ids[3], { views: 1.5 });
  await posts.delete(_id);
  await list.shows("1", "4");
  assert.equal(opened(), 1, "a known next document is not requested");
  await posts.delete(ids[0]);
  await list.shows("4", "2");
  await posts.delete(ids[3]);
  await list.shows("2", "3");
  live.close();
});

Deno.test("a list with a limit matches the server after many random changes", async () => {
  await using fixture = await openClients();
  const { posts, list, live } = await openTwoOfFour(fixture, "-views");
  for (let change = 0; change < 60; change++) {
    const { items } = await posts.list({ limit: 1000 });
    const one = items[Math.floor(Math.random() * items.length)];
    const views = Math.floor(Math.random() * 10);
    const kind = Math.floor(Math.random() * 3);
    if (kind === 0 || one === undefined) await posts.create({ title: `new ${change}`, views });
    else if (kind === 1) await posts.delete(one._id);
    else await posts.patch(one._id, { views });
  }
  const { items } = await posts.list({ sort: "-views", limit: 2 });
  await list.shows(...items.map(({ title }) => title));
  live.close();
});

Deno.test("a list is sorted by fields that it does not select", async () => {
  await using fixture = await openClients();
  const posts = fixture.client(fixture.project.secretKey).from("posts");
  await posts.createMany([3, 1, 2].map((views) => ({ title: String(views), views })));
  const list = recorder();
  const live = posts.live({ fields: ["title"], sort: ["-views"] }, list.handlers);
  await list.shows("3", "2", "1");
  await posts.create({ title: "2.5", views: 2.5 });
  await list.shows("3", "2.5", "2", "1");
  live.close();
});

Deno.test("a live list that receives a page continues only if it was connected before", async () => {
  await using fixture = await openClients();
  const posts = fixture.client(fixture.project.secretKey).from("posts");
  const page = () => Promise.resolve(new Response("<h1>Sign in</h1>"));
  fixture.intercept(page);
  const first = recorder();
  posts.live({}, first.handlers);
  await until("the list has ended", () => first.errors.length === 1);
  assert.deepEqual(first.errors, ["NO_ANSWER_OF_CORBEL"]);
  fixture.intercept(null);
  const { ids, list, live } = await openTwoOfFour(fixture);
  let pages = 0;
  fixture.intercept(({ url }) => url.includes("/live") && pages++ === 0 ? page() : null);
  await posts.delete(ids[0]);
  await list.shows("2", "3");
  assert.deepEqual(list.connections, [true, false, true]);
  live.close();
});
