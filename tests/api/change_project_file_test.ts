import assert from "node:assert/strict";
import { reap } from "@/lib/files/reaper.ts";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { sendOver, withChangedStores } from "./files.ts";
import { fetchText, openPrivate, publicAddress, readCall, signCall } from "./private_files.ts";
import { ok, refused, times } from "./test_collection.ts";

Deno.test("changeProjectFile makes a file private and public again, for owners only", async () => {
  await using app = await openTestApp();
  const { project, owner, stored, change, places } = await openPrivate(app);
  const path = await stored({ visibility: "public" });
  const address = publicAddress(app, path);
  assert.equal((await fetchText(app, address)).status, 200);
  const hidden = ok(await change(path, "private"));
  assert.deepEqual([hidden.url, hidden.visibility], [null, "private"]);
  assert.deepEqual(await places(path), ["private"]);
  assert.ok((await fetchText(app, address)).status >= 400);
  const { url } = ok(await project.asSecret(signCall(path)));
  assert.equal((await fetchText(app, url)).status, 200);
  assert.deepEqual(ok(await change(path, "private")), hidden, "a repeated change returns the same");
  const published = ok(await change(path, "public"));
  assert.equal(published.url, address);
  assert.deepEqual(await places(path), ["stored"]);
  assert.equal((await fetchText(app, address)).status, 200);
  const body = { path, visibility: "private" };
  await owner.isForAdmins({ method: "PATCH", path: "/files", body });
  refused(await change(path, "secret"), 400, "INVALID_BODY", "visibility");
  refused(await change(`${path}x`, "private"), 404, "FILE_NOT_FOUND");
});

Deno.test("concurrent changes of a file's visibility leave it readable, in one place", async () => {
  await using app = await openTestApp();
  const { project, stored, change, places } = await openPrivate(app);
  const path = await stored();
  const answers = await Promise.all(
    times(20, (n) => change(path, n % 2 === 0 ? "public" : "private")),
  );
  for (const { status } of answers) assert.ok([200, 409].includes(status), `${status}`);
  app.clock.advance(600_000);
  await reap(app.services);
  const { visibility } = ok(await project.asSecret(readCall(path)));
  assert.deepEqual(await places(path), [visibility === "private" ? "private" : "stored"]);
});

Deno.test("the queue finishes a move that was interrupted after the change", async () => {
  await using app = await openTestApp();
  const { project, stored, places } = await openPrivate(app);
  const path = await stored({ visibility: "public" });
  const owner = await project.owner();
  const away = withChangedStores(app.services, {
    remove: () => Promise.reject(new Error("cut off")),
  });
  const call = {
    method: "PATCH",
    path: `/api/projects/${project.projectId}/files`,
    body: { path, visibility: "private" },
    headers: { cookie: owner.cookie },
  };
  assert.equal((await sendOver(away, project, call)).status, 200);
  assert.deepEqual(await places(path), ["private", "stored"]);
  if (app.services.localFiles !== null) {
    // The row decides what is served, even if the old object is still there.
    assert.equal((await fetchText(app, publicAddress(app, path))).status, 404);
  }
  app.clock.advance(600_000);
  await reap(app.services);
  assert.deepEqual(await places(path), ["private"]);
});

Deno.test("a file that is deleted during its move leaves no object", async () => {
  await using app = await openTestApp();
  const { project, stored, places } = await openPrivate(app);
  const path = await stored({ visibility: "public" });
  const owner = await project.owner();
  const { internal } = app.services.blobStores;
  const racing = withChangedStores(app.services, {
    async copy(...asked) {
      const copied = await internal.copy(...asked);
      await app.services.engine.records<UploadRecord>(project.projectId, UPLOADS)
        .deleteOne(eq("path", path));
      await internal.remove("stored", path);
      return copied;
    },
  });
  const call = {
    method: "PATCH",
    path: `/api/projects/${project.projectId}/files`,
    body: { path, visibility: "private" },
    headers: { cookie: owner.cookie },
  };
  refused(await sendOver(racing, project, call), 409, "UPLOAD_NOT_READY");
  assert.deepEqual(await places(path), []);
});
