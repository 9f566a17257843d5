/** A folder of files on a disk of its own that becomes full. */

import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { mounted, mountProblem } from "./mounts.ts";
import { createProject, send } from "./project.ts";
import {
  assertSame,
  confirm,
  finish,
  manyBytes,
  OFFSET_TYPE,
  offsetOf,
  request,
  served,
} from "./resumable.ts";
import { startServer } from "./server.ts";

/** Twice as much as has room. */
const FILE = manyBytes(4_000_000);

const problem = await mountProblem("tmpfs");
if (problem !== null) {
  console.log(`Left out: uploads to a full disk, because tmpfs cannot be mounted here: ${problem}`);
}

Deno.test({
  name:
    "an upload in pieces to a disk that becomes full is 503, tells what is kept, and goes on with space",
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
      assert.ok(kept >= offset && kept < FILE.length, `${kept} bytes are kept`);
      least = kept;
    }
    assert.ok(least > 0, "what had room is kept");
    const early = await confirm(server, project, upload);
    assert.deepEqual([early.status, early.body.code], [409, "UPLOAD_NOT_READY"]);
    const path = "/api/storage/usage";
    const usage = await send(server, { path, key: project.secretKey });
    assert.equal(usage.body.data.reserved, FILE.length);

    await mount.remount("size=16m");
    assert.equal(await offsetOf(server, upload), least);
    await finish(server, upload, FILE);
    assertSame(await served(server, await confirm(server, project, upload)), FILE);
  },
});
