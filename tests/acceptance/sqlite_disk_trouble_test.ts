import assert from "node:assert/strict";
import { createTestStore, sqliteStoreIn } from "../support/test_store.ts";
import { mounted, mountProblem } from "./mounts.ts";
import {
  type Answer,
  createCollection,
  createProject,
  createUser,
  issueToken,
  listAll,
  type Project,
  send,
  THINGS,
} from "./project.ts";
import {
  admin,
  freePort,
  run,
  runAdmin,
  type Server,
  startServer,
  taskArguments,
} from "./server.ts";
import { until } from "./until.ts";

const PATH = "/api/data/things";
const BALLAST_BYTES = 512 * 1024;
const BULK = 4;
const WRITES_MAX = 5000;
const CONNECTIONS = 4;

const problems = { tmpfs: await mountProblem("tmpfs"), ext4: await mountProblem("ext4") };

/** Registers a test that is skipped with a message if the file system cannot be mounted. */
function testOnMount(kind: keyof typeof problems, name: string, fn: () => Promise<void>): void {
  const problem = problems[kind];
  if (problem !== null) {
    console.log(`Left out: "${name}", because ${kind} cannot be mounted here: ${problem}`);
  }
  Deno.test({ name, ignore: problem !== null, fn });
}

function assertUnavailable({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.code, body.data], [503, "STORE_UNAVAILABLE", {}]);
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.doesNotMatch(
    JSON.stringify(body),
    /sqlite|\.db|disk/i,
    "internal errors are not revealed",
  );
}

/** Asserts that each refused write logged one line with the file and the error. */
async function assertOneLineEach(server: Server, refused: readonly Answer[]): Promise<void> {
  const lines = () =>
    server.stdout().trimEnd().split("\n").map((line) => JSON.parse(line))
      .filter(({ level }) => level === "error");
  await until("the log has the failures", () => lines().length >= refused.length);
  assert.deepEqual(
    lines().map(({ requestId }) => requestId).sort(),
    refused.map(({ headers }) => headers.get("x-request-id")!).sort(),
  );
  for (const { error } of lines()) {
    assert.match(error, /projects\/[0-9a-f]{24}\.db.*(full|disk|read)/i);
    assert.ok(!error.includes("\n"), "one line without a stack trace");
  }
}

/** Writes over several connections until each was refused once. */
async function writeUntilRefused(server: Server, { secretKey: key }: Project) {
  const stored = new Map<string, string>();
  const refused: Answer[] = [];
  const writer = async (connection: number) => {
    for (let i = 0; i < WRITES_MAX; i++) {
      const batch = `${connection}-${i}`;
      const documents = Array(BULK).fill({ batch, text: batch.repeat(100) });
      const answer = await send(server, { path: `${PATH}/bulk`, key, body: { documents } });
      if (answer.status !== 201) return void refused.push(answer);
      for (const id of answer.body.data.ids) stored.set(id, batch);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => writer(i)));
  assert.equal(refused.length, CONNECTIONS, "the disk must become full");
  return { stored, refused };
}

/** Asserts that exactly the acknowledged documents are stored, each complete. */
async function assertStored(
  server: Server,
  project: Project,
  stored: ReadonlyMap<string, string>,
): Promise<void> {
  const { items, total } = await listAll(server, project, "things");
  assert.equal(total, items.length);
  const found = new Map(items.map(({ _id, batch }) => [_id, batch]));
  assert.deepEqual(new Map([...found].sort()), new Map([...stored].sort()));
  for (const { batch, text } of items) assert.equal(text, batch.repeat(100));
}

testOnMount(
  "tmpfs",
  "a full disk refuses writes with 503, loses nothing, and recovers with space",
  async () => {
    await using mount = await mounted("tmpfs");
    const store = sqliteStoreIn(mount.folder);
    await using server = await startServer({ store });
    const { settings } = server;
    const project = await createProject(settings);
    await createCollection(settings, project, THINGS);
    const ballast = `${mount.folder}/ballast`;
    await Deno.writeFile(ballast, new Uint8Array(BALLAST_BYTES));

    const { stored, refused } = await writeUntilRefused(server, project);
    assert.ok(stored.size > 0);
    for (const answer of refused) assertUnavailable(answer);
    await assertOneLineEach(server, refused);
    const ready = () => send(server, { path: "/api/health/ready" });
    const { status, body } = await ready();
    assert.deepEqual([status, body.code], [503, "NOT_READY"]);
    await assertStored(server, project, stored);

    const { code, stdout, stderr } = await runAdmin(["project", "create", "--name", "x"], settings);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /\.db/);
    assert.doesNotMatch(stderr, /^\s+at /m);

    await Deno.remove(ballast);
    const write = {
      path: PATH,
      key: project.secretKey,
      body: { batch: "later", text: "later".repeat(100) },
    };
    let written: Answer | undefined;
    await until("writes work again", async () => {
      written = await send(server, write);
      return written.status === 201;
    });
    stored.set(written!.body.data._id, "later");
    assert.equal((await ready()).status, 200);
    await assertStored(server, project, stored);
    assert.equal((await admin(["project", "list"], settings)).projects.length, 1);
    assert.equal((await server.stop()).code, 0);
    await using again = await startServer({ store });
    await assertStored(again, project, stored);
  },
);

Deno.test("a full disk of the log does not affect responses", async () => {
  await using store = await createTestStore();
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = await taskArguments("start", store.settings);
  const child = new Deno.Command("bash", {
    args: ["-c", 'exec "$0" "$@" > /dev/full', Deno.execPath(), ...args],
    env: { ...store.settings, PORT: `${port}`, REGISTRATION: "open" },
    stderr: "null",
  }).spawn();
  try {
    const statusOf = (path: string) =>
      fetch(url + path).then(async (response) => {
        await response.body?.cancel();
        return response.status;
      }, () => 0);
    await until("ready", async () => await statusOf("/api/health/ready") === 200);
    for (let i = 0; i < 20; i++) {
      assert.equal(await statusOf("/api/data/things"), 401);
      // The log is flushed ten times a second.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(await statusOf("/api/health/ready"), 200);
  } finally {
    child.kill("SIGTERM");
    assert.equal((await child.status).code, 0);
  }
});

async function createPopulatedProject(server: Server) {
  const { settings } = server;
  const project = await createProject(settings);
  await createCollection(settings, project, THINGS);
  await createCollection(settings, project, { name: "notes", fields: [] });
  const documents = [..."abcdefgh"].map((batch) => ({ batch, text: batch.repeat(100) }));
  const call = { path: `${PATH}/bulk`, key: project.secretKey, body: { documents } };
  const ids: string[] = (await send(server, call)).body.data.ids;
  const stored = new Map(ids.map((id, i) => [id, documents[i]!.batch]));
  return { project, stored, documents, user: await createUser(settings, project) };
}

testOnMount(
  "ext4",
  "a disk that becomes read-only still serves reads, and refuses writes with 503",
  async () => {
    await using mount = await mounted("ext4");
    await using server = await startServer({ store: sqliteStoreIn(mount.folder) });
    const { project, stored, documents } = await createPopulatedProject(server);
    const { secretKey: key } = project;
    const one = `${PATH}/${[...stored.keys()][0]}`;
    await assertStored(server, project, stored);

    await mount.remount("abort");
    const headers = { "idempotency-key": "one" };
    const refused = [
      await send(server, { path: PATH, key, body: { batch: "x", text: "x" } }),
      await send(server, { path: PATH, key, body: { text: "x" }, headers }),
      await send(server, { path: `${PATH}/bulk`, key, body: { documents } }),
      await send(server, { method: "PATCH", path: one, key, body: { text: "x" } }),
      await send(server, { method: "PUT", path: one, key, body: { text: "x" } }),
      await send(server, { method: "DELETE", path: one, key }),
    ];
    for (const answer of refused) assertUnavailable(answer);
    await assertOneLineEach(server, refused);
    await assertStored(server, project, stored);
    assert.equal((await send(server, { path: one, key })).status, 200);
    assert.equal((await send(server, { path: "/api/health" })).status, 200);
    assert.equal((await server.stop()).code, 0);
  },
);

testOnMount(
  "ext4",
  "after a disk failure the server starts again with all acknowledged writes",
  async () => {
    await using mount = await mounted("ext4");
    const store = sqliteStoreIn(mount.folder);
    const settings = { PUBLIC_URL: "http://localhost:8000" };
    let fixture: Awaited<ReturnType<typeof createPopulatedProject>>;
    {
      await using first = await startServer({ store, settings });
      fixture = await createPopulatedProject(first);
      await mount.remount("abort");
      await first.kill();
    }
    const { project, stored, user } = fixture;
    await mount.mountAgain();
    await using server = await startServer({ store, settings });
    await assertStored(server, project, stored);
    const { publishableKey: key } = project;
    const path = "/api/data/notes";
    for (const token of [user.token, await issueToken(server.settings, project, user.id)]) {
      assert.equal((await send(server, { path, key, token, body: { text: "x" } })).status, 201);
    }
  },
);

testOnMount(
  "tmpfs",
  "a read-only data folder is refused at start with the name of the file",
  async () => {
    await using mount = await mounted("tmpfs");
    const { settings } = sqliteStoreIn(mount.folder);
    for (const isEmpty of [true, false]) {
      if (!isEmpty) await createProject(settings);
      await mount.remount("ro");
      const { code, stderr } = await (await run("start", [], { settings })).ended;
      assert.notEqual(code, 0);
      assert.ok(stderr.includes(mount.folder), stderr);
      assert.doesNotMatch(stderr, /^\s+at |uncaught/im);
      await mount.remount("rw");
    }
  },
);
