import assert from "node:assert/strict";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { createTestCollection, ok, refused } from "./test_collection.ts";
import { tooSlowApp } from "./too_slow_app.ts";

const PATH = "/collections/posts/documents";

Deno.test("members see every document, whoever owns it, as applications list them", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number" }],
    rls: { mode: "private" },
  });
  const owner = await createTestOwner(app, collection.project);
  const ann = await collection.project.user();
  ok(await collection.asPublic({ body: { n: 1 } }, ann), 201);
  await collection.insert({ n: 2 }, { n: 3 });
  const names = async (query: string) =>
    ok(await owner.asOwner({ path: `${PATH}${query}` })).items.map(({ n }: { n: number }) => n);
  assert.deepEqual(await names("?sort=n"), [1, 2, 3]);
  assert.deepEqual(await names("?n_gt=1&sort=-n&limit=1"), [3]);
  assert.deepEqual(await names(`?userId=${ann.id}`), [1]);
  assert.equal(ok(await owner.as("viewer", { path: PATH })).total, 3);
  assert.equal(ok(await owner.asOwner({ path: `${PATH}?count=true` })).count, 3);
  const first = ok(await owner.asOwner({ path: `${PATH}?limit=2` }));
  const next = ok(await owner.asOwner({ path: `${PATH}?limit=2&cursor=${first.nextCursor}` }));
  assert.equal(next.items.length, 1);
  const plan = ok(await owner.asOwner({ path: `${PATH}?explain=true` }));
  assert.ok("examined" in plan.explain);
});

Deno.test("a list that is held already is 304", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const owner = await createTestOwner(app, collection.project);
  const { headers } = await owner.asOwner({ path: PATH });
  const again = { path: PATH, headers: { "if-none-match": headers.get("etag")! } };
  assert.equal((await owner.asOwner(again)).status, 304);
  await collection.insertOne();
  assert.equal((await owner.asOwner(again)).status, 200);
});

Deno.test("what cannot be listed is refused, as to applications", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const owner = await createTestOwner(app, collection.project);
  const list = (query: string) => owner.asOwner({ path: `${PATH}${query}` });
  refused(await list("?limit=0"), 400, "INVALID_QUERY", "limit");
  refused(await list("?n_foo=1"), 400, "UNKNOWN_OPERATOR");
  refused(await list("?search=x"), 400, "SEARCH_NOT_DECLARED");
  refused(await list("?cursor=x"), 400, "INVALID_CURSOR");
  refused(
    await owner.asOwner({ path: "/collections/none/documents" }),
    404,
    "COLLECTION_NOT_FOUND",
  );
  refused(
    await owner.asOwner({ path: "/collections/users/documents" }),
    404,
    "COLLECTION_NOT_FOUND",
  );
});

Deno.test("a list that takes too long is 503", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { cookie } = await collection.project.owner();
  const slow = tooSlowApp(app, (kind) => kind.startsWith("posts."));
  const path = `/api/projects/${collection.project.projectId}${PATH}`;
  refused(await send(slow, { path, headers: { cookie } }), 503, "QUERY_TOO_SLOW");
});
