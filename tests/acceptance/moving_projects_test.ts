import assert from "node:assert/strict";
import {
  createTestStore,
  type Database,
  database,
  type Storage,
  storage,
} from "../support/test_store.ts";
import { createCollection, createWebhook, type Project, send, type User } from "./project.ts";
import { admin, run, runAdmin, type Server, startServer } from "./server.ts";

const PASSPHRASE = "correct horse battery staple\n";
const EMAIL = "ada@example.com";
const PASSWORD = "seven wet stones 41";
const CONTENT = new TextEncoder().encode("%PDF-1.7 the bytes of a file");

/** Field definitions of every type, at the top level and nested. */
const EVERYTHING = {
  name: "everything",
  fields: [
    { key: "text", type: "String", search: true },
    { key: "code", type: "String", unique: true },
    { key: "number", type: "Number", index: true },
    { key: "yes", type: "Boolean" },
    { key: "at", type: "Date" },
    { key: "other", type: "Ref", ref: "everything" },
    {
      key: "inside",
      type: "Object",
      fields: [{ key: "at", type: "Date" }, { key: "cover", type: "String", file: true }],
    },
    { key: "tags", type: "Array", items: { type: "String" } },
    { key: "times", type: "Array", items: { type: "Date" } },
    { key: "files", type: "Array", items: { type: "String" }, file: true },
  ],
  indexes: [{ fields: ["yes", "-at"] }],
  rls: { mode: "public-read", ownerField: "owner" },
};

const NOTES = {
  name: "notes",
  fields: [{ key: "text", type: "String", required: true }],
  rls: { mode: "private", ownerField: "userId" },
};

interface FilledProject {
  readonly project: Project;
  readonly user: User;
  readonly file: string;
  readonly privateFile: string;
  readonly documents: readonly string[];
}

async function sendOk(server: Server, call: Parameters<typeof send>[1], status = 200) {
  const answer = await send(server, call);
  assert.equal(answer.status, status, `${call.path}: ${answer.text}`);
  return answer.body;
}

async function uploadFile(server: Server, key: string, visibility: string): Promise<string> {
  const size = CONTENT.length;
  const type = "application/pdf";
  const asked = { filename: "Ä 1.pdf", contentType: type, size, visibility };
  const path = "/api/storage/upload-request";
  const { signedUrl, filePath } = await sendOk(server, { path, key, body: asked });
  const headers = { "content-type": type };
  const put = await fetch(signedUrl, {
    method: "PUT",
    headers,
    body: CONTENT,
    client: server.http,
  } as RequestInit);
  await put.body?.cancel();
  assert.equal(put.status, 200);
  await sendOk(server, { path: "/api/storage/upload-confirm", key, body: { filePath, size } });
  return filePath;
}

async function createFilledProject(server: Server): Promise<FilledProject> {
  const { settings } = server;
  const project: Project = await admin(
    ["project", "create", "--name", "Shop", "--site-url", "https://shop.example"],
    settings,
  );
  const { projectId, secretKey: key, publishableKey } = project;
  const inProject = ["--project", projectId];
  await admin(
    ["project", "set", ...inProject, "--file", "-"],
    settings,
    JSON.stringify({ auth: { signUp: "open" } }),
  );
  for (const definition of [EVERYTHING, NOTES]) {
    await createCollection(settings, project, definition);
  }
  await createWebhook(settings, project, {
    url: "https://hooks.example/corbel",
    collection: "notes",
  });
  await admin(
    ["provider", "set", ...inProject, "--provider", "github", "--client-id", "id"],
    settings,
    "a-client-secret\n",
  );
  const account = { email: EMAIL, password: PASSWORD, name: "Ada" };
  await sendOk(
    server,
    { path: "/api/userAuth/signup", key: publishableKey, body: account },
    201,
  );
  const user = await signIn(server, publishableKey);
  const file = await uploadFile(server, key, "public");
  const privateFile = await uploadFile(server, key, "private");
  const documents = [
    {
      text: "Straße und Ü \u{1F600}",
      code: "a",
      number: -0.5,
      yes: true,
      at: "2026-02-03T04:05:06.789Z",
      inside: { at: "1969-12-31T23:59:59.999Z", cover: file, free: { deep: [1, null] } },
      tags: ["x", "y"],
      times: ["2026-02-03T04:05:06.789Z"],
      files: [file, privateFile],
      undeclared: { 10: "ten", 2: "two", big: 9_007_199_254_740_993 },
      owner: user.id,
    },
    { text: "second", code: "b", number: 1e21, yes: false, at: null, owner: user.id },
    { text: "to the trash", code: "c", owner: user.id },
  ];
  const path = "/api/data/everything";
  const ids: string[] = [];
  for (const body of documents) {
    const { data } = await sendOk(server, { path, key, body }, 201);
    ids.push(data._id);
  }
  const [first, second, third] = ids.map((id) => `${path}/${id}`);
  // Adds revisions after the first one, and an undeclared link.
  await sendOk(server, { path: second!, key, method: "PATCH", body: { other: ids[0], number: 3 } });
  await sendOk(server, { path: first!, key, method: "PATCH", body: { number: { $inc: 1 } } });
  await sendOk(server, { path: third!, key, method: "DELETE" });
  const note = { text: "another user's note" };
  const token = user.token;
  await sendOk(server, { path: "/api/data/notes", key: publishableKey, token, body: note }, 201);
  return { project, user, file, privateFile, documents: ids };
}

async function signIn(server: Server, key: string): Promise<User> {
  const body = { email: EMAIL, password: PASSWORD };
  const answer = await sendOk(server, { path: "/api/userAuth/login", key, body });
  const token: string = answer.data.accessToken;
  const me = await sendOk(server, { path: "/api/userAuth/me", key, token });
  return { id: me.data._id ?? me.data.id, token };
}

async function startOn(database: Database, storage: Storage) {
  const store = await createTestStore(database, undefined, storage);
  // Commands run in the store's folder and may write there.
  const server = await startServer({ store, settings: { INIT_CWD: store.folder } });
  return {
    server,
    folder: store.folder,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

const exporting = (
  projectId: string,
  to: string,
) => ["project", "export", "--project", projectId, "--to", to, "--with-secrets"];

/** Asserts that the project's original keys and data work at the new server. */
async function assertMoved(there: Server, here: Server, from: FilledProject, to: Project) {
  const { projectId, secretKey: key, publishableKey } = from.project;
  const isCopy = to.projectId !== projectId;
  const keys = isCopy ? to : from.project;
  const moved = (text: string) => text.replaceAll(`${projectId}/`, `${to.projectId}/`);
  for (const id of from.documents.slice(0, 2)) {
    const path = `/api/data/everything/${id}`;
    const original = await send(there, { path, key });
    const is = await send(here, { path, key: keys.secretKey });
    assert.equal(is.text, moved(original.text));
    if (!isCopy) assert.equal(is.headers.get("etag"), original.headers.get("etag"));
  }
  const trash = "/api/data/everything?trash=only";
  const [was, is] = [
    await sendOk(there, { path: trash, key }),
    await sendOk(here, { path: trash, key: keys.secretKey }),
  ];
  assert.deepEqual(is.data.items, was.data.items);
  const found = await sendOk(here, {
    path: "/api/data/everything?search=strasse",
    key: keys.secretKey,
  });
  assert.equal(found.data.items.length, 1);

  const user = await signIn(here, keys.publishableKey);
  assert.equal(user.id, from.user.id);
  const asUser = { key: keys.publishableKey, token: user.token };
  const notes = await sendOk(here, { path: "/api/data/notes", ...asUser });
  assert.deepEqual(notes.data.items.map(({ text }: { text: string }) => text), [
    "another user's note",
  ]);
  const anonymous = await send(here, { path: "/api/data/notes", key: publishableKey });
  assert.ok(isCopy || anonymous.status === 401 || anonymous.body.data.items.length === 0);

  const populated = await sendOk(here, {
    path: `/api/data/everything/${from.documents[0]}?populate=files`,
    key: keys.secretKey,
  });
  const [publicOne, privateOne] = populated.data.files;
  for (const { url, path } of [publicOne, privateOne]) {
    assert.ok(path.startsWith(`${to.projectId}/`), path);
    const answer = await fetch(url, { client: here.http } as RequestInit);
    assert.deepEqual(await answer.bytes(), CONTENT, url);
  }
  const usage = await sendOk(here, { path: "/api/storage/usage", key: keys.secretKey });
  assert.equal(usage.data.used, 2 * CONTENT.length);
}

async function assertMoves(
  from: readonly [Database, Storage],
  to: readonly [Database, Storage],
): Promise<void> {
  await using there = await startOn(...from);
  await using here = await startOn(...to);
  const before = await createFilledProject(there.server);
  const { projectId } = before.project;
  const archive = `${there.folder}/shop.tar`;
  const exported = await admin(exporting(projectId, archive), there.server.settings, PASSPHRASE);
  assert.deepEqual(exported.collections, { everything: 3, notes: 1 });
  assert.equal(exported.files, 2);

  const importing = ["project", "import", "--from", archive, "--with-secrets"];
  const report = await admin(importing, here.server.settings, PASSPHRASE);
  assert.equal(report.projectId, projectId);
  assert.equal(report.secretKey, null, "the earlier keys remain valid");
  assert.deepEqual(report.todo, []);
  assert.deepEqual(report.leftOut, {});
  await assertMoved(there.server, here.server, before, before.project);
  const listed = await admin(["project", "pull", "--project", projectId], here.server.settings);
  assert.deepEqual(
    listed,
    await admin(["project", "pull", "--project", projectId], there.server.settings),
  );

  // On the way back the id is in use, so the import makes a copy.
  const back = `${here.folder}/back.tar`;
  await admin(exporting(projectId, back), here.server.settings, PASSPHRASE);
  const returning = ["project", "import", "--from", back, "--name", "Copy"];
  const taken = await runAdmin(returning, there.server.settings);
  assert.match(taken.stderr, /There is a project .* already.*--copy/);
  const copy = await admin([...returning, "--copy"], there.server.settings);
  assert.notEqual(copy.projectId, projectId);
  // Parts without file paths are equal to the bit after each move.
  for (const folder of ["identities", "collections/notes", "files"]) {
    assert.equal(copy.hashes[folder], report.hashes[folder], folder);
  }
  assert.match(copy.todo.join(), /Sign-in with github is off.*webhook Test is off/);
  await assertMoved(there.server, there.server, before, copy);
}

Deno.test("a project moves from the embedded store to this one with all data, and back as a copy", () =>
  assertMoves(["sqlite", "disk"], [database, storage]));

if (database !== "sqlite" || storage !== "disk") {
  Deno.test("a project moves from this store to the embedded one with all data, and back as a copy", () =>
    assertMoves([database, storage], ["sqlite", "disk"]));
}

Deno.test("an archive on standard output has no other output, and an interrupted file is deleted", async () => {
  await using there = await startOn("sqlite", "disk");
  const { server: { settings }, folder } = there;
  const { projectId } = await admin(["project", "create", "--name", "Shop"], settings);
  const words = ["project", "export", "--project", projectId, "--to", "-", "--json"];
  const { code, stdout, stderr } = await (await run("admin", words, { settings })).ended;
  assert.equal(code, 0, stderr);
  assert.ok(stdout.startsWith("manifest.json\0"));
  assert.equal(JSON.parse(stderr).files, 0);

  const target = `${folder}/shop.tar`;
  const missing = await runAdmin(exporting("0".repeat(24), target), settings, PASSPHRASE);
  assert.match(missing.stderr, /Project not found/);
  const short = await runAdmin(exporting(projectId, target), settings, "short\n");
  assert.match(short.stderr, /passphrase must have 12 characters/);
  const silent = await runAdmin(exporting(projectId, target), settings, "\n");
  assert.match(silent.stderr, /needs the archive's passphrase/);
  await Deno.writeTextFile(target, "something");
  const overwriting = await runAdmin(exporting(projectId, target), settings, PASSPHRASE);
  assert.match(overwriting.stderr, /exists already: delete it first/);
  assert.equal(await Deno.readTextFile(target), "something");
  const elsewhere = await runAdmin(exporting(projectId, "/none.tar"), settings, PASSPHRASE);
  assert.match(elsewhere.stderr, /the folder in which it was started/);
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name);
  assert.ok(!files.some((name) => name.endsWith(".part")), files.join());
});

Deno.test("a relative file name is resolved in the folder of the command", async () => {
  await using there = await startOn("sqlite", "disk");
  const { server: { settings }, folder } = there;
  const { projectId } = await admin(["project", "create", "--name", "Shop"], settings);
  await admin(["project", "export", "--project", projectId, "--to", "here.tar"], settings);
  assert.ok((await Deno.stat(`${folder}/here.tar`)).isFile);
  const { name } = await admin(["project", "import", "--from", "here.tar", "--copy"], settings);
  assert.equal(name, "Shop");
  const pulled = await admin(
    ["project", "pull", "--project", projectId, "--to", "a.json"],
    settings,
  );
  assert.equal(pulled.to, "a.json");
  await admin(["project", "push", "--project", projectId, "--from", "a.json"], settings);
});
