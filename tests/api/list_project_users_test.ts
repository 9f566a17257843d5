import assert from "node:assert/strict";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";
import { tooSlowApp } from "./too_slow_app.ts";

Deno.test("members list the project's users and search them, as its servers do", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await owner.project.user();
  app.clock.advance(1000);
  const bob = await owner.project.user();
  const ids = async (query: string) =>
    ok(await owner.as("viewer", { path: `/users${query}` })).items
      .map(({ _id }: { _id: string }) => _id);
  assert.deepEqual(await ids(""), [bob.id, ann.id]);
  const { email } = ok(await owner.asOwner({ path: `/users/${ann.id}` }));
  assert.deepEqual(await ids(`?search=${email.slice(0, 12)}`), [ann.id]);
  const page = ok(await owner.asOwner({ path: "/users?limit=1" }));
  const next = await owner.asOwner({ path: `/users?limit=1&cursor=${page.nextCursor}` });
  assert.equal(ok(next).items[0]._id, ann.id);
  refused(await owner.asOwner({ path: "/users?limit=0" }), 400, "INVALID_QUERY", "limit");
  refused(await owner.asOwner({ path: "/users?cursor=x" }), 400, "INVALID_CURSOR");
});

Deno.test("a search that takes too long is 503", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { cookie } = await project.owner();
  const slow = tooSlowApp(app, (kind) => kind === "_users");
  const path = `/api/projects/${project.projectId}/users?search=x`;
  refused(await send(slow, { path, headers: { cookie } }), 503, "QUERY_TOO_SLOW");
});
