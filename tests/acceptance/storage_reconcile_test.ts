import assert from "node:assert/strict";
import { storage } from "../support/test_store.ts";
import { createProject, type Project, send } from "./project.ts";
import { adminEnd, type Ended, type Server, startServer } from "./server.ts";

const TYPE = "text/plain";

async function request(server: Server, { secretKey: key }: Project, size: number) {
  const body = { filename: "note.txt", contentType: TYPE, size };
  const answer = await send(server, { path: "/api/storage/upload-request", key, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body as { signedUrl: string; filePath: string };
}

/** Resolves to the path of a confirmed file. */
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
  adminEnd(["storage", "reconcile", "--project", projectId, ...more], settings);

// deno-lint-ignore no-explicit-any -- Tests look into it as they like.
function reportOf({ stdout }: Ended): any {
  assert.match(stdout, /^\{[^\n]*\}\n$/, "standard output must be one line with one object");
  return JSON.parse(stdout);
}

Deno.test("reconcile beside a running server: nothing differs, and what is under way is listed", async () => {
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

Deno.test("reconcile of a project that does not exist fails, and says so", async () => {
  await using server = await startServer();
  const nobody = { projectId: "0123456789abcdef01234567", publishableKey: "", secretKey: "" };
  const { code, stdout, stderr } = await reconcile(server, nobody);
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /PROJECT_NOT_FOUND/);
});

// Somebody's hand in a bucket is a matter of the suite of reconcile itself.
if (storage === "disk") {
  Deno.test("drift is exit code 1 and told on one line; repair removes orphans and never a file's row", async () => {
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
    const kinds = (ended: Ended) =>
      reportOf(ended).drift.map(({ kind, path, repaired }: Record<string, unknown>) =>
        `${kind} ${path} ${repaired ? "repaired" : "left"}`
      ).sort();
    assert.deepEqual(kinds(found), [`missing ${lost} left`, `orphan ${orphan} left`]);
    assert.notEqual(found.stderr, "", "the failure is told");

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
