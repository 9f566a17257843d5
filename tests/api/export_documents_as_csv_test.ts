import assert from "node:assert/strict";
import { COLUMNS_MAX } from "@/lib/limits.ts";
import { LIST_ONLY_PARAMETERS } from "@/lib/operations/export_documents.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, times } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";
import { tooSlowApp } from "./too_slow_app.ts";

const PATH = "/collections/posts/documents.csv";
const FIELDS = [
  { key: "title", type: "String" },
  { key: "views", type: "Number" },
  { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
];

Deno.test("exportDocumentsAsCsv returns all filtered documents in the requested columns", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, rls: { mode: "private" } });
  const owner = await createTestOwner(app, collection.project);
  const documents = times(250, (views) => ({ title: `T${views}`, views, meta: { lang: "de" } }));
  for (const at of [0, 100, 200]) {
    ok(await collection.asSecret({ path: "/bulk", body: documents.slice(at, at + 100) }), 201);
  }
  const answer = await owner.as("viewer", {
    path: `${PATH}?columns=title,meta.lang&views_gte=100&sort=-views`,
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="posts.csv"');
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const lines = answer.text.trimEnd().split("\r\n");
  assert.deepEqual(lines.slice(0, 2), ["title,meta.lang", "T249,de"]);
  assert.equal(lines.length, 151);
  const all = await owner.asOwner({ path: `${PATH}?views=3` });
  assert.match(
    all.text,
    /^_id,title,views,meta,userId,createdAt,updatedAt,isDeleted,deletedAt\r\n/,
  );
});

Deno.test("exportDocumentsAsCsv refuses invalid requests before it sends anything", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const owner = await createTestOwner(app, collection.project);
  await collection.insertOne({ title: "A" });
  for (const name of [...LIST_ONLY_PARAMETERS, "offset", "skip"]) {
    const answer = await owner.asOwner({ path: `${PATH}?${name}=1` });
    refused(answer, 400, "INVALID_QUERY", `"${name}" is not a parameter of exports`);
  }
  const wide = times(COLUMNS_MAX + 1, (n) => `c${n}`).join();
  refused(await owner.asOwner({ path: `${PATH}?columns=${wide}` }), 400, "INVALID_QUERY", "501");
  refused(await owner.asOwner({ path: `${PATH}?columns=a&columns=b` }), 400, "INVALID_QUERY");
  refused(await owner.asOwner({ path: `${PATH}?views_gt=x` }), 400, "INVALID_QUERY");
  refused(await owner.asOwner({ path: `${PATH}?views_near=1` }), 400, "UNKNOWN_OPERATOR");
  refused(await owner.asOwner({ path: `${PATH}?search=x` }), 400, "SEARCH_NOT_DECLARED");
  const none = await owner.asOwner({ path: PATH.replace("posts", "none") });
  refused(none, 404, "COLLECTION_NOT_FOUND");
  const slow = tooSlowApp(app, (kind) => kind.startsWith("posts."));
  const headers = { cookie: owner.account.cookie };
  const path = `/api/projects/${owner.projectId}${PATH}`;
  refused(await send(slow, { path, headers }), 503, "QUERY_TOO_SLOW");
});
