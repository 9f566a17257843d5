import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

const put = (body: unknown, name = "posts") => ({
  method: "PUT",
  path: `/collections/${name}`,
  body,
});

Deno.test("updateCollection replaces the entire definition, with or without its name, immediately", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts", strict: true, rls: { enabled: false } });
  const fields = [{ key: "title", type: "String", required: true }];
  const { strict, rls } = ok(await owner.asOwner(put({ fields })));
  assert.deepEqual([strict, rls.enabled], [true, true], "omitted parts get their defaults");
  ok(await owner.asOwner(put({ name: "posts", fields })));
  const untitled = await owner.project.asSecret({ path: "/api/data/posts", body: {} });
  refused(untitled, 400, "INVALID_DOCUMENT", "title");
});

Deno.test("a definition that is replaced without strict keeps the stored value", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const fields = [{ key: "title", type: "String" }];
  const stored = async () => ok(await owner.asOwner({ path: "/collections" })).items[0].strict;
  await owner.project.collection({ name: "posts", strict: false });
  for (
    const [body, strict] of [[{ fields }, false], [{ strict: true }, true], [{}, true]] as const
  ) {
    assert.equal(ok(await owner.asOwner(put(body))).strict, strict);
    assert.equal(await stored(), strict);
  }
});

Deno.test("the name cannot change, and an unknown collection is 404", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  refused(await owner.asOwner(put({ name: "tasks" })), 400, "INVALID_DEFINITION", "cannot change");
  refused(await owner.asOwner(put({ name: 1 })), 400, "INVALID_DEFINITION");
  refused(await owner.asOwner(put({ strict: 1 })), 400, "INVALID_DEFINITION", "strict");
  for (const name of ["tasks", "Posts"]) {
    refused(await owner.asOwner(put({}, name)), 404, "COLLECTION_NOT_FOUND");
  }
});

Deno.test("documents that do not fit are named, and the definition stays", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts", fields: [] });
  const { _id } = ok(
    await owner.project.asSecret({ path: "/api/data/posts", body: { views: "many" } }),
    201,
  );
  const fields = [{ key: "views", type: "Number" }];
  refused(await owner.asOwner(put({ fields })), 409, "DEFINITION_CONFLICT", _id);
  const { items } = ok(await owner.asOwner({ path: "/collections" }));
  assert.deepEqual(items[0].fields.map(({ key }: { key: string }) => key), ["userId"]);
});

Deno.test("only admins and the owner change a collection", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await owner.isForAdmins(put({ strict: true }));
  assert.equal(ok(await owner.asOwner({ path: "/collections" })).items[0].strict, false);
  assert.equal(ok(await owner.as("admin", put({ strict: true }))).strict, true);
});
