import assert from "node:assert/strict";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";
import { tooSlowApp } from "./too_slow_app.ts";

const PATH = "/collections/posts/documents/aggregate";
const FIELDS = [{ key: "views", type: "Number" }, { key: "title", type: "String" }];

Deno.test("members are answered groups of all documents, whoever owns them", async () => {
  await using app = await openTestApp();
  const definition = { fields: FIELDS, strict: false, rls: { mode: "private" } };
  const collection = await createTestCollection(app, definition);
  const owner = await createTestOwner(app, collection.project);
  const ann = await collection.project.user();
  ok(await collection.asPublic({ body: { views: 2 } }, ann), 201);
  await collection.insertOne({ views: 3 });
  for (
    const answer of [
      await owner.as("viewer", { path: `${PATH}?count=true&sum=views` }),
      await owner.asOwner({ path: `${PATH}?count=true&sum=views` }),
    ]
  ) {
    assert.deepEqual(ok(answer), {
      groups: [{ key: {}, count: 2, sum: { views: 5 } }],
      more: false,
    });
  }
});

Deno.test("what cannot be answered to members is refused as to others", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const owner = await createTestOwner(app, collection.project);
  refused(await owner.asOwner({ path: PATH }), 400, "INVALID_QUERY");
  const unknown = await owner.asOwner({ path: `${PATH}?count=true&views_near=1` });
  refused(unknown, 400, "UNKNOWN_OPERATOR");
  const none = await owner.asOwner({ path: PATH.replace("posts", "none") + "?count=true" });
  refused(none, 404, "COLLECTION_NOT_FOUND");
  const long = "x".repeat(900_000);
  for (let n = 0; n < 20; n++) await collection.insertOne({ title: `${n}${long}` });
  refused(await owner.asOwner({ path: `${PATH}?group=title` }), 413, "ANSWER_TOO_LARGE");
});

Deno.test("groups that take too long are 503", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { cookie } = await collection.project.owner();
  const slow = tooSlowApp(app, (kind) => kind.startsWith("posts."));
  const path = `/api/projects/${collection.project.projectId}${PATH}?count=true`;
  refused(await send(slow, { path, headers: { cookie } }), 503, "QUERY_TOO_SLOW");
});
