/** Tests pairs of actions on one resumable upload, one run at every step of the other. */

import assert from "node:assert/strict";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import type { Services } from "@/lib/services.ts";
import { openTestApp } from "../support/test_app.ts";
import { partialPaths, textBytes } from "./blobs.ts";
import { CONFIRM, FILE, type Files, openFiles, type RequestedUpload, sendOver } from "./files.ts";
import { interleave, type InterleavedStatuses } from "./interleaved.ts";
import { offsetOf, resumablePath, sendRest, storedText } from "./resumable.ts";

const TEXT = "hello, world";
/** Bytes that have arrived before the actions. */
const ARRIVED = 5;

type Act = "patch" | "confirm" | "cancel" | "remove" | "reap";

async function perform(
  { project }: Files,
  services: Services,
  what: Act,
  upload: RequestedUpload,
): Promise<number> {
  const over = async (call: Parameters<typeof sendOver>[2]): Promise<number> =>
    (await sendOver(services, project, call)).status;
  const { filePath, size } = upload;
  switch (what) {
    case "patch":
      return await over({
        method: "PATCH",
        path: resumablePath(upload),
        headers: {
          "content-type": "application/offset+octet-stream",
          "upload-offset": String(ARRIVED),
        },
        body: textBytes(TEXT.slice(ARRIVED)),
      });
    case "confirm":
      return await over({ path: CONFIRM, body: { filePath, size } });
    case "cancel":
      return await over({ method: "DELETE", path: resumablePath(upload) });
    case "remove":
      return await over({ method: "DELETE", path: FILE, body: { path: filePath } });
    case "reap":
      await reap(services);
      return 200;
  }
}

const STATUSES: Readonly<Record<Act, readonly number[]>> = {
  patch: [204, 409, 410, 423],
  confirm: [200, 404, 409],
  cancel: [204, 410, 423],
  remove: [200, 404, 409],
  reap: [200],
};

/** Fails unless totals, rows and objects agree and an open upload can be completed. */
async function assertConsistent(
  files: Files,
  upload: RequestedUpload,
  run: InterleavedStatuses,
  acts: readonly Act[],
) {
  const { app, project: { projectId } } = files;
  const context = `${acts.join(" and ")} answered ${run.first} and ${run.second}`;
  const { drift } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual(drift, [], context);
  const row = (await files.rows()).find(({ path }) => path === upload.filePath);
  const did = (one: Act, status: number) =>
    acts.some((what, i) => what === one && [run.first, run.second][i] === status);
  assert.equal(row === undefined, did("cancel", 204) || did("remove", 200), context);
  if (row !== undefined && row.state !== "confirmed") {
    assert.ok(!did("confirm", 200), context);
    const least = did("patch", 204) ? TEXT.length : ARRIVED;
    assert.ok(await offsetOf(app, upload) >= least, context);
    await sendRest(app, upload, textBytes(TEXT));
    assert.equal((await files.confirm(upload)).status, 200, context);
  }
  assert.equal(await storedText(app, upload), row === undefined ? null : TEXT, context);
  await reap(app.services);
  assert.deepEqual(await partialPaths(files), [], context);
  assert.deepEqual((await files.objects()).staged, [], context);
}

const STEPS_MIN: Readonly<Record<string, number>> = { patch: 8, confirm: 9, cancel: 6 };

for (const first of ["patch", "confirm", "cancel"] as const) {
  for (const second of ["patch", "confirm", "cancel", "remove", "reap"] as const) {
    // Two pieces wait for each other's turn, which other suites cover.
    if (first === "patch" && second === "patch") continue;
    Deno.test(`${second} at every step of ${first}: no piece is lost or left, and the totals match`, async () => {
      await using app = await openTestApp();
      const files = await openFiles(app);
      for (let at = 0;; at++) {
        const upload = await files.request(TEXT.length);
        await sendRest(app, { ...upload }, textBytes(TEXT.slice(0, ARRIVED)));
        if (first === "confirm") await sendRest(app, upload, textBytes(TEXT));
        const run = await interleave<Act>(
          app.services,
          (services, what) => perform(files, services, what, upload),
          { first, second, at, waits: second === "patch" },
        );
        if (run.second === null) {
          assert.ok(at >= STEPS_MIN[first]!, `${first} took ${at} steps`);
          break;
        }
        for (const [i, what] of [first, second].entries()) {
          const status = [run.first, run.second][i]!;
          assert.ok(STATUSES[what].includes(status), `${what} answered ${status} at step ${at}`);
        }
        await assertConsistent(files, upload, run, [first, second]);
        await files.remove(upload.filePath);
      }
    });
  }
}
