import assert from "node:assert/strict";
import { run } from "../services/run_program.ts";
import { makeTemporary } from "./temporary.ts";

const isThere = (path: string): Promise<boolean> => Deno.stat(path).then(() => true, () => false);

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

Deno.test("a run's folder is removed with its content, wherever it was", async () => {
  assert.equal(await isThere(await folderWith(null)), false);
});

Deno.test("a run's folder is in TMPDIR if it is set", async () => {
  const tmpdir = await Deno.makeTempDir();
  const folder = await folderWith(tmpdir);
  assert.ok(folder.startsWith(`${tmpdir}/`), folder);
  assert.deepEqual([...Deno.readDirSync(tmpdir)], []);
  await Deno.remove(tmpdir);
});

Deno.test("the mount of a killed run is removed, and that of another run stays", () =>
  withTmpdir(null, async () => {
    await using other = await makeTemporary();
    const left = await Deno.makeTempDir({ prefix: "corbel-run-" });
    const args = ["-t", "tmpfs", "corbel-run", left];
    const isMounted = await run("mount", args, { say: () => {} }).catch(() => ({ success: false }));
    if (!isMounted.success) return await Deno.remove(left); // Only root may mount.
    await Deno.writeTextFile(`${left}/held`, "");
    await using _next = await makeTemporary();
    assert.equal(await isThere(left), false);
    assert.ok(await isThere(`${other.folder}/held`));
  }));
