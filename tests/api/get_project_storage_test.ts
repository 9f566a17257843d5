import assert from "node:assert/strict";
import { PLANS } from "@/lib/projects/plans.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { openFiles, withFailingStores } from "./files.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("getProjectStorage returns the storage settings and the usage to members", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await (await openFiles(app, owner.project)).upload(12);
  const { storageBytes: limit, fileBytesMax } = PLANS.free;
  assert.deepEqual(ok(await owner.as("viewer", { path: "/storage" })), {
    own: null,
    usage: { used: 12, reserved: 0, limit, fileBytesMax, provider: "internal" },
  });
});

Deno.test("getProjectStorage returns 503 if the file store is unavailable", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const path = `/api/projects/${owner.projectId}/storage`;
  const headers = { cookie: owner.account.cookie };
  const answer = await send(createApp(withFailingStores(app.services)), { path, headers });
  refused(answer, 503, "STORAGE_UNAVAILABLE");
});
