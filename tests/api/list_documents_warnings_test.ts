/** Warnings and refusals for names that are not declared, with suggestions. */

import assert from "node:assert/strict";
import { updateCollection } from "../support/given.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, refused } from "./test_collection.ts";

const FIELDS = [
  { key: "status", type: "String" },
  { key: "views", type: "Number" },
  { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
  { key: "open", type: "Object" },
];

const undeclared = (parameter: string, path: string, suggestion?: string) => ({
  parameter,
  message: `The collection does not declare "${path}".` +
    (suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`),
});

const where = (tree: unknown): string => `where=${encodeURIComponent(JSON.stringify(tree))}`;

Deno.test("listDocuments warns of each condition on an undeclared field next to its data", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, strict: false });
  await collection.insert({ stauts: "draft", viewz: 5 });
  const cases: [string, unknown[]][] = [
    ["stauts=draft", [undeclared("stauts", "stauts", "status")]],
    ["stauts=draft&stauts=draft", [undeclared("stauts", "stauts", "status")]],
    ["viewz_gt=1", [undeclared("viewz_gt", "viewz", "views")]],
    ["limt=3", [undeclared("limt", "limt", "limit")]],
    ["place.ctiy=Rome", [undeclared("place.ctiy", "place.ctiy", "place.city")]],
    ["colour=red", [undeclared("colour", "colour")]],
    ['filter={"viewz_gt":1}', [undeclared("filter", "viewz", "views")]],
    ["filter[viewz_gt]=1", [undeclared("viewz_gt", "viewz", "views")]],
    [where({ or: [{ viewz: 5 }, { stauts: { in: ["draft"] } }] }), [
      undeclared("where", "viewz", "views"),
      undeclared("where", "stauts", "status"),
    ]],
    ["fields=titel,stauts", [undeclared("fields", "stauts", "status")]],
    ["fields=-stauts", [undeclared("fields", "stauts", "status")]],
  ];
  for (const [query, warnings] of cases) {
    for (const path of [`?${query}`, `?${query}`, `?${query}&count=true`]) {
      const { status, body } = await collection.asPublic({ path });
      assert.equal(status, 200, path);
      assert.deepEqual(body.warnings, warnings, path);
      assert.equal("warnings" in body.data, false, path);
    }
  }
  const found = await collection.asPublic({ path: "?stauts=draft" });
  assert.equal(found.body.data.total, 1, "an undeclared field can be stored and found");
});

Deno.test("listDocuments does not warn of declared fields, open objects and system fields", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, strict: false });
  const path =
    "?status=a&views_gt=1&place.city=b&open.any_in=1,2&_id_ne=x&createdAt_gt=2026-01-01" +
    "&isDeleted=false&fields=status,open.any,else&sort=-views&limit=5";
  const { status, body } = await collection.asPublic({ path });
  assert.equal(status, 200);
  assert.equal("warnings" in body, false);
});

Deno.test("aggregateDocuments warns of conditions on undeclared fields", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, strict: false });
  const { body } = await collection.asPublic({ path: "/aggregate?count=true&stauts=a" });
  assert.deepEqual(body.warnings, [undeclared("stauts", "stauts", "status")]);
  const declared = await collection.asPublic({ path: "/aggregate?count=true&status=a" });
  assert.equal("warnings" in declared.body, false);
});

Deno.test("warnings follow a changed definition and change the ETag", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, strict: false });
  const before = await collection.asPublic({ path: "?stauts=a" });
  const fields = [...FIELDS, { key: "stauts", type: "String" }];
  const definition = { name: collection.name, rls: { mode: "public-read" }, strict: false, fields };
  await updateCollection(app.services, collection.project.projectId, definition);
  const etag = before.headers.get("etag")!;
  const after = await collection.asPublic({
    path: "?stauts=a",
    headers: { "if-none-match": etag, "cache-control": "no-cache" },
  });
  assert.equal(after.status, 200);
  assert.equal("warnings" in after.body, false);
  assert.deepEqual(after.body.data, before.body.data);
});

Deno.test("suggestions are limited to ten names of a query", async () => {
  await using app = await openTestApp();
  const fields = Array.from(
    { length: 150 },
    (_, i) => ({ key: `${"a".repeat(60)}${i}`, type: "String" }),
  );
  const collection = await createTestCollection(app, { fields, strict: false });
  const tree = { and: Array.from({ length: 50 }, (_, i) => ({ [`${"a".repeat(60)}x${i}`]: 1 })) };
  const { body } = await collection.asPublic({ path: `?${where(tree)}` });
  assert.equal(body.warnings.length, 50);
  const suggestions = body.warnings.filter(({ message }: { message: string }) =>
    message.endsWith("?")
  );
  assert.equal(suggestions.length, 10);
});

Deno.test("a strict collection refuses an undeclared name and suggests the nearest one", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, strict: true });
  const list = (query: string) => collection.asPublic({ path: `?${query}` });
  const cases: [string, RegExp][] = [
    ["stauts=draft", /strict collection does not declare\. Did you mean "status"\?$/],
    ["viewz_gt=1", /"viewz", which .* Did you mean "views"\?$/],
    ["limt=3", /Did you mean "limit"\?$/],
    [where({ viewz: 1 }), /^"where" names "viewz", .* Did you mean "views"\?$/],
    ["colour=red", /^"colour" names a field that this strict collection does not declare\.$/],
    ["order=views", /does not declare\. Did you mean "sort"\?$/],
    ["per_page=3", /does not declare\. Did you mean "limit"\?$/],
    ["sort=views%20DESC", /^"sort" must be a list of field.* Write views:desc\.$/],
  ];
  for (const [query, why] of cases) refused(await list(query), 400, "INVALID_QUERY", why);
});

Deno.test("an unknown name in a query is refused with the nearest existing name", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const writers = await createTestCollection(app, { name: "writers" }, project);
  const posts = await createTestCollection(app, {
    fields: [...FIELDS, { key: "author", type: "Ref", ref: "writers" }],
    strict: false,
  }, project);
  const list = (query: string) => posts.asPublic({ path: `?${query}` });
  refused(await list("sort=-veiws"), 400, "INVALID_QUERY", /Did you mean "views"\?$/);
  refused(await list("populate=autor"), 400, "INVALID_QUERY", /Did you mean "author"\?$/);
  refused(await list("views_gtt=1"), 400, "UNKNOWN_OPERATOR", /Did you mean "views_gt"\?$/);
  refused(await list("views_like=1"), 400, "UNKNOWN_OPERATOR", /Did you mean "views_contains"\?$/);
  refused(await list("views_near=1"), 400, "UNKNOWN_OPERATOR", /_startswith\.$/);
  const single = await posts.asPublic({ path: `/${"a".repeat(24)}?feilds=status` });
  refused(single, 400, "INVALID_QUERY", /Did you mean "fields"\?$/);
  const populate = (path: string) => writers.asPublic({ path: `?populate=${path}` });
  refused(await populate("post(author)"), 400, "INVALID_QUERY", /Did you mean "posts"\?$/);
  refused(await populate("posts(auhtor)"), 400, "INVALID_QUERY", /Did you mean "author"\?$/);
  const aggregate = (query: string) => posts.asPublic({ path: `/aggregate?${query}` });
  refused(await aggregate("group=stauts"), 400, "INVALID_QUERY", /Did you mean "status"\?$/);
  refused(
    await aggregate("count=true&sort=-cuont"),
    400,
    "INVALID_QUERY",
    /Did you mean "count"\?$/,
  );
});

Deno.test("operators of other databases are refused with Corbel's own syntax", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, strict: false });
  const list = (query: string) => collection.asPublic({ path: `?${query}` });
  const tree = where({ $or: [{ views: 1 }] });
  refused(await list(tree), 400, "INVALID_QUERY", /"\$or": write "or", without the dollar sign/);
  refused(await list("$or=1"), 400, "INVALID_QUERY", /write where=\{"or": …\}/);
  const gt = where({ views: { $gt: 1 } });
  refused(await list(gt), 400, "UNKNOWN_OPERATOR", /"\$gt".* Did you mean "gt"\?$/);
});
