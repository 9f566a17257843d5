import assert from "node:assert/strict";
import { PROJECT_MAIL_KINDS } from "@/lib/mail/mails.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("listMailTemplates returns pages of the project's templates and the built-in ones", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const empty = ok(await owner.as("viewer", { path: "/mail/templates" }));
  assert.deepEqual([empty.items, empty.nextCursor], [[], null]);
  assert.deepEqual(empty.builtIn.map(({ name }: { name: string }) => name), PROJECT_MAIL_KINDS);
  for (const name of ["code", "order"]) {
    const body = { subject: `${name} {{code}}`, text: "Text" };
    ok(await owner.asOwner({ method: "PUT", path: `/mail/templates/${name}/en`, body }));
    app.clock.advance(1000);
  }
  const first = ok(await owner.asOwner({ path: "/mail/templates?limit=1" }));
  assert.deepEqual(first.items.map(({ name }: { name: string }) => name), ["order"]);
  const path = `/mail/templates?limit=1&cursor=${first.nextCursor}`;
  const { items, nextCursor } = ok(await owner.asOwner({ path }));
  assert.deepEqual([items[0].name, items[0].language, nextCursor], ["code", "en", null]);
  const wrong = await owner.asOwner({ path: "/mail/templates?page=1" });
  refused(wrong, 400, "INVALID_QUERY", "page");
  refused(await owner.asOwner({ path: "/mail/templates?cursor=x" }), 400, "INVALID_CURSOR");
  const stranger = await openAccount(app);
  const theirs = `/api/projects/${owner.projectId}/mail/templates`;
  refused(await stranger.send({ path: theirs }), 404, "PROJECT_NOT_FOUND");
});
