import assert from "node:assert/strict";
import { createTestStore, database } from "../support/test_store.ts";
import {
  type Answer,
  type Call,
  createCollection,
  createProject,
  createUser,
  deleteCollection,
  issueToken,
  listAll,
  type Project,
  send,
  THINGS,
  updateCollection,
  type User,
} from "./project.ts";
import { admin, type Server, type Settings, startServer } from "./server.ts";
import { clientsByThread } from "./threads.ts";
import { until } from "./until.ts";

const PATH = "/api/data/things";

/** The issuer of tokens must not contain the port of a process. */
const settings = { PUBLIC_URL: "http://localhost:8000" };

/** Milliseconds within which another process must notice a change. */
const STALE_MS = 5000;

interface Pair extends AsyncDisposable {
  readonly servers: readonly [Server, Server];
}

async function startTwoProcesses(limits: Settings = {}): Promise<Pair> {
  const store = await createTestStore();
  const options = { store, settings: { ...settings, ...limits } };
  const started = await Promise.allSettled([startServer(options), startServer(options)]);
  const close = async () => {
    await Promise.all(
      started.map((one) => one.status === "fulfilled" && one.value[Symbol.asyncDispose]()),
    );
    await store[Symbol.asyncDispose]();
  };
  const [one, two] = started;
  if (one.status === "fulfilled" && two.status === "fulfilled") {
    return { servers: [one.value, two.value], [Symbol.asyncDispose]: close };
  }
  await close();
  throw started.find((result) => result.status === "rejected")!.reason;
}

/** Starts one server with two clients that are connected to different threads. */
async function startTwoThreads(): Promise<Pair> {
  const server = await startServer({ settings: { ...settings, WORKERS: "2" } });
  try {
    const [one, two] = await clientsByThread(server, 2);
    return {
      servers: [one!, two!],
      async [Symbol.asyncDispose]() {
        for (const { http } of [one!, two!]) http.close();
        await server[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

const STARTS = { "two processes": () => startTwoProcesses(), "two threads": startTwoThreads };

type Start = () => Promise<Pair>;

const guarantees: { readonly guarantee: string; prove(start: Start): Promise<void> }[] = [];

/** Registers a guarantee for two processes and for two threads, which share a pair each. */
const test = (guarantee: string, prove: (start: Start) => Promise<void>): void =>
  void guarantees.push({ guarantee, prove });

async function openThings(start: Start) {
  const pair = await start();
  try {
    const [{ settings }] = pair.servers;
    const project = await createProject(settings);
    await createCollection(settings, project, THINGS);
    return { ...pair, project };
  } catch (error) {
    await pair[Symbol.asyncDispose]();
    throw error;
  }
}

function sendAtOnce(
  { servers, project }: { servers: Pair["servers"]; project: Project },
  count: number,
  callOf: (i: number) => Call,
): Promise<Answer[]> {
  return Promise.all(
    Array.from(
      { length: count },
      (_, i) => send(servers[i % 2 === 0 ? 0 : 1], { key: project.secretKey, ...callOf(i) }),
    ),
  );
}

const tally = (answers: readonly Answer[]) =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status, body }) => `${status} ${body.code ?? ""}`.trim())
      .entries().map(([what, some]) => [what, some.length]),
  );

test("one server lists a document at once after another writes it", async (start) => {
  await using fixture = await openThings(start);
  const { servers, project } = fixture;
  const key = project.secretKey;
  for (let i = 0; i < 20; i++) {
    // The reader has read each state before the next is written, so its caches are stale.
    const [writer, reader] = i % 2 === 0 ? servers : servers.toReversed() as [Server, Server];
    const assertSeen = async ({ body }: Answer) => {
      const { data: document } = body;
      const path = `${PATH}/${document._id}`;
      assert.deepEqual((await send(reader, { path, key })).body.data, document);
      for (const sort of ["n", "-createdAt"]) {
        const list = await send(reader, { path: `${PATH}?sort=${sort}`, key });
        const listed = list.body.data.items.find((item: { n: number }) => item.n === i);
        assert.deepEqual([list.body.data.total, listed], [i + 1, document]);
      }
    };
    const inserted = await send(writer, { path: PATH, key, body: { n: i } });
    await assertSeen(inserted);
    const path = `${PATH}/${inserted.body.data._id}`;
    await assertSeen(await send(writer, { method: "PATCH", path, key, body: { text: "new" } }));
    await assertSeen(await send(writer, { method: "PUT", path, key, body: { n: i } }));
    await send(writer, { method: "DELETE", path, key });
    assert.equal((await send(reader, { path, key })).status, 404);
    assert.equal((await send(reader, { path: PATH, key })).body.data.total, i);
    await assertSeen(await send(writer, { method: "PATCH", path: `${path}/recover`, key }));
  }
});

test("of 40 parallel inserts of one unique value on both servers, one is stored", async (start) => {
  await using fixture = await openThings(start);
  const answers = await sendAtOnce(fixture, 40, (n) => ({ path: PATH, body: { n, code: "only" } }));
  assert.deepEqual(tally(answers), { "201": 1, "409 DUPLICATE_VALUE": 39 });
  const winner = answers.find(({ status }) => status === 201)!.body.data;
  for (const server of fixture.servers) {
    assert.deepEqual(await listAll(server, fixture.project, "things"), {
      items: [winner],
      total: 1,
    });
  }
});

test("of 20 parallel requests with one Idempotency-Key on both servers, one takes effect", async (start) => {
  await using fixture = await openThings(start);
  for (
    const call of [
      { path: PATH, body: { n: 1 } },
      { path: `${PATH}/bulk`, body: { documents: [{ n: 2 }, { n: 3 }] } },
    ]
  ) {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await sendAtOnce(fixture, 20, () => ({ ...call, headers }));
    assert.deepEqual(tally(answers), { "201": 20 });
    for (const { body } of answers) assert.deepEqual(body, answers[0]!.body);
  }
  for (const server of fixture.servers) {
    const { items, total } = await listAll(server, fixture.project, "things");
    assert.deepEqual([total, items.map(({ n }) => n).sort()], [3, [1, 2, 3]]);
  }
});

test("of 20 parallel changes of one revision on both servers, one succeeds", async (start) => {
  await using fixture = await openThings(start);
  const { servers: [server], project } = fixture;
  const created = await send(server, { path: PATH, key: project.secretKey, body: { n: -1 } });
  const path = `${PATH}/${created.body.data._id}`;
  const headers = { "if-match": created.headers.get("etag")! };
  const answers = await sendAtOnce(
    fixture,
    20,
    (n) => ({ method: "PATCH", path, body: { n }, headers }),
  );
  assert.deepEqual(tally(answers), { "200": 1, "412 PRECONDITION_FAILED": 19 });
  const winner = answers.find(({ status }) => status === 200)!.body.data;
  for (const server of fixture.servers) {
    const { body } = await send(server, { path, key: project.secretKey });
    assert.deepEqual(body.data, winner);
  }
});

test("a counter that both servers increment conditionally loses and repeats nothing", async (start) => {
  await using fixture = await openThings(start);
  const { servers, project: { secretKey: key } } = fixture;
  const created = await send(servers[0], { path: PATH, key, body: { n: 0 } });
  const path = `${PATH}/${created.body.data._id}`;
  const increment = async (server: Server): Promise<number[]> => {
    const reached: number[] = [];
    while (reached.length < 10) {
      const copy = await send(server, { path, key });
      const n = copy.body.data.n + 1;
      const headers = { "if-match": copy.headers.get("etag")! };
      const { status } = await send(server, { method: "PATCH", path, key, body: { n }, headers });
      assert.ok([200, 412].includes(status), `answered ${status}`);
      if (status === 200) reached.push(n);
    }
    return reached;
  };
  const reached = await Promise.all([...servers, ...servers].map(increment));
  const all = reached.flat().toSorted((a, b) => a - b);
  assert.deepEqual(all, Array.from({ length: 40 }, (_, i) => i + 1));
});

test("totals are exact when both servers insert, delete and recover at once", async (start) => {
  await using fixture = await openThings(start);
  const { project } = fixture;
  const created = await sendAtOnce(fixture, 60, (n) => ({ path: PATH, body: { n } }));
  assert.deepEqual(tally(created), { "201": 60 });
  const paths = created.map(({ body }) => `${PATH}/${body.data._id}`);
  const mixed = await sendAtOnce(fixture, 120, (i) => {
    if (i < 60) return { method: "DELETE", path: paths[i]! };
    if (i < 100) return { path: PATH, body: { n: i } };
    return { path: `${PATH}/bulk`, body: { documents: [{ n: i }, { n: i }] } };
  });
  assert.deepEqual(tally(mixed), { "200": 60, "201": 60 });
  const recovered = await sendAtOnce(fixture, 40, (i) => ({
    method: "PATCH",
    path: `${paths[i % 20]}/recover`,
  }));
  assert.deepEqual(tally(recovered), { "200": 40 });
  for (const server of fixture.servers) {
    const { items, total } = await listAll(server, project, "things");
    assert.deepEqual([total, items.length], [20 + 40 + 40, 100]);
    const path = `${PATH}?include_deleted=true&limit=1000`;
    const all = await send(server, { path, key: project.secretKey });
    assert.deepEqual([all.body.data.total, all.body.data.items.length], [140, 140]);
    const count = await send(server, { path: `${PATH}?count=true`, key: project.secretKey });
    assert.equal(count.body.data.count, 100);
  }
});

test("both servers use a key and a definition within 5 s after the other changed it", async (start) => {
  await using fixture = await openThings(start);
  const { servers, project } = fixture;
  const { projectId, secretKey } = project;
  const asked = async (key: string) =>
    (await Promise.all(servers.map((server) => send(server, { path: PATH, key }))))
      .map(({ status }) => status);
  const stored = async (key: string) =>
    (await Promise.all(
      servers.map((server) => send(server, { path: PATH, key, body: { extra: true } })),
    )).map(({ status }) => status);

  assert.deepEqual(await asked(secretKey), [200, 200]);
  const rotate = ["key", "rotate", "--project", projectId, "--kind", "secret"];
  const { key } = await admin(rotate, servers[0].settings);
  assert.deepEqual(await asked(key), [200, 200]);
  const isRefused = async () => (await asked(secretKey)).every((status) => status === 401);
  await until("both refuse the old key", isRefused, STALE_MS);

  assert.deepEqual(await stored(key), [201, 201]);
  await admin(
    ["collection", "update", "--project", projectId, "--file", "-"],
    servers[0].settings,
    JSON.stringify({ ...THINGS, strict: true }),
  );
  const isStrict = async () => (await stored(key)).every((status) => status === 400);
  await until("both use the new definition", isStrict, STALE_MS);
});

test("both servers use a collection within 5 s after it was deleted and created again", async (start) => {
  await using fixture = await openThings(start);
  const { servers: [one, other], project } = fixture;
  const { settings } = one;
  const { secretKey, publishableKey } = project;
  const insert = (server: Server, n: number) =>
    send(server, { path: PATH, key: secretKey, body: { n, userId: project.projectId } });
  const seen = (server: Server, key: string) => send(server, { path: PATH, key });
  assert.equal((await insert(other, 1)).status, 201);
  assert.equal((await seen(other, publishableKey)).status, 200);

  await deleteCollection(settings, project, THINGS.name);
  await createCollection(settings, project, { ...THINGS, rls: { mode: "private" } });
  const isPrivate = async (server: Server) => (await seen(server, publishableKey)).status === 401;
  const bothAre = async () => await isPrivate(one) && await isPrivate(other);
  await until("without a token nothing is visible", bothAre, STALE_MS);
  assert.equal((await insert(other, 2)).status, 201);
  const numbers = ({ items }: { items: readonly { n: number }[] }) => items.map(({ n }) => n);
  assert.deepEqual(numbers(await listAll(one, project, THINGS.name)), [2]);
  assert.deepEqual(numbers(await listAll(other, project, THINGS.name)), [2]);
});

test("a stricter rule applies on both servers once it is acknowledged", async (start) => {
  await using fixture = await openThings(start);
  const { servers, project } = fixture;
  const [{ settings }] = servers;
  const asked = (key: string) =>
    Promise.all(servers.map(async (server) => (await send(server, { path: PATH, key })).status));
  const isRead = async () => (await asked(project.publishableKey)).every((one) => one === 200);
  for (let round = 0; round < 3; round++) {
    await until("both show the document without a token", isRead, STALE_MS);
    await updateCollection(settings, project, { ...THINGS, rls: { mode: "private" } });
    assert.deepEqual(await asked(project.publishableKey), [401, 401]);
    assert.deepEqual(await asked(project.secretKey), [200, 200]);
    await updateCollection(settings, project, THINGS);
  }
});

test("writes during the recreation of a collection are kept and valid", async (start) => {
  await using fixture = await openThings(start);
  const { servers, project } = fixture;
  const [{ settings }] = servers;
  const key = project.secretKey;
  const written: { readonly sentAt: number; readonly answer: Answer }[] = [];
  let isOver = false;
  const writers = Array.from({ length: 8 }, async (_, i) => {
    while (!isOver) {
      const sentAt = performance.now();
      const call = { path: PATH, key, body: { extra: true } };
      written.push({ sentAt, answer: await send(servers[i % 2]!, call) });
    }
  });
  await until("both accept writes", () => written.length > 40);
  await deleteCollection(settings, project, THINGS.name);
  await createCollection(settings, project, THINGS);
  const madeAt = performance.now();
  const count = written.length;
  await until("both accept writes again", () => written.length > count + 80);
  await updateCollection(settings, project, { ...THINGS, strict: true });
  const changedAt = performance.now();
  const before = written.length;
  await until("both are refused", () => written.length > before + 40);
  isOver = true;
  await Promise.all(writers);

  const statuses = new Set(written.map(({ answer }) => answer.status));
  assert.deepEqual([...statuses].sort(), [201, 400, 404].filter((one) => statuses.has(one)));
  const { items } = await listAll(servers[0], project, THINGS.name);
  const stored = new Set(items.map(({ _id }) => _id));
  const since = written.filter(({ sentAt }) => sentAt > madeAt);
  const lost = since.filter(({ answer: { status, body } }) =>
    status === 201 && !stored.has(body.data._id)
  );
  assert.deepEqual([lost.length, stored.size > 40], [0, true]);
  const late = since.filter(({ sentAt }) => sentAt > changedAt);
  assert.deepEqual(new Set(late.map(({ answer }) => answer.status)), new Set([400]));
});

test("both servers refuse a session within 5 s after it ended in one, and keep others", async (start) => {
  await using pair = await start();
  const { servers } = pair;
  const project = await createProject(servers[0].settings);
  await createCollection(servers[0].settings, project, { name: "notes", fields: [] });
  const [leaving, staying] = [
    await createUser(servers[0].settings, project),
    await createUser(servers[0].settings, project),
  ];
  const key = project.publishableKey;
  const statuses = async ({ token }: User) =>
    (await Promise.all(servers.map((one) => send(one, { path: "/api/data/notes", key, token }))))
      .map(({ status }) => status);
  assert.deepEqual(await statuses(leaving), [200, 200]);
  assert.deepEqual(await statuses(staying), [200, 200]);

  const path = "/api/userAuth/logout";
  const { status } = await send(servers[0], { method: "POST", path, key, token: leaving.token });
  assert.equal(status, 200);
  assert.equal((await statuses(leaving))[0], 401, "refused at once where the session ended");
  // Constant use must not prolong the cached session.
  const isRefused = async () => (await statuses(leaving)).every((status) => status === 401);
  await until("both refuse the session", isRefused, STALE_MS);
  assert.deepEqual(await statuses(staying), [200, 200]);
});

test("two servers that start at once on an empty store accept each other's tokens and cursors", async (start) => {
  await using pair = await start();
  const { servers } = pair;
  const project = await createProject(servers[0].settings);
  await createCollection(servers[0].settings, project, { name: "notes", fields: [] });
  const { id } = await createUser(servers[0].settings, project);
  const path = "/api/data/notes";
  for (const [issuer, other] of [servers, servers.toReversed()] as [Server, Server][]) {
    const token = await issueToken(issuer.settings, project, id);
    const key = project.publishableKey;
    const noted = await send(other, { path, key, token, body: { text: "x" } });
    assert.deepEqual([noted.status, noted.body.data?.userId], [201, id]);
  }
  const first = await send(servers[0], { path: `${path}?limit=1`, key: project.secretKey });
  const cursor = encodeURIComponent(first.body.data.nextCursor);
  const next = await send(servers[1], {
    path: `${path}?limit=1&cursor=${cursor}`,
    key: project.secretKey,
  });
  assert.equal(next.status, 200, "a cursor of one server is valid at the other");
});

for (const [kind, start] of Object.entries(STARTS)) {
  Deno.test(`guarantees of ${kind}`, async (t) => {
    await using pair = await start();
    const shared = { ...pair, [Symbol.asyncDispose]: () => Promise.resolve() };
    for (const { guarantee, prove } of guarantees) {
      // Connections to the servers stay open between the tests.
      const lasting = { sanitizeOps: false, sanitizeResources: false };
      await t.step({ name: guarantee, ...lasting, fn: () => prove(() => Promise.resolve(shared)) });
    }
  });
}

/** Requests per minute, far more than are sent until the refusal. */
const LIMIT = 500;
/** Milliseconds within which each server shares its counts, which takes up to a second. */
const SHARED_MS = 2000;

Deno.test({
  name: "two processes: a limit that was spent at one is refused by the other within 2 s" +
    (database === "mongodb" ? "" : " (left out: on SQLite each process counts for itself)"),
  ignore: database !== "mongodb",
  async fn() {
    await using pair = await startTwoProcesses({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
    const [one, other] = pair.servers;
    const project = await createProject(one.settings);
    await createCollection(one.settings, project, THINGS);
    const call = { path: PATH, key: project.publishableKey };
    // Counts start again at each minute.
    await until("the current minute lasts long enough", () => Date.now() % 60_000 < 50_000, 11_000);
    const spent = await Promise.all(Array.from({ length: LIMIT + 1 }, () => send(one, call)));
    assert.deepEqual(tally(spent), { "200": LIMIT, "429 RATE_LIMITED": 1 });

    let asked = 0;
    const isRefused = async () => {
      asked++;
      return (await send(other, call)).status === 429;
    };
    await until("the other server refuses", isRefused, SHARED_MS);
    assert.ok(asked > 1 && asked < LIMIT, `refused at request ${asked}`);
  },
});

Deno.test("many processes can start at once on an empty store", async () => {
  for (let round = 0; round < 3; round++) {
    await using store = await createTestStore();
    const { settings } = store;
    // Waits for all, because a running process would create the store again after its removal.
    const ends = await Promise.allSettled(
      Array.from(
        { length: 6 },
        () => admin(["project", "create", "--name", "One", "--new"], settings),
      ),
    );
    const projectIds = ends.map((end) => {
      if (end.status === "rejected") throw end.reason;
      return end.value.projectId;
    });
    const { projects } = await admin(["project", "list"], settings);
    const ids = projects.map((one: Project) => one.projectId).sort();
    assert.deepEqual(ids, projectIds.sort());
  }
});
