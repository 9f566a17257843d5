import assert from "node:assert/strict";
import { QueryTooSlow } from "@/lib/store/errors.ts";
import type { Engine } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { ok, refused } from "./shelf.ts";

Deno.test("members list the project's users and search them, as its servers do", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const ann = await desk.project.user();
  app.clock.advance(1000);
  const bob = await desk.project.user();
  const ids = async (query: string) =>
    ok(await desk.as("viewer", { path: `/users${query}` })).items
      .map(({ _id }: { _id: string }) => _id);
  assert.deepEqual(await ids(""), [bob.id, ann.id]);
  const { email } = ok(await desk.asOwner({ path: `/users/${ann.id}` }));
  assert.deepEqual(await ids(`?search=${email.slice(0, 12)}`), [ann.id]);
  const page = ok(await desk.asOwner({ path: "/users?limit=1" }));
  const next = await desk.asOwner({ path: `/users?limit=1&cursor=${page.nextCursor}` });
  assert.equal(ok(next).items[0]._id, ann.id);
  refused(await desk.asOwner({ path: "/users?limit=0" }), 400, "INVALID_QUERY", "limit");
  refused(await desk.asOwner({ path: "/users?cursor=x" }), 400, "INVALID_CURSOR");
});

Deno.test("a search that takes too long is 503", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { cookie } = await project.owner();
  const { engine: real } = app.services;
  const tooSlow = () => Promise.reject(new QueryTooSlow("email"));
  const engine: Engine = {
    ...real,
    records: (space, definition) =>
      definition.name === "_users"
        ? new Proxy({}, { get: () => tooSlow }) as never // Fails as any.
        : real.records(space, definition),
  };
  const slow = createApp({ ...app.services, engine });
  const path = `/api/projects/${project.projectId}/users?search=x`;
  refused(await send(slow, { path, headers: { cookie } }), 503, "QUERY_TOO_SLOW");
});
