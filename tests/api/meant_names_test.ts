/** Tests that an error about an unknown name suggests the name that was probably meant. */

import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, refused } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

Deno.test("a missing collection is reported with the name of a similar one", async () => {
  await using app = await openTestApp();
  const { project } = await createTestCollection(app, { name: "posts" });
  await project.collection({ name: "notes", rls: { mode: "public-read" } });
  const cases: [string, RegExp][] = [
    ["post", /: "post"\. Did you mean "posts"\?$/],
    ["Notes", /: "Notes"\. Did you mean "notes"\?$/],
    ["orders", /: "orders"\.$/],
  ];
  for (const [name, why] of cases) {
    for (const path of [`/api/data/${name}`, `/api/data/${name}/aggregate?count=true`]) {
      refused(await project.asPublic({ path }), 404, "COLLECTION_NOT_FOUND", why);
    }
    const schema = await project.asPublic({ path: `/api/schemas/${name}` });
    refused(schema, 404, "COLLECTION_NOT_FOUND", why);
    const written = await project.asSecret({ path: `/api/data/${name}`, body: {} });
    refused(written, 404, "COLLECTION_NOT_FOUND", why);
  }
  await project.collection({ name: "order", rls: { mode: "public-read" } });
  const soon = await project.asPublic({ path: "/api/data/orders" });
  refused(soon, 404, "COLLECTION_NOT_FOUND", /Did you mean "order"\?$/);
});

Deno.test("the error about a missing collection suggests none of another project", async () => {
  await using app = await openTestApp();
  await createTestCollection(app, { name: "secrets" });
  const other = await app.project();
  const answer = await other.asSecret({ path: "/api/data/secret" });
  refused(answer, 404, "COLLECTION_NOT_FOUND", /: "secret"\.$/);
});

Deno.test("an undeclared field of a strict document is reported with a similar declared one", async () => {
  await using app = await openTestApp();
  const fields = [
    { key: "title", type: "String" },
    { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
  ];
  const collection = await createTestCollection(app, { fields, strict: true });
  const { _id } = await collection.insertOne({ title: "a" });
  const assertInvalid = (answer: Parameters<typeof refused>[0], why: RegExp) =>
    refused(answer, 400, "INVALID_DOCUMENT", why);
  await collection.untouched(async () => {
    const meant = /"titel" is not declared \(did you mean "title"\?\)\.$/;
    assertInvalid(await collection.asSecret({ body: { titel: "b" } }), meant);
    const patch = (body: unknown) =>
      collection.asSecret({ method: "PATCH", path: `/${_id}`, body });
    assertInvalid(await patch({ titel: "b" }), meant);
    assertInvalid(await patch({ "place.ctiy": "b" }), /\(did you mean "place\.city"\?\)/);
    assertInvalid(await patch({ place: { ctiy: "b" } }), /\(did you mean "city"\?\)/);
    assertInvalid(await patch({ title: { $ste: 1 } }), /has no operator "\$ste"/);
    assertInvalid(await patch({ title: { $icn: 1 } }), /\(did you mean "\$inc"\?\)/);
  });
});

Deno.test("a batch reports the action, member or collection that was probably meant", async () => {
  await using app = await openTestApp();
  const { project } = await createTestCollection(app, { name: "posts" });
  const batch = (operation: unknown) =>
    project.asSecret({ path: "/api/batch", body: { operations: [operation] } });
  const create = { action: "create", collection: "posts", document: {} };
  refused(
    await batch({ ...create, action: "craete" }),
    400,
    "INVALID_BODY",
    /Did you mean "create"\?$/,
  );
  refused(
    await batch({ ...create, documnet: {} }),
    400,
    "INVALID_BODY",
    /Did you mean "document"\?$/,
  );
  refused(
    await batch({ ...create, collection: "post" }),
    404,
    "COLLECTION_NOT_FOUND",
    /Did you mean "posts"\?$/,
  );
});

Deno.test("the error about a missing collection suggests none that the caller may not read", async () => {
  await using app = await openTestApp();
  const { project } = await createTestCollection(app, { name: "payrolls", rls: {} });
  const ann = await project.user();
  const paths = ["/api/data/payroll", "/api/schemas/payroll"];
  const refusal = "COLLECTION_NOT_FOUND";
  for (const path of paths) {
    refused(await project.asPublic({ path }), 404, refusal, /: "payroll"\.$/);
    refused(await project.asPublic({ path }, ann), 404, refusal, /Did you mean "payrolls"\?$/);
    refused(await project.asSecret({ path }), 404, refusal, /Did you mean "payrolls"\?$/);
  }
  await project.collection({ name: "paroll", rls: { enabled: false } });
  for (const path of paths) {
    refused(await project.asPublic({ path }), 404, refusal, /Did you mean "paroll"\?$/);
  }
});

Deno.test("populate suggests no collection that the caller may not read", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { name: "posts" });
  const fields = [{ key: "postId", type: "Ref", ref: "posts" }];
  await posts.project.collection({ name: "remarks", fields, rls: { mode: "private" } });
  const call = { path: "?populate=remark(postId)" };
  refused(await posts.asPublic(call), 400, "INVALID_QUERY", /no collection "remark"\.$/);
  refused(await posts.asSecret(call), 400, "INVALID_QUERY", /Did you mean "remarks"\?$/);
});

Deno.test("a list parameter among the conditions is reported with the correct syntax", async () => {
  await using app = await openTestApp();
  const fields = [{ key: "views", type: "Number" }];
  const strict = await createTestCollection(app, { name: "posts", fields, strict: true });
  const written = /Write limit=… as a parameter of its own to set the list's limit\.$/;
  const query = (name: string, value: string) => ({
    path: `?${name}=${encodeURIComponent(value)}`,
  });
  for (
    const call of [
      query("filter[limit]", "1"),
      query("filter", '{"limit":1}'),
      query("where", '{"limit":1}'),
    ]
  ) {
    refused(await strict.asSecret(call), 400, "INVALID_QUERY", written);
  }
  const open = await createTestCollection(app, { name: "notes", strict: false }, strict.project);
  const { warnings } = (await open.asSecret(query("filter[limit]", "1"))).body;
  assert.equal(warnings.length, 1);
  assert.match(warnings[0].message, written);
});

Deno.test("a parameter value, a unique field and a renamed field are reported with suggestions", async () => {
  await using app = await openTestApp();
  const fields = [{ key: "slug", type: "String", unique: true }, { key: "title", type: "String" }];
  const posts = await createTestCollection(app, { name: "posts", fields });
  const list = async (path: string, why: RegExp) =>
    refused(await posts.asSecret({ path }), 400, "INVALID_QUERY", why);
  await list("?total=estimat", /Did you mean "estimate"\?$/);
  await list("?include_deleted=ture", /Did you mean "true"\?$/);
  await list("/aggregate?count=true&page=1", /use .*limit.*\.$/);
  const upserted = await posts.asSecret({ path: "?upsert=slgu", body: { slug: "a" } });
  refused(upserted, 400, "INVALID_QUERY", /Did you mean "slug"\?$/);
  const owner = await createTestOwner(app, posts.project);
  const renamed = await owner.asOwner({
    method: "PUT",
    path: "/collections/posts",
    body: { name: "posts", fields: [{ key: "headline", type: "String", renamedFrom: "titel" }] },
  });
  refused(renamed, 400, "INVALID_DEFINITION", /no such field \(did you mean "title"\?\)\.$/);
});

Deno.test("a mistyped member of a profile is reported with a suggestion", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const ann = await project.user();
  const meant = /"usrename" is not declared\. Did you mean "username"\?$/;
  const credentials = { email: "a@example.com", password: "a difference engine no. 2" };
  const calls = [
    () =>
      project.asPublic({
        path: "/api/userAuth/signup",
        body: { ...credentials, usrename: "ann" },
      }),
    () =>
      project.asPublic({ method: "PATCH", path: "/api/userAuth/me", body: { usrename: "a" } }, ann),
    () => project.asSecret({ path: "/api/userAuth/users", body: { usrename: "ann" } }),
  ];
  for (const call of calls) refused(await call(), 400, "INVALID_BODY", meant);
});
