import assert from "node:assert/strict";
import { PLANS } from "@/lib/projects/plans.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { openFiles, storesAway } from "./files.ts";
import { ok, refused } from "./shelf.ts";

Deno.test("members read where files go and what they take", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  await (await openFiles(app, desk.project)).upload(12);
  const { storageBytes: limit, fileBytesMax } = PLANS.free;
  assert.deepEqual(ok(await desk.as("viewer", { path: "/storage" })), {
    own: null,
    usage: { used: 12, reserved: 0, limit, fileBytesMax, provider: "internal" },
  });
});

Deno.test("while the storage is away it cannot be read", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const path = `/api/projects/${desk.projectId}/storage`;
  const headers = { cookie: desk.account.cookie };
  const answer = await send(createApp(storesAway(app.services)), { path, headers });
  refused(answer, 503, "STORAGE_UNAVAILABLE");
});
