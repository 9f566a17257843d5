import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { look, openPrivate } from "./private_files.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("signProjectFile: members of each role are given an address that reads the file", async () => {
  await using app = await openTestApp();
  const { owner, stored } = await openPrivate(app);
  const path = await stored();
  const call = { path: "/files/sign", body: { path, expiresIn: 60 } };
  for (const role of ["viewer", "admin", "owner"] as const) {
    const { url, expiresAt } = ok(await owner.as(role, call));
    assert.equal(Date.parse(expiresAt) - app.clock.now(), 60_000);
    assert.equal((await look(app, url)).status, 200);
  }
  const unknown = { path: "/files/sign", body: { path: `${path}x` } };
  refused(await owner.as("viewer", unknown), 404, "FILE_NOT_FOUND");
});
