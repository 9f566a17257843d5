import assert from "node:assert/strict";
import { until } from "../acceptance/until.ts";
import { openClients } from "./fixture.ts";

const SOON_MS = 5_000;

/** What a live list tells, as it is told. */
function recorder() {
  const told = { titles: [] as string[], total: undefined as number | undefined };
  const connections: boolean[] = [];
  const errors: string[] = [];
  return {
    told,
    connections,
    errors,
    handlers: {
      // deno-lint-ignore no-explicit-any -- Documents of every shape.
      items(items: any[], total: number | undefined) {
        told.titles = items.map(({ title, text }) => title ?? text);
        told.total = total;
      },
      connected: (isConnected: boolean) => void connections.push(isConnected),
      error: ({ code }: { code: string }) => void errors.push(code),
    },
    shows: (...titles: string[]) =>
      until(`the list is ${titles}`, () => told.titles.join() === titles.join(), SOON_MS),
  };
}

Deno.test("a live list is in its order after each change", async () => {
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

Deno.test("what changed while a connection was lost is not missed", async () => {
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
  await until("it is connected", () => list.connections.length === 1, SOON_MS);
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

Deno.test("a live list goes on when its token runs out, and ends with its session", async () => {
  await using fixture = await openClients();
  const { app, project } = fixture;
  const corbel = fixture.client();
  const { _id } = await corbel.auth.signInAnonymously();
  const notes = corbel.from("notes");
  const list = recorder();
  const live = notes.live({}, list.handlers);
  await until("it is connected", () => list.connections.length === 1, SOON_MS);
  app.clock.advance(16 * 60_000);
  await notes.create({ text: "renewed" });
  await list.shows("renewed");
  await project.asSecret({ method: "DELETE", path: `/api/userAuth/users/${_id}/sessions` });
  app.clock.advance(6_000);
  await until("it has ended", () => list.errors.length === 1, 4 * SOON_MS);
  live.close();
});

Deno.test("what is refused for good is told once, and is not asked again", async () => {
  await using fixture = await openClients();
  const corbel = fixture.client();
  const list = recorder();
  corbel.from("notes").live({}, list.handlers);
  await until("it is refused", () => list.errors.length === 1, SOON_MS);
  assert.deepEqual(list.errors, ["ACCESS_TOKEN_REQUIRED"]);
  assert.equal(fixture.asked.length, 1);
});
