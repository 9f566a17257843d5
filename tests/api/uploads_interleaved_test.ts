import assert from "node:assert/strict";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import type { Services } from "@/lib/services.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { storage } from "../support/test_store.ts";
import {
  CONFIRM,
  FILE,
  type Files,
  openFiles,
  putTo,
  type RequestedUpload,
  sendOver,
} from "./files.ts";
import { interleave, type InterleavedStatuses } from "./interleaved.ts";

const SIZE = 12;
const FIRST = "first bytes!";
const SECOND = "other bytes.";

type Act = "confirm" | "put" | "remove" | "reap";

/** Performs one action on an upload over the given services and returns its status. */
async function perform(
  { project, app }: Files,
  services: Services,
  what: Act,
  { filePath, size, signedUrl, contentType }: RequestedUpload,
): Promise<number> {
  const over = (call: Parameters<typeof sendOver>[2]): Promise<Answer> =>
    sendOver(services, project, call);
  switch (what) {
    case "confirm":
      return (await over({ path: CONFIRM, body: { filePath, size } })).status;
    case "remove":
      return (await over({ method: "DELETE", path: FILE, body: { path: filePath } })).status;
    case "reap":
      await reap(services);
      return 200;
    case "put": {
      const bytes = new TextEncoder().encode(SECOND);
      if (app.services.localFiles === null) return await putTo(signedUrl, bytes, contentType);
      return (await over({
        method: "PUT",
        path: new URL(signedUrl).pathname,
        body: bytes,
        headers: { "content-type": contentType },
      })).status;
    }
  }
}

async function storedText({ app }: Files, { filePath }: RequestedUpload): Promise<string | null> {
  const stream = await app.services.blobStores.internal.read("stored", filePath);
  return stream && await new Response(stream).text();
}

/** Fails unless the totals match the rows and the rows match the objects. */
async function assertConsistent(
  files: Files,
  upload: RequestedUpload,
  run: InterleavedStatuses,
  acts: readonly Act[],
) {
  const { app, project: { projectId } } = files;
  const context = `${acts.join(" and ")} answered ${run.first} and ${run.second}`;
  await reap(app.services);
  const { drift } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual(drift, [], context);
  const row = (await files.rows()).find(({ path }) => path === upload.filePath);
  const statuses = [run.first, run.second];
  const wasRemoved = acts.some((what, i) => what === "remove" && statuses[i] === 200);
  const wasConfirmed = acts.some((what, i) => what === "confirm" && statuses[i] === 200);
  assert.equal(row === undefined, wasRemoved, context);
  if (wasConfirmed && !wasRemoved) assert.equal(row!.state, "confirmed", context);
  if (row?.state !== "confirmed") return;
  const text = await storedText(files, upload);
  assert.ok(text === FIRST || text === SECOND, `${context}: ${text} is stored`);
  await files.stage(upload, new TextEncoder().encode("late bytes.."));
  assert.equal((await files.confirm(upload)).status, 200, context);
  await reap(app.services);
  assert.equal(await storedText(files, upload), text, "the confirmed file stays");
  assert.equal((await files.remove(upload.filePath)).status, 200);
}

const STATUSES: Readonly<Record<Act, readonly number[]>> = {
  confirm: [200, 404, 409],
  put: [200, 409],
  remove: [200, 404, 409],
  reap: [200],
};

const STEPS_MIN: Readonly<Record<Act, number>> = {
  confirm: storage === "disk" ? 8 : 9, // A folder moves the object instead of removing it.
  remove: 7,
  put: 4,
  reap: 5,
};

// A bucket's signed address receives uploads without steps of the app.
const WATCHED: readonly Act[] = storage === "disk"
  ? ["confirm", "remove", "put"]
  : ["confirm", "remove"];

for (const first of WATCHED) {
  for (const second of ["confirm", "put", "remove", "reap"] as const) {
    Deno.test(`${second} at every step of ${first} leaves no drift and keeps confirmed files intact`, async () => {
      await using app = await openTestApp();
      const files = await openFiles(app);
      for (let at = 0;; at++) {
        const upload = await files.request(SIZE);
        await files.stage(upload, new TextEncoder().encode(FIRST));
        const run = await interleave<Act>(
          files.app.services,
          (services, what) => perform(files, services, what, upload),
          { first, second, at },
        );
        if (run.second === null) {
          assert.ok(at >= STEPS_MIN[first], `${first} took ${at} steps`);
          break;
        }
        assert.ok(STATUSES[first].includes(run.first), `${first} answered ${run.first}`);
        assert.ok(STATUSES[second].includes(run.second), `${second} answered ${run.second}`);
        await assertConsistent(files, upload, run, [first, second]);
        await files.remove(upload.filePath);
      }
      const { used, reserved } = await files.usage();
      // In the last run `second` did not take place.
      const rest = first === "remove" ? 0 : SIZE;
      assert.equal(used + reserved, rest);
    });
  }
}

Deno.test("after a concurrent confirm and delete the totals match the objects", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (let round = 0; round < 20; round++) {
    const upload = await files.request(SIZE);
    await files.stage(upload, new TextEncoder().encode(FIRST));
    const [first, second] = await Promise.all([
      perform(files, app.services, "confirm", upload),
      perform(files, app.services, "remove", upload),
    ]);
    await assertConsistent(files, upload, { first, second }, ["confirm", "remove"]);
  }
});
