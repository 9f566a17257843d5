import assert from "node:assert/strict";
import { changeProject } from "@/lib/projects/change_project.ts";
import { openClients, reportedErrors } from "./fixture.ts";

async function openUploads() {
  const fixture = await openClients();
  await changeProject(fixture.app.services, fixture.project.projectId, {
    files: { userUploads: "signed-in", userTypes: ["*/*"] },
  });
  return fixture;
}

const text = (length: number) => new Blob(["x".repeat(length)], { type: "text/plain" });

Deno.test("a user uploads a file, sees its progress, and reads it by a signed address", async () => {
  await using fixture = await openUploads();
  const corbel = fixture.client();
  await corbel.auth.signInAnonymously();
  const progress: [number, number][] = [];
  const { path, url, visibility } = await corbel.files.upload(text(1000), {
    filename: "a.txt",
    visibility: "private",
    onProgress: (sent, size) => progress.push([sent, size]),
  });
  assert.match(path, /_a\.txt$/);
  assert.deepEqual([url, visibility], [null, "private"]);
  assert.deepEqual(progress.at(-1), [1000, 1000]);
  const signed = await corbel.files.sign(path, { seconds: 60 });
  assert.equal(Date.parse(signed.expiresAt) - fixture.app.clock.now(), 60_000);
  const address = new URL(signed.url);
  const answer = await fixture.app.open({ path: address.pathname + address.search });
  assert.equal((await answer.text()).length, 1000);
  await corbel.files.delete(path);
  await assert.rejects(corbel.files.sign(path), { code: "FILE_NOT_FOUND" });
});

Deno.test("files are listed by page, newest first, and each user sees only their own", async () => {
  await using fixture = await openUploads();
  const corbel = fixture.client();
  const { _id } = await corbel.auth.signInAnonymously();
  for (const filename of ["a.txt", "b.txt"]) {
    await corbel.files.upload(text(10), { filename });
    fixture.app.clock.advance(1000);
  }
  const first = await corbel.files.list({ limit: 1 });
  const [{ filename, size, ownerId }] = first.items as [typeof first.items[0]];
  assert.deepEqual([filename, size, ownerId], ["b.txt", 10, _id]);
  const rest = await corbel.files.list({ limit: 1, cursor: first.nextCursor! });
  assert.deepEqual(rest.items.map((file) => file.filename), ["a.txt"]);
  assert.equal(rest.nextCursor, null);
  const other = fixture.client();
  await other.auth.signInAnonymously();
  assert.deepEqual(await other.files.list(), { items: [], nextCursor: null });
});

Deno.test("an upload continues after the bytes that arrived when its connection is lost", async () => {
  await using fixture = await openUploads();
  const corbel = fixture.client();
  await corbel.auth.signInAnonymously();
  const offsets: (string | null)[] = [];
  fixture.intercept((request) => {
    if (request.method !== "PATCH" || !request.url.includes("/resumable/")) return null;
    offsets.push(request.headers.get("upload-offset"));
    if (offsets.length > 1) return null;
    // The server receives a part, and its response is lost.
    return (async () => {
      const body = new Uint8Array(await request.arrayBuffer()).slice(0, 400);
      const path = request.url.slice("http://localhost:8000".length);
      const answer = await fixture.app.open({
        method: "PATCH",
        path,
        headers: request.headers,
        body,
      });
      await answer.body?.cancel();
      throw new TypeError("lost");
    })();
  });
  const { path } = await corbel.files.upload(text(1000));
  assert.deepEqual(offsets, ["0", "400"]);
  assert.match(path, /_file$/);
});

Deno.test("an upload ends on its signal, and a refused upload is not repeated", async () => {
  await using fixture = await openUploads();
  const corbel = fixture.client();
  await assert.rejects(corbel.files.upload(text(10)), { code: "ACCESS_TOKEN_REQUIRED" });
  await corbel.auth.signInAnonymously();
  const stop = new AbortController();
  fixture.intercept(({ method }) => {
    if (method === "PATCH") stop.abort(new Error("left"));
    return null;
  });
  await assert.rejects(corbel.files.upload(text(10), { signal: stop.signal }), /left/);
  assert.match(fixture.asked.at(-1)!, /^DELETE .*resumable/);
  fixture.intercept(null);
});

Deno.test("a progress listener that throws is reported, and the upload continues", async () => {
  await using fixture = await openUploads();
  const corbel = fixture.client();
  await corbel.auth.signInAnonymously();
  using reported = reportedErrors();
  const { path } = await corbel.files.upload(text(10), {
    onProgress() {
      throw new Error("by a listener");
    },
  });
  assert.match(path, /_file$/);
  assert.deepEqual(new Set(reported.messages), new Set(["by a listener"]));
});
