/** Tests which actor the change records behind webhooks and the log attribute a change to. */

import assert from "node:assert/strict";
import { TRASH_MS } from "@/lib/limits.ts";
import { type RequestLine, silentLog } from "@/lib/runtime/log.ts";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import type { Actor, Definition, PositionedChange } from "@/lib/store/port.ts";
import { parseArguments } from "@/routes/admin/arguments.ts";
import { COMMANDS } from "@/routes/admin/commands.ts";
import { maintain } from "@/routes/maintenance.ts";
import type { Call } from "../support/conforming_client.ts";
import { createToken } from "../support/dashboard.ts";
import { openDashboard } from "../support/pages.ts";
import { openChangeReader } from "../support/change_reader.ts";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";

const POSTS = {
  name: "posts",
  rls: { mode: "private" },
  fields: [
    { key: "n", type: "Number" },
    { key: "rank", type: "Number", required: true, default: 1 },
    { key: "slug", type: "String", unique: true },
  ],
};

async function openPosts() {
  const app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection(POSTS);
  const recorded = await openChangeReader(app.services, owner.projectId);
  return { app, owner, recorded, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function runAdmin({ app: { services } }: TestOwner, name: string, ...words: string[]) {
  const command = COMMANDS.get(name)!;
  return await command.run(services, parseArguments(words, command.options));
}

async function importRows({ app, account, projectId }: TestOwner): Promise<void> {
  const form = new FormData();
  form.append("rows", JSON.stringify([{ number: 1, document: { n: 8 } }]));
  form.append("once", app.services.newId());
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const { status, text } = await app.send({
    method: "POST",
    path: `/dashboard/projects/${projectId}/collections/posts/import/run`,
    headers: { cookie: account.cookie, "content-type": request.headers.get("content-type")! },
    body: new Uint8Array(await request.arrayBuffer()),
  });
  assert.ok(status < 400, text);
}

/** Stores a document without a required field, as an earlier definition allowed. */
async function storeUnfit({ app: { services }, projectId }: TestOwner): Promise<void> {
  const { records } = (await services.catalog.find(projectId, "posts"))!;
  const ours: Definition["fields"] = {
    isDeleted: { type: "Boolean" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
    deletedAt: { type: "Date" },
  };
  const fields = database === "sqlite" ? records.fields : ours;
  const unaware = { name: records.name, fields, indexes: [], trash: true };
  const at = "2026-01-01T00:00:00.000Z";
  await services.engine.records<StoredDocument>(projectId, unaware).insert({
    _id: services.newId(),
    createdAt: at,
    updatedAt: at,
    isDeleted: false,
    deletedAt: null,
  });
}

Deno.test("each write of a document is recorded with its actor, by whichever operation", async () => {
  await using posts = await openPosts();
  const { app, owner, recorded } = posts;
  const { project, account } = owner;
  const user = await project.user();
  await recorded();
  const member: Actor = { kind: "member", id: account.accountId };
  const key: Actor = { kind: "key", id: null };
  const assertRecorded = async (who: Actor, ...actions: string[]): Promise<PositionedChange[]> => {
    const changes = await recorded();
    assert.deepEqual(changes.map(({ action }) => action), actions);
    for (const { name, actor } of changes) assert.deepEqual([name, actor], ["posts", who]);
    return changes;
  };
  const at = "/api/data/posts";

  await project.asPublic({ path: at, body: { n: 1 } }, user);
  await assertRecorded({ kind: "user", id: user.id }, "created");

  await project.asSecret({ path: at, body: { n: 2 } });
  const [mine] = await assertRecorded(key, "created");
  const bulk = { documents: [{ n: 3 }, { n: 4 }] };
  await project.asSecret({ path: `${at}/bulk`, body: bulk });
  await assertRecorded(key, "created", "created");
  for (const n of [5, 6]) {
    const { status, text } = await project.asSecret({
      path: `${at}?upsert=slug`,
      body: { slug: "a", n },
    });
    assert.ok(status < 300, text);
  }
  await assertRecorded(key, "created", "changed");
  const operations = [{
    action: "patch",
    collection: "posts",
    id: mine!.recordId,
    document: { n: 7 },
  }];
  await project.asSecret({ path: "/api/batch", body: { operations } });
  await assertRecorded(key, "changed");

  await owner.asOwner({ path: "/collections/posts/documents", body: { n: 7 } });
  const [theirs] = await assertRecorded(member, "created");
  await importRows(owner);
  await assertRecorded(member, "created");
  const dashboard = openDashboard(app, account);
  const documents = `/dashboard/projects/${owner.projectId}/collections/posts`;
  const done = await dashboard.submit(`${documents}/documents`, {
    id: theirs!.recordId,
    act: "delete",
    sure: "yes",
  });
  assert.ok(done.status < 400, done.words);
  await assertRecorded(member, "deleted");

  await storeUnfit(owner);
  assert.deepEqual(await recorded(), []);
  await runAdmin(owner, "definition check", "--project", owner.projectId);
  await assertRecorded({ kind: "operator", id: null }, "changed");

  app.clock.advance(TRASH_MS + 1);
  await maintain(app.services);
  await assertRecorded({ kind: "corbel", id: null }, "removed");
});

Deno.test("each change of a user is recorded with its actor", async () => {
  await using posts = await openPosts();
  const { app, owner, recorded } = posts;
  const { project, account } = owner;
  const member: Actor = { kind: "member", id: account.accountId };
  const key: Actor = { kind: "key", id: null };
  const assertRecorded = async (who: Actor | null, ...events: string[]): Promise<void> => {
    const changes = (await recorded()).filter(({ action }) => action === "created");
    assert.deepEqual(changes.map(({ after }) => JSON.parse(after!).event), events);
    for (const { name, actor, recordId } of changes) {
      assert.deepEqual([name, actor], ["users", who ?? { kind: "user", id: recordId }]);
    }
  };
  const body = (n: number) => ({ email: `user${n}@example.com`, password: "seven wet stones 41" });

  await project.asPublic({ path: "/api/userAuth/signup", body: body(1) });
  await assertRecorded(null, "created", "signedIn");

  const made = await project.asSecret({ path: "/api/userAuth/users", body: body(2) });
  const path = `/api/userAuth/users/${made.body.data._id}`;
  await project.asSecret({ method: "PATCH", path, body: { disabled: true } });
  await project.asSecret({ method: "DELETE", path });
  await assertRecorded(key, "created", "changed", "deleted");

  const byOwner = await owner.asOwner({ path: "/users", body: body(3) });
  const at = `/users/${byOwner.body.data._id}`;
  await owner.asOwner({ method: "PATCH", path: at, body: { disabled: true } });
  await owner.asOwner({ method: "DELETE", path: at });
  await assertRecorded(member, "created", "changed", "deleted");

  const users = `/dashboard/projects/${owner.projectId}/users`;
  const dashboard = openDashboard(app, account);
  const created = await dashboard.submit(`${users}/new`, body(4));
  const page = created.location!.split("?")[0]!;
  for (const what of ["disable", "delete"]) {
    const answer = await dashboard.submit(`${page}/${what}`);
    assert.ok(answer.status < 400, answer.words);
  }
  await assertRecorded(member, "created", "changed", "deleted");

  const email = ["--project", owner.projectId, "--email", "ada@example.com"];
  const { userId } = await runAdmin(owner, "user create", ...email) as { userId: string };
  await assertRecorded({ kind: "operator", id: null }, "created");
  await runAdmin(owner, "token issue", "--project", owner.projectId, "--user", userId);
  await assertRecorded({ kind: "operator", id: null }, "signedIn");

  const another = await owner.asOwner({ path: "/users", body: body(5) });
  await assertRecorded(member, "created");
  const testToken = `/users/${another.body.data._id}/test-token`;
  await owner.asOwner({ method: "POST", path: testToken });
  await assertRecorded(member, "signedIn");
});

Deno.test("the log names the account of each request by session, page or token, and no other", async () => {
  const lines: RequestLine[] = [];
  await using app = await openTestApp({
    log: { ...silentLog, request: (line) => void lines.push(line) },
  });
  const owner = await createTestOwner(app);
  const { account, projectId, project } = owner;
  const { token } = await createToken(account);
  const logged = async (call: Call): Promise<unknown> => {
    lines.length = 0;
    await app.send(call);
    const [{ caller, account }] = lines as [RequestLine];
    return { caller, account };
  };
  const path = `/api/projects/${projectId}/users`;
  const page = `/dashboard/projects/${projectId}/users`;
  const { accountId, cookie } = account;
  const bySession = { caller: "account", account: accountId };
  assert.deepEqual(await logged({ path, headers: { cookie } }), bySession);
  assert.deepEqual(await logged({ path: page, headers: { cookie } }), bySession);
  assert.deepEqual(await logged({ path, headers: { authorization: `Bearer ${token}` } }), {
    caller: "accountToken",
    account: accountId,
  });
  assert.deepEqual(await logged({ path }), { caller: "account", account: null });
  const byKey = { path: "/api/userAuth/users", headers: { "x-api-key": project.secretKey } };
  assert.deepEqual(await logged(byKey), { caller: "secret", account: null });
});
