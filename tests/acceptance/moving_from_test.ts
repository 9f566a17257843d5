import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createTestStore, type TestStore } from "../support/test_store.ts";
import { send } from "./project.ts";
import { type ProcessResult, run, startServer } from "./server.ts";

const POCKETBASE = fileURLToPath(new URL("../fixtures/pocketbase/pb_data", import.meta.url));

async function importFrom(source: string, { settings, folder }: TestStore): Promise<ProcessResult> {
  const words = ["project", "import", "--from", source, "--json"];
  const started = { settings: { ...settings, INIT_CWD: folder }, cwd: folder };
  return await (await run("admin", words, started)).ended;
}

async function imported(source: string, store: TestStore) {
  const { code, stdout, stderr } = await importFrom(source, store);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

Deno.test("project import takes a PocketBase folder while a server runs: users sign in, files work", async () => {
  await using server = await startServer();
  const report = await imported(`pocketbase:${POCKETBASE}`, server.store);
  const { publishableKey, secretKey, notes } = report;
  const { users, files, "collections/posts": posts } = report.imported;
  assert.deepEqual([users, posts, files], [2, 3, 4]);
  assert.ok(notes.length > 5);
  const body = { email: "ada@example.com", password: "seven wet stones 41" };
  for (const _turn of ["by bcrypt", "by argon2id"]) {
    const signedIn = await send(server, { path: "/api/userAuth/login", key: publishableKey, body });
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.equal(signedIn.body.data.user.name, "Ada");
  }
  const path = "/api/data/posts?slug=every-type&populate=cover";
  const { body: { data } } = await send(server, { path, key: secretKey });
  const [{ cover }] = data.items;
  const file = await fetch(cover.url, { client: server.http } as RequestInit);
  assert.equal(file.headers.get("content-type"), "image/png");
  assert.equal((await file.bytes()).length, 69);
});

Deno.test("project import takes a Firestore export, and names a source that it cannot read", async () => {
  await using store = await createTestStore();
  const folder = await Deno.makeTempDir({ prefix: "corbel-source-" });
  try {
    const name = "projects/p/databases/(default)/documents/posts/a";
    const line = JSON.stringify({ name, fields: { title: { stringValue: "Hello" } } });
    await Deno.writeTextFile(`${folder}/export.jsonl`, `${line}\n`);
    const report = await imported(`firestore:${folder}/export.jsonl`, store);
    assert.equal(report.imported["collections/posts"], 1);
    for (const source of [`firestore:${folder}/none`, `pocketbase:${folder}`]) {
      const { code, stdout, stderr } = await importFrom(source, store);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /Cannot read the file|is not a folder of PocketBase/);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
