import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const PATH = "/collections";

Deno.test("createCollection fills in every default, and the collection takes documents at once", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const body = { name: "posts", fields: [{ key: "title", type: "String" }] };
  assert.deepEqual(ok(await owner.asOwner({ path: PATH, body }), 201), {
    name: "posts",
    fields: [
      { key: "title", type: "String", required: false, unique: false, index: false, search: false },
      {
        key: "userId",
        type: "String",
        required: false,
        unique: false,
        index: false,
        search: false,
      },
    ],
    rls: { enabled: true, mode: "private", ownerField: "userId" },
    strict: true,
    indexes: [],
    events: true,
  });
  ok(await owner.project.asSecret({ path: "/api/data/posts", body: { title: "Hello" } }), 201);
});

Deno.test("createCollection refuses invalid definitions and creates nothing", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  for (
    const [body, says] of [
      [{}, "name"],
      [{ name: "users" }, "reserved"],
      [{ name: "a b" }, "name"],
      [{ name: "posts", more: 1 }, "more"],
      [{ name: "posts", fields: [{ key: "a", type: "Text" }] }, "type"],
      [{ name: "posts", fields: [{ key: "a", type: "Ref", ref: "none" }] }, "does not exist"],
    ] as const
  ) refused(await owner.asOwner({ path: PATH, body }), 400, "INVALID_DEFINITION", says);
  assert.deepEqual(ok(await owner.asOwner({ path: PATH })).items, []);
});

Deno.test("createCollection creates one of 20 concurrent names that differ in letter case", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const answers = await Promise.all(
    times(20, (i) => owner.asOwner({ path: PATH, body: { name: i % 2 ? "posts" : "Posts" } })),
  );
  assert.deepEqual(tally(answers), { 201: 1, 409: 19 });
  refused(await owner.asOwner({ path: PATH, body: { name: "POSTS" } }), 409, "COLLECTION_EXISTS");
});

Deno.test("createCollection admits only admins and the owner", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const call = { path: PATH, body: { name: "posts" } };
  await owner.isForAdmins(call);
  ok(await owner.as("admin", call), 201);
});

Deno.test("createCollection makes a collection strict by default if it declares a field", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const fields = [{ key: "title", type: "String" }];
  const cases: [string, object, boolean][] = [
    ["declared", { fields }, true],
    ["undeclared", {}, false],
    ["empty", { fields: [] }, false],
    ["owned", { fields: [], rls: { ownerField: "author" } }, false],
    ["loose", { fields, strict: false }, false],
    ["closed", { strict: true }, true],
  ];
  for (const [name, parts, strict] of cases) {
    const created = ok(await owner.asOwner({ path: PATH, body: { name, ...parts } }), 201);
    assert.equal(created.strict, strict, name);
    const body = { title: "a", more: 1 };
    const answer = await owner.project.asSecret({ path: `/api/data/${name}`, body });
    if (!strict) ok(answer, 201);
    else refused(answer, 400, "INVALID_DOCUMENT", '"more" is not declared');
  }
});
