import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createTestStore } from "../support/test_store.ts";
import { createProject, send } from "./project.ts";
import { refusedStart } from "./refused_start.ts";
import { startServer } from "./server.ts";

const KEY_BASE64 = btoa("0123456789abcdef0123456789abcdef");

Deno.test("two processes that start at once in an empty folder share one key ring", async () => {
  await using store = await createTestStore();
  const started = await Promise.allSettled([startServer({ store }), startServer({ store })]);
  try {
    assert.ok(started.every(({ status }) => status === "fulfilled"));
    const file = await Deno.stat(`${store.folder}/secret-keys`);
    assert.equal(file.mode! & 0o777, 0o600);
    const rings = [...Deno.readDirSync(store.folder)]
      .filter(({ name }) => name.startsWith("secret-keys"));
    assert.equal(rings.length, 1, "the attempts left no files");
  } finally {
    for (const one of started) {
      if (one.status === "fulfilled") await one.value[Symbol.asyncDispose]();
    }
  }
});

Deno.test("an invalid SQLITE_SYNC is reported with all other problems before the folder is created", async () => {
  await using store = await createTestStore();
  const output = await refusedStart({
    DATABASE_URL: `sqlite:${store.folder}/data`,
    SQLITE_SYNC: "off",
    LOG_LEVEL: "loud",
  });
  assert.match(output, /SQLITE_SYNC[^\n]*"off"/);
  assert.match(output, /LOG_LEVEL[^\n]*"loud"/);
  assert.ok(await store.isUntouched());
});

Deno.test("a command closes its files in a folder that no server uses", async () => {
  await using store = await createTestStore();
  await createProject(store.settings);
  const left = [...Deno.readDirSync(store.folder)].map((entry) => entry.name);
  assert.ok(left.includes("control.db"));
  assert.deepEqual(left.filter((name) => /-(wal|shm)$/.test(name)), []);
});

Deno.test("a server with its own key ring stores none in the data folder", async () => {
  await using server = await startServer({ settings: { SECRET_KEYS: `key1:${KEY_BASE64}` } });
  await createProject(server.settings);
  const names = [...Deno.readDirSync(server.store.folder)].map(({ name }) => name);
  assert.ok(names.includes("control.db"));
  assert.deepEqual(names.filter((name) => name.startsWith("secret-keys")), []);
});

Deno.test("another program's database is refused and left unchanged", async () => {
  await using store = await createTestStore();
  const { folder, settings } = store;
  const path = `${folder}/control.db`;
  const foreign = new DatabaseSync(path);
  foreign.exec("create table songs(title text); insert into songs values('Kind of Blue')");
  foreign.close();
  const before = await Deno.readFile(path);
  const output = await refusedStart(settings);
  assert.match(output, /control\.db/);
  assert.match(output, /another program/);
  assert.match(output, /DATABASE_URL/, "a remedy is printed");
  assert.deepEqual(await Deno.readFile(path), before, "the file is unchanged");
  const left = [...Deno.readDirSync(folder)].map(({ name }) => name);
  assert.ok(!left.includes("secret-keys"), "no key ring is created next to it");
});

Deno.test("a database of a newer schema is refused and left unchanged", async () => {
  await using store = await createTestStore();
  const { folder, settings } = store;
  await createProject(settings);
  const path = `${folder}/control.db`;
  const newer = new DatabaseSync(path);
  const { user_version } = newer.prepare("pragma user_version").get() as { user_version: number };
  newer.exec("pragma user_version = 99");
  newer.close();
  const output = await refusedStart(settings);
  assert.match(output, /control\.db/);
  assert.match(output, /99/);
  assert.match(output, new RegExp(`\\b${user_version}\\b`), "the supported version is printed");
  const again = new DatabaseSync(path);
  assert.deepEqual({ ...again.prepare("pragma user_version").get() }, { user_version: 99 });
  again.exec(`pragma user_version = ${user_version}`);
  again.close();
  await using server = await startServer({ store });
  assert.equal((await send(server, { path: "/api/health/ready" })).status, 200);
});

Deno.test("a file that is not a database is refused and left unchanged", async () => {
  await using store = await createTestStore();
  const { folder, settings } = store;
  const path = `${folder}/control.db`;
  const text = "These are my notes, not a database. ".repeat(100);
  await Deno.writeTextFile(path, text);
  assert.match(await refusedStart(settings), /control\.db/);
  assert.equal(await Deno.readTextFile(path), text);
});

Deno.test("a data folder that is a file is refused", async () => {
  await using store = await createTestStore();
  const { folder } = store;
  const path = `${folder}/data`;
  await Deno.writeTextFile(path, "a file");
  for (const taken of [path, `${path}/below`]) {
    assert.ok((await refusedStart({ DATABASE_URL: `sqlite:${taken}` })).includes(taken));
  }
  assert.equal(await Deno.readTextFile(path), "a file");
});
