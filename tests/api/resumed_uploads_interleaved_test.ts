/** Two things done about one upload in pieces, one at every step of the other. */

import assert from "node:assert/strict";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import type { Services } from "@/lib/services.ts";
import { openTestApp } from "../support/test_app.ts";
import { partials, textBytes } from "./blobs.ts";
import { CONFIRM, FILE, type Files, openFiles, type Requested, sendOver } from "./files.ts";
import { interleave, type Run } from "./interleaved.ts";
import { offsetOf, resumablePath, sendRest, storedText } from "./resumable.ts";

const TEXT = "hello, world";
/** How much has arrived before. */
const BEGUN = 5;

type Act = "patch" | "confirm" | "cancel" | "remove" | "reap";

/** Does one thing over services whose steps may be watched. Resolves to a status. */
async function act(
  { project }: Files,
  services: Services,
  what: Act,
  upload: Requested,
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
          "upload-offset": String(BEGUN),
        },
        body: textBytes(TEXT.slice(BEGUN)),
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

/** Whatever happened: sums, rows and objects agree, and what is open can be brought to its end. */
async function settled(files: Files, upload: Requested, run: Run, acts: readonly Act[]) {
  const { app, project: { projectId } } = files;
  const told = `${acts.join(" and ")} answered ${run.first} and ${run.second}`;
  const { drift } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual(drift, [], told);
  const row = (await files.rows()).find(({ path }) => path === upload.filePath);
  const did = (one: Act, status: number) =>
    acts.some((what, i) => what === one && [run.first, run.second][i] === status);
  assert.equal(row === undefined, did("cancel", 204) || did("remove", 200), told);
  if (row !== undefined && row.state !== "confirmed") {
    assert.ok(!did("confirm", 200), told);
    const least = did("patch", 204) ? TEXT.length : BEGUN;
    assert.ok(await offsetOf(app, upload) >= least, told);
    await sendRest(app, upload, textBytes(TEXT));
    assert.equal((await files.confirm(upload)).status, 200, told);
  }
  assert.equal(await storedText(app, upload), row === undefined ? null : TEXT, told);
  await reap(app.services);
  assert.deepEqual(await partials(files), [], told);
  assert.deepEqual((await files.objects()).staged, [], told);
}

const STEPS_MIN: Readonly<Record<string, number>> = { patch: 8, confirm: 9, cancel: 6 };

for (const first of ["patch", "confirm", "cancel"] as const) {
  for (const second of ["patch", "confirm", "cancel", "remove", "reap"] as const) {
    // One waits for the turn of the other, which other suites look at.
    if (first === "patch" && second === "patch") continue;
    Deno.test(`${second} at every step of ${first}: pieces are neither lost nor left, and no sum drifts`, async () => {
      await using app = await openTestApp();
      const files = await openFiles(app);
      for (let at = 0;; at++) {
        const upload = await files.request(TEXT.length);
        await sendRest(app, { ...upload }, textBytes(TEXT.slice(0, BEGUN)));
        // A confirm has all of it to join.
        if (first === "confirm") await sendRest(app, upload, textBytes(TEXT));
        const run = await interleave<Act>(
          app.services,
          (services, what) => act(files, services, what, upload),
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
        await settled(files, upload, run, [first, second]);
        await files.remove(upload.filePath);
      }
    });
  }
}
