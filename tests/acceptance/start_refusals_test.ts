import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createProject, send } from "./project.ts";
import { accepts, freePort, run, type Settings, startServer } from "./server.ts";
import { until } from "./until.ts";

const REFUSED_MS = 20_000;
const KEY_BASE64 = btoa("0123456789abcdef0123456789abcdef");

/** A start that must fail by itself, without ever listening. Resolves to what it says. */
async function refusedStart(settings: Settings): Promise<string> {
  const port = freePort();
  const running = await run("start", [], { settings: { PORT: String(port), ...settings } });
  let listened = false;
  try {
    await until("the refused process ends", async () => {
      listened ||= await accepts(port);
      return running.hasEnded();
    }, REFUSED_MS);
  } finally {
    if (!running.hasEnded()) running.signal("SIGKILL");
    await running.ended;
  }
  const { code, signal, stdout, stderr } = await running.ended;
  assert.ok(!listened, "a refused start must not listen");
  assert.equal(signal, null, stderr);
  assert.notEqual(code, 0, stderr);
  assert.doesNotMatch(stdout, /Listening/);
  assert.doesNotMatch(stderr, /^\s+at /m, "a refusal is a message, not a stack");
  assert.doesNotMatch(stderr, /uncaught/i);
  return stderr;
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-acceptance-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const at = (folder: string): Settings => ({ DATABASE_URL: `sqlite:${folder}` });

Deno.test("wrong settings are all reported at once, and nothing is made or listened on", async () => {
  await withFolder(async (folder) => {
    const told = await refusedStart({
      ...at(`${folder}/data`),
      TRUST_PROXY: "-1",
      LOG_LEVEL: "loud",
      PUBLIC_URL: "nonsense",
      SQLITE_SYNC: "off",
      RATE_LIMIT_PER_MINUTE: "none",
      RATE_LIMITS: "perhaps",
    });
    for (
      const part of [
        'TRUST_PROXY[^\\n]*"-1"',
        'LOG_LEVEL[^\\n]*"loud"',
        'PUBLIC_URL[^\\n]*"nonsense"',
        'SQLITE_SYNC[^\\n]*"off"',
        'RATE_LIMIT_PER_MINUTE[^\\n]*"none"',
        'RATE_LIMITS[^\\n]*"perhaps"',
      ]
    ) assert.match(told, new RegExp(part));
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});

Deno.test("a port or database that cannot be read is refused with its value", async () => {
  for (const PORT of ["0", "65536", "http", "80.5", "-1"]) {
    assert.match(await refusedStart({ PORT }), new RegExp(`PORT[^\\n]*"${PORT}"`));
  }
  const DATABASE_URL = "mysql://localhost/corbel";
  assert.match(await refusedStart({ DATABASE_URL }), /DATABASE_URL[^\n]*mysql/);
});

Deno.test("a public address that would send cookies in the clear is refused unless it is allowed", async () => {
  await withFolder(async (folder) => {
    for (
      const PUBLIC_URL of [
        "http://corbel.example",
        "http://192.0.2.1:8000",
        "http://localhost.example",
      ]
    ) {
      const told = await refusedStart({ ...at(folder), PUBLIC_URL });
      assert.match(told, /PUBLIC_URL[^\n]*ALLOW_INSECURE_COOKIES=true/);
    }
    const wrong = { PUBLIC_URL: "http://corbel.example", ALLOW_INSECURE_COOKIES: "yes" };
    assert.match(
      await refusedStart({ ...at(folder), ...wrong }),
      /ALLOW_INSECURE_COOKIES[^\n]*"yes"/,
    );
    const more: Settings[] = [
      { PUBLIC_URL: "http://corbel.example", ALLOW_INSECURE_COOKIES: "true" },
      { PUBLIC_URL: "https://corbel.example" },
      { PUBLIC_URL: "http://[::1]:8000" },
    ];
    for (const settings of more) {
      await using server = await startServer({ folder, settings });
      const { body } = await send(server, { path: "/" });
      assert.ok(JSON.stringify(body).includes(settings.PUBLIC_URL!), "answers name it");
    }
  });
});

Deno.test("a malformed key ring is refused without repeating any of it", async () => {
  const material = "TWFsZm9ybWVkU2VjcmV0";
  for (
    const SECRET_KEYS of [
      `key1:${material}`,
      `key1:${material}!!`,
      material,
      `key1:${KEY_BASE64},key1:${KEY_BASE64}`,
      `key1:${KEY_BASE64},key2:${material}`,
      `:${KEY_BASE64}`,
    ]
  ) {
    const told = await refusedStart({ SECRET_KEYS, DATABASE_URL: "mysql://x" });
    assert.match(told, /SECRET_KEYS/);
    assert.match(told, /DATABASE_URL/, "the other problem is told too");
    assert.ok(!told.includes(material) && !told.includes(KEY_BASE64), told);
  }
});

Deno.test("with a key ring of its own the server keeps none in the data folder", async () => {
  await using server = await startServer({ settings: { SECRET_KEYS: `key1:${KEY_BASE64}` } });
  await createProject(server.settings);
  const names = [...Deno.readDirSync(server.folder)].map(({ name }) => name);
  assert.ok(names.includes("control.db"));
  assert.deepEqual(names.filter((name) => name.startsWith("secret-keys")), []);
});

Deno.test("the database of another program is refused and left as it is", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/control.db`;
    const foreign = new DatabaseSync(path);
    foreign.exec("create table songs(title text); insert into songs values('Kind of Blue')");
    foreign.close();
    const before = await Deno.readFile(path);
    const told = await refusedStart(at(folder));
    assert.match(told, /control\.db/);
    assert.match(told, /another program/);
    assert.match(told, /DATABASE_URL/, "what to do about it is told");
    assert.deepEqual(await Deno.readFile(path), before, "not a byte of it changed");
    const left = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assert.ok(!left.includes("secret-keys"), "no key ring is made beside it");
  });
});

Deno.test("a database of a newer schema is refused and left as it is", async () => {
  await withFolder(async (folder) => {
    await createProject(at(folder));
    const path = `${folder}/control.db`;
    const newer = new DatabaseSync(path);
    const { user_version } = newer.prepare("pragma user_version").get() as { user_version: number };
    newer.exec("pragma user_version = 99");
    newer.close();
    const told = await refusedStart(at(folder));
    assert.match(told, /control\.db/);
    assert.match(told, /99/);
    assert.match(told, new RegExp(`\\b${user_version}\\b`), "the version it knows is told");
    const again = new DatabaseSync(path);
    assert.deepEqual({ ...again.prepare("pragma user_version").get() }, { user_version: 99 });
    again.exec(`pragma user_version = ${user_version}`);
    again.close();
    await using server = await startServer({ folder });
    assert.equal((await send(server, { path: "/api/health/ready" })).status, 200);
  });
});

Deno.test("a file that is no database is refused and left as it is", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/control.db`;
    const text = "These are my notes, not a database. ".repeat(100);
    await Deno.writeTextFile(path, text);
    assert.match(await refusedStart(at(folder)), /control\.db/);
    assert.equal(await Deno.readTextFile(path), text);
  });
});

Deno.test("a data folder that is a file is refused", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/data`;
    await Deno.writeTextFile(path, "a file");
    for (const taken of [path, `${path}/below`]) {
      assert.ok((await refusedStart(at(taken))).includes(taken));
    }
    assert.equal(await Deno.readTextFile(path), "a file");
  });
});

Deno.test("a port in use is named and refused, and who holds it goes on", async () => {
  await using server = await startServer();
  await withFolder(async (folder) => {
    const settings = { ...at(folder), PORT: String(server.port) };
    const { code, stderr } = await (await run("start", [], { settings })).ended;
    assert.notEqual(code, 0);
    assert.match(stderr, /in use/i);
    assert.doesNotMatch(stderr, /^\s+at /m);
    assert.ok(stderr.includes(String(server.port)), `the port is told: ${stderr}`);
    assert.equal((await send(server, { path: "/api/health" })).status, 200);
  });
});
