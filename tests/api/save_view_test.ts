import assert from "node:assert/strict";
import { VIEWS_MAX } from "@/lib/limits.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/collections/posts/views";

const save = (name: string, body: unknown = { query: "" }) => ({
  method: "PUT",
  path: `${PATH}/${encodeURIComponent(name)}`,
  body,
});

async function openViews(app: TestApp) {
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts", fields: [{ key: "views", type: "Number" }] });
  const names = async (): Promise<string[]> =>
    ok(await owner.asOwner({ path: PATH })).items.map(({ name }: { name: string }) => name);
  return { owner, names };
}

Deno.test("saveView stores a view and replaces one with the same name", async () => {
  await using app = await openTestApp();
  const { owner, names } = await openViews(app);
  const first = { query: "views_gt=5&sort=-views", columns: ["views", "createdAt"] };
  assert.deepEqual(ok(await owner.asOwner(save("Often seen", first))), {
    name: "Often seen",
    ...first,
  });
  assert.equal(ok(await owner.as("admin", save("Often seen", { query: "" }))).columns, null);
  assert.deepEqual(await names(), ["Often seen"]);
});

Deno.test("saveView refuses an invalid list query or a position in a list, and stores nothing", async () => {
  await using app = await openTestApp();
  const { owner, names } = await openViews(app);
  const table = [
    ["views_gt=x", "INVALID_QUERY"],
    ["views_foo=1", "UNKNOWN_OPERATOR"],
    ["search=x", "SEARCH_NOT_DECLARED"],
    ["cursor=abc", "INVALID_QUERY"],
    ["page=2", "INVALID_QUERY"],
  ] as const;
  for (const [query, code] of table) {
    refused(await owner.asOwner(save("A", { query })), 400, code);
  }
  refused(await owner.asOwner(save("A", { query: "x".repeat(4097) })), 400, "INVALID_BODY");
  refused(await owner.asOwner(save("A", { columns: [] })), 400, "INVALID_BODY");
  assert.deepEqual(await names(), []);
});

Deno.test("saveView accepts names that are usable in a URL, and explains a refusal", async () => {
  await using app = await openTestApp();
  const { owner, names } = await openViews(app);
  for (const name of ["x".repeat(61), " a", "a ", "..."]) {
    refused(
      await owner.asOwner(save(name)),
      400,
      "INVALID_INPUT",
      "A view's name has 1 to 60",
    );
  }
  assert.deepEqual(await names(), []);
  for (const name of ["x".repeat(60), "Ümläute & more?", "__proto__"]) {
    assert.equal(ok(await owner.asOwner(save(name))).name, name);
  }
});

Deno.test("concurrent calls store all views up to the limit", async () => {
  await using app = await openTestApp();
  const { owner, names } = await openViews(app);
  const answers = await Promise.all(
    Array.from({ length: VIEWS_MAX + 10 }, (_, i) => owner.asOwner(save(`View ${i}`))),
  );
  const refusals = answers.filter(({ status }) => status !== 200);
  assert.equal(refusals.length, 10);
  for (const refusal of refusals) refused(refusal, 409, "VIEW_LIMIT_REACHED");
  const kept = await names();
  assert.equal(kept.length, VIEWS_MAX);
  ok(await owner.asOwner(save(kept[0]!, { query: "views=1" })));
});

Deno.test("only admins and the owner save a view, of an existing collection", async () => {
  await using app = await openTestApp();
  const { owner, names } = await openViews(app);
  await owner.isForAdmins(save("A"));
  refused(
    await owner.asOwner({ ...save("A"), path: "/collections/none/views/A" }),
    404,
    "COLLECTION_NOT_FOUND",
  );
  assert.deepEqual(await names(), []);
});
