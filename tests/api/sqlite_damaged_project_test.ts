import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createLog } from "@/lib/runtime/log.ts";
import { createTestStore } from "../support/test_store.ts";
import { openDashboard } from "../support/pages.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";

const POSTS = { name: "posts", fields: [{ key: "title", type: "String" }] };

const callsOf = ({ projectId }: TestProject) => [
  { path: "/api/data/posts" },
  { path: "/api/data/posts?search=x&count=true" },
  { path: "/api/data/posts/0123456789abcdef01234567" },
  { path: "/api/data/posts", body: { title: "one" } },
  { path: "/api/data/posts/aggregate?count=true" },
  { path: "/api/userAuth/signup", body: { email: "a@example.com", password: "a long password" } },
  { path: "/api/storage/files" },
  { path: "/api/storage/usage" },
  { path: `/api/projects/${projectId}/openapi.json` },
  {
    path: "/api/storage/upload-request",
    body: { filename: "a", contentType: "text/plain", size: 1 },
  },
];

Deno.test("STORE_UNAVAILABLE: a project with a damaged schema is 503, is logged, and affects no other", async () => {
  await using store = await createTestStore();
  const lines: string[] = [];
  using log = createLog("warn", (text) => void lines.push(text));
  const opened = () => openTestApp({ store, log });
  let [lost, other]: TestProject[] = [];
  {
    await using app = await opened();
    [lost, other] = [await app.project(), await app.project()];
    for (const project of [lost, other]) await project!.collection(POSTS);
  }
  using db = new DatabaseSync(`${store.folder}/projects/${lost!.projectId}.db`);
  db.exec("drop table counts");
  db.close();
  await using app = await opened();
  for (const call of callsOf(lost!)) {
    const answer = await app.known(lost!).asSecret(call);
    assert.equal(answer.status, 503, `${call.path}: ${answer.text}`);
    assert.equal(answer.body.code, "STORE_UNAVAILABLE");
    assert.ok(!answer.text.includes(store.folder));
  }
  const owner = await app.known(lost!).owner();
  const dashboard = openDashboard(app, owner);
  for (const page of ["", "/collections/posts", "/files", "/users", "/requests"]) {
    const { status } = await dashboard.get(`/dashboard/projects/${lost!.projectId}${page}`);
    assert.notEqual(status, 500, page);
  }
  const list = await app.known(other!).asSecret({ path: "/api/data/posts" });
  assert.equal(list.status, 200, list.text);
  const created = await app.known(other!)
    .asSecret({ path: "/api/data/posts", body: { title: "one" } });
  assert.equal(created.status, 201, created.text);
  log.flush();
  const damageLines = lines.filter((line) => line.includes(`${lost!.projectId}.db`));
  assert.ok(
    damageLines.length > 0 && /damaged.*backup/.test(damageLines[0]!),
    lines.slice(-3).join("\n"),
  );
});
