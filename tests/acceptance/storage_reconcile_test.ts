import assert from "node:assert/strict";
import { storage } from "../support/test_store.ts";
import { createProject, type Project, send } from "./project.ts";
import { type ProcessResult, runAdmin, type Server, startServer } from "./server.ts";

const TYPE = "text/plain";

async function request(server: Server, { secretKey: key }: Project, size: number) {
  const body = { filename: "note.txt", contentType: TYPE, size };
  const answer = await send(server, { path: "/api/storage/upload-request", key, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body as { signedUrl: string; filePath: string };
}

async function upload(server: Server, project: Project, text: string): Promise<string> {
  const { signedUrl, filePath } = await request(server, project, text.length);
  const init = { method: "PUT", body: text, headers: { "content-type": TYPE } };
  const response = await fetch(signedUrl, { ...init, client: server.http });
  await response.body?.cancel();
  assert.equal(response.status, 200);
  const key = project.secretKey;
  const body = { filePath, size: text.length };
  const answer = await send(server, { path: "/api/storage/upload-confirm", key, body });
  assert.equal(answer.status, 200, answer.text);
  return filePath;
}

const reconcile = ({ settings }: Server, { projectId }: Project, ...more: readonly string[]) =>
  runAdmin(["storage", "reconcile", "--project", projectId, ...more], settings);

// deno-lint-ignore no-explicit-any -- Tests look into it as they like.
function reportOf({ stdout }: ProcessResult): any {
  assert.match(stdout, /^\{[^\n]*\}\n$/, "standard output must be one line with one object");
  return JSON.parse(stdout);
}

Deno.test("reconcile on a running server finds no differences and lists uploads in progress", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  await upload(server, project, "kept");
  const { filePath } = await request(server, project, 5);
  const ended = await reconcile(server, project);
  assert.equal(ended.code, 0, ended.stderr);
  const { ok, files, drift, unfinished } = reportOf(ended);
  assert.deepEqual({ ok, files, drift }, { ok: true, files: 1, drift: [] });
  assert.deepEqual(
    unfinished.map(({ kind, path, bytes }: { kind: string; path: string; bytes: number }) => ({
      kind,
      path,
      bytes,
    })),
    [{ kind: "hold", path: filePath, bytes: 5 }],
  );
});

Deno.test("reconcile of a missing project fails with a message", async () => {
  await using server = await startServer();
  const missing = { projectId: "0123456789abcdef01234567", publishableKey: "", secretKey: "" };
  const { code, stdout, stderr } = await reconcile(server, missing);
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /PROJECT_NOT_FOUND/);
});

// The suite of reconcile covers objects that are changed in a bucket.
if (storage === "disk") {
  Deno.test("drift exits with 1 and one line, and repair deletes orphans but no file record", async () => {
    await using server = await startServer();
    const project = await createProject(server.settings);
    const key = project.secretKey;
    const [kept, lost] = [
      await upload(server, project, "kept"),
      await upload(server, project, "x"),
    ];
    const fileOf = (path: string) => `${server.store.folder}/files/${path}`;
    await Deno.remove(fileOf(lost));
    const orphan = kept.replace(/_note\.txt$/, "_orphan.txt");
    await Deno.writeTextFile(fileOf(orphan), "nobody's");

    const found = await reconcile(server, project);
    assert.equal(found.code, 1);
    const kinds = (ended: ProcessResult) =>
      reportOf(ended).drift.map(({ kind, path, repaired }: Record<string, unknown>) =>
        `${kind} ${path} ${repaired ? "repaired" : "left"}`
      ).sort();
    assert.deepEqual(kinds(found), [`missing ${lost} left`, `orphan ${orphan} left`]);
    assert.notEqual(found.stderr, "", "the failure is reported");

    const mended = await reconcile(server, project, "--repair");
    assert.equal(mended.code, 1);
    assert.deepEqual(kinds(mended), [`missing ${lost} left`, `orphan ${orphan} repaired`]);
    await assert.rejects(Deno.stat(fileOf(orphan)), Deno.errors.NotFound);
    const info = await send(server, { path: `/api/storage/file?path=${lost}`, key });
    assert.equal(info.status, 200);

    const body = { path: lost };
    const removed = await send(server, { method: "DELETE", path: "/api/storage/file", key, body });
    assert.equal(removed.status, 200);
    const clean = await reconcile(server, project);
    assert.equal(clean.code, 0, clean.stdout);
    assert.equal(reportOf(clean).files, 1);
  });
}
