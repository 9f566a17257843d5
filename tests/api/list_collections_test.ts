import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { ok } from "./shelf.ts";

Deno.test("collections are listed by name, as they are defined, to viewers too", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  assert.deepEqual(ok(await desk.asOwner({ path: "/collections" })), { items: [] });
  for (const name of ["tasks", "posts"]) await desk.project.collection({ name, fields: [] });
  const { items } = ok(await desk.as("viewer", { path: "/collections" }));
  assert.deepEqual(items.map(({ name }: { name: string }) => name), ["posts", "tasks"]);
  assert.deepEqual(items[0].rls, { enabled: true, mode: "private", ownerField: "userId" });
});
