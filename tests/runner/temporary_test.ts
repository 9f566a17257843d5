import assert from "node:assert/strict";
import { run } from "../services/run_program.ts";
import { makeTemporary } from "./temporary.ts";

const isThere = (path: string): Promise<boolean> => Deno.stat(path).then(() => true, () => false);

/** With `TMPDIR` as it is given, or without one. */
async function withTmpdir<T>(given: string | null, work: () => Promise<T>): Promise<T> {
  const before = Deno.env.get("TMPDIR");
  if (given === null) Deno.env.delete("TMPDIR");
  else Deno.env.set("TMPDIR", given);
  try {
    return await work();
  } finally {
    if (before === undefined) Deno.env.delete("TMPDIR");
    else Deno.env.set("TMPDIR", before);
  }
}

const folderWith = (given: string | null): Promise<string> =>
  withTmpdir(given, async () => {
    await using temporary = await makeTemporary();
    await Deno.writeTextFile(`${temporary.folder}/a`, "a");
    assert.equal(await Deno.readTextFile(`${temporary.folder}/a`), "a");
    return temporary.folder;
  });

Deno.test("a run's folder is removed with all that is in it, wherever it was", async () => {
  assert.equal(await isThere(await folderWith(null)), false);
});

Deno.test("a run's folder is where TMPDIR says", async () => {
  const given = await Deno.makeTempDir();
  const folder = await folderWith(given);
  assert.ok(folder.startsWith(`${given}/`), folder);
  assert.deepEqual([...Deno.readDirSync(given)], []);
  await Deno.remove(given);
});

Deno.test("what a killed run has left mounted is removed, and what another run uses stays", () =>
  withTmpdir(null, async () => {
    await using other = await makeTemporary();
    const left = await Deno.makeTempDir({ prefix: "corbel-run-" });
    const args = ["-t", "tmpfs", "corbel-run", left];
    const isMounted = await run("mount", args, { say: () => {} }).catch(() => ({ success: false }));
    if (!isMounted.success) return await Deno.remove(left); // Only root may: there is nothing to leave.
    await Deno.writeTextFile(`${left}/held`, "");
    await using _next = await makeTemporary();
    assert.equal(await isThere(left), false);
    assert.ok(await isThere(`${other.folder}/held`));
  }));
