import assert from "node:assert/strict";
import { makeTemporary } from "./temporary.ts";

const isThere = (path: string): Promise<boolean> => Deno.stat(path).then(() => true, () => false);

/** With `TMPDIR` as it is given, or without one. */
async function folderWith(given: string | null): Promise<string> {
  const before = Deno.env.get("TMPDIR");
  if (given === null) Deno.env.delete("TMPDIR");
  else Deno.env.set("TMPDIR", given);
  try {
    await using temporary = await makeTemporary();
    await Deno.writeTextFile(`${temporary.folder}/a`, "a");
    assert.equal(await Deno.readTextFile(`${temporary.folder}/a`), "a");
    return temporary.folder;
  } finally {
    if (before === undefined) Deno.env.delete("TMPDIR");
    else Deno.env.set("TMPDIR", before);
  }
}

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
