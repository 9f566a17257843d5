import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { mounted, mountProblem } from "./mounts.ts";
import { createProject, type Project, send } from "./project.ts";
import { type Server, startServer } from "./server.ts";

const TOO_MUCH = 3 * 1_048_576;
const LITTLE = 100_000;

const problem = await mountProblem("tmpfs");
if (problem !== null) {
  console.log(`Left out: uploads to a full disk, because tmpfs cannot be mounted here: ${problem}`);
}

async function request(server: Server, { secretKey: key }: Project, size: number) {
  const body = { filename: "a.bin", contentType: "application/octet-stream", size };
  const answer = await send(server, { path: "/api/storage/upload-request", key, body });
  assert.equal(answer.status, 200, answer.text);
  return { ...answer.body as { filePath: string; signedUrl: string }, size };
}

async function put(server: Server, { signedUrl, size }: { signedUrl: string; size: number }) {
  const { status, headers, body, text } = await send(server, {
    method: "PUT",
    path: new URL(signedUrl).pathname,
    headers: { "content-type": "application/octet-stream" },
    body: "x".repeat(size),
  });
  return { status, headers, code: body?.code, text };
}

Deno.test({
  name: "a full disk refuses uploads with 503, keeps nothing of them, and accepts what fits",
  ignore: problem !== null,
  async fn() {
    await using mount = await mounted("tmpfs");
    await using store = await createTestStore();
    const settings = { STORAGE_URL: `file:${mount.folder}/files` };
    await using server = await startServer({ store, settings });
    const project = await createProject(server.settings);
    const large = await request(server, project, TOO_MUCH);
    for (let i = 0; i < 3; i++) {
      const answer = await put(server, large);
      assert.deepEqual([answer.status, answer.code], [503, "STORAGE_UNAVAILABLE"]);
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
      assert.ok(!answer.text.includes(mount.folder), "internal errors are not revealed");
    }
    const left = [...Deno.readDirSync(`${mount.folder}/files/_partial/${project.projectId}`)];
    assert.deepEqual(left, []);
    const confirm = ({ filePath, size }: { filePath: string; size: number }) =>
      send(server, {
        path: "/api/storage/upload-confirm",
        key: project.secretKey,
        body: { filePath, size },
      });
    assert.equal((await confirm(large)).body.code, "UPLOAD_NOT_READY");
    const small = await request(server, project, LITTLE);
    assert.equal((await put(server, small)).status, 200);
    const { url } = (await confirm(small)).body;
    assert.equal((await send(server, { path: new URL(url).pathname })).text.length, LITTLE);
    assert.match(
      server.stdout() + server.stderr(),
      /No space left on device/,
      "the log reports it",
    );
  },
});
