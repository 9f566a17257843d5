import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import { MAIL, openMail } from "./mail.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("members read the log, page by page, and nobody else does", async () => {
  await using mail = await openMail();
  const { owner } = mail;
  ok(await mail.send(MAIL));
  mail.app.clock.advance(1000);
  ok(await mail.send({ ...MAIL, subject: "Second" }));
  const [second, first] = await mail.logged();
  const page = ok(await owner.as("viewer", { path: "/mail/logs?limit=1" }));
  assert.deepEqual(page.items, [second]);
  const next = ok(await owner.asOwner({ path: `/mail/logs?limit=1&cursor=${page.nextCursor}` }));
  assert.deepEqual([next.items, next.nextCursor], [[first], null]);
  refused(await owner.asOwner({ path: "/mail/logs?limit=x" }), 400, "INVALID_QUERY", "limit");
  refused(await owner.asOwner({ path: "/mail/logs?cursor=x" }), 400, "INVALID_CURSOR");
  const stranger = await openAccount(mail.app);
  const path = `/api/projects/${mail.projectId}/mail/logs`;
  refused(await stranger.send({ path }), 404, "PROJECT_NOT_FOUND");
});
