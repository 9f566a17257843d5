import assert from "node:assert/strict";
import { dirname } from "node:path";
import { openFile } from "./open_file.ts";

/** Returns the paths that are flushed and linked while `work` runs, in order. */
function stepsOf(work: () => void): string[] {
  const { openSync, linkSync } = Deno;
  const steps: string[] = [];
  Object.assign(Deno, {
    openSync(...args: Parameters<typeof openSync>) {
      const file = openSync(...args);
      const syncSync = file.syncSync.bind(file);
      return Object.assign(file, {
        syncSync() {
          syncSync();
          steps.push(`flush ${args[0]}`);
        },
      });
    },
    linkSync(...[from, to]: Parameters<typeof linkSync>) {
      steps.push(`link ${from}`);
      linkSync(from, to);
    },
  });
  try {
    work();
  } finally {
    Object.assign(Deno, { openSync, linkSync });
  }
  return steps;
}

Deno.test("a new file is flushed before it is linked, and its folder is flushed afterwards", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/one.db`;
  try {
    const steps = stepsOf(() =>
      openFile({ path, space: "control", sync: "full", mustExist: false }).close()
    );
    const draft = steps[0]!.slice("flush ".length);
    assert.ok(draft.startsWith(`${path}.`), draft);
    assert.deepEqual(steps, [`flush ${draft}`, `link ${draft}`, `flush ${dirname(path)}`]);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["one.db"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
