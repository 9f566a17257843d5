import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok } from "./test_collection.ts";

const NUMBER = { key: "v", type: "Number", index: true };
const TEXT = { key: "v", type: "String", unique: true };
const INNER = { key: "o", type: "Object", fields: [{ key: "v", type: "Number", index: true }] };

Deno.test("after many changes of a definition, documents are found by the current fields", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const define = async (...fields: object[]) =>
    void ok(
      await owner.asOwner({
        method: "PUT",
        path: "/collections/posts",
        body: { fields, rls: { enabled: false } },
      }),
    );
  const write = async (body: object): Promise<string> =>
    ok(await owner.project.asSecret({ path: "/api/data/posts", body }), 201)._id;
  const countFound = async (query: string): Promise<number> =>
    ok(await owner.project.asSecret({ path: `/api/data/posts?${query}&limit=1` })).total;
  const remove = async (id: string) =>
    void ok(
      await owner.project.asSecret({
        method: "DELETE",
        path: `/api/data/posts/${id}?permanent=true`,
      }),
    );

  await owner.project.collection({ name: "posts", fields: [NUMBER], rls: { enabled: false } });
  const first = await write({ v: 1, o: { v: 10 } });
  assert.equal(await countFound("v_gte=1"), 1);
  await define();
  const second = await write({ v: 2 });
  await define(NUMBER);
  assert.equal(
    await countFound("v_gte=1"),
    2,
    "including a document written while the field was undeclared",
  );
  assert.equal(await countFound("v_gt=1&sort=-v"), 1);
  for (const id of [first, second]) await remove(id);
  await define(TEXT);
  await write({ v: "b", o: { v: 20 } });
  assert.equal(await countFound("v_gte=a"), 1);
  const again = await owner.project.asSecret({ path: "/api/data/posts", body: { v: "b" } });
  assert.equal(again.body.code, "DUPLICATE_VALUE");
  await define(TEXT, INNER);
  assert.equal(await countFound("o.v_gte=20"), 1);
  await write({ v: "c", o: { v: 30 } });
  await define(INNER);
  assert.equal(await countFound("o.v_gt=20&sort=o.v"), 1);
  assert.equal(await countFound("v=c"), 1, "an undeclared field is compared as stored");
});

Deno.test("changing a field's type 220 times leaves the collection usable", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts", fields: [], rls: { enabled: false } });
  ok(await owner.project.asSecret({ path: "/api/data/posts", body: { w: 1 } }), 201);
  const types = ["String", "Number", "Boolean", "Date"];
  for (let round = 0; round < 220; round++) {
    const fields = [{ key: "w", type: "Number" }, { key: "v", type: types[round % 4] }];
    ok(
      await owner.asOwner({
        method: "PUT",
        path: "/collections/posts",
        body: { fields, rls: { enabled: false } },
      }),
    );
  }
  const { total } = ok(await owner.project.asSecret({ path: "/api/data/posts?w=1" }));
  assert.equal(total, 1);
});
