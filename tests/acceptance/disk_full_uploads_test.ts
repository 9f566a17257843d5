/** A files folder on a separate file system that becomes full. */

import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { mounted, mountProblem } from "./mounts.ts";
import { createProject, send } from "./project.ts";
import {
  assertSameBytes,
  confirm,
  fetchServed,
  manyBytes,
  OFFSET_TYPE,
  offsetOf,
  request,
  resumeToEnd,
} from "./resumable.ts";
import { startServer } from "./server.ts";

/** A file of twice the free space. */
const FILE = manyBytes(4_000_000);

const problem = await mountProblem("tmpfs");
if (problem !== null) {
  console.log(`Left out: uploads to a full disk, because tmpfs cannot be mounted here: ${problem}`);
}

Deno.test({
  name:
    "a resumable upload to a full disk is 503, keeps its bytes, and resumes once there is space",
  ignore: problem !== null,
  async fn() {
    await using mount = await mounted("tmpfs");
    await using store = await createTestStore();
    const settings = { STORAGE_URL: `file:${mount.folder}/files` };
    await using server = await startServer({ store, settings });
    const project = await createProject(server.settings);
    const upload = await request(server, project, FILE.length);

    let least = 0;
    for (let attempt = 0; attempt < 3; attempt++) {
      const offset = await offsetOf(server, upload);
      const response = await fetch(server.url + upload.path, {
        method: "PATCH",
        headers: { "content-type": OFFSET_TYPE, "upload-offset": String(offset) },
        body: FILE.slice(offset),
        client: server.http,
      });
      const { code, message } = await response.json();
      assert.deepEqual([response.status, code], [503, "STORAGE_UNAVAILABLE"]);
      assert.match(response.headers.get("retry-after")!, /^[1-9]\d*$/);
      assert.doesNotMatch(message, /space|file:|mount|partial/i);
      const kept = await offsetOf(server, upload);
      assert.ok(kept >= offset && kept < FILE.length, `${kept} bytes are stored`);
      least = kept;
    }
    assert.ok(least > 0, "the bytes that fit are stored");
    const early = await confirm(server, project, upload);
    assert.deepEqual([early.status, early.body.code], [409, "UPLOAD_NOT_READY"]);
    const path = "/api/storage/usage";
    const usage = await send(server, { path, key: project.secretKey });
    assert.equal(usage.body.data.reserved, FILE.length);

    await mount.remount("size=16m");
    assert.equal(await offsetOf(server, upload), least);
    await resumeToEnd(server, upload, FILE);
    assertSameBytes(await fetchServed(server, await confirm(server, project, upload)), FILE);
  },
});
