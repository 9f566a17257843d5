/** Where a run keeps what its tests write. */

import { dirname } from "node:path";
import { run } from "../services/run_program.ts";

/** What has room for what tests write at once, ten times over, and leaves as much to themselves. */
const AVAILABLE_BYTES_MIN = 6 * 1024 ** 3;

const PREFIX = "corbel-run-";
/** The file that a run keeps open in its memory: what another one finds unused is abandoned. */
const HELD = "held";

/** A folder that is removed, with all that is in it, when it is disposed. */
export interface Temporary extends AsyncDisposable {
  readonly folder: string;
}

/**
 * A new folder: in `TMPDIR` if that is given, else in memory where this process may mount that.
 * Thousands of tests make databases, and wait for a disk longer than they work.
 */
export async function makeTemporary(): Promise<Temporary> {
  const folder = await Deno.makeTempDir({ prefix: PREFIX });
  await removeAbandoned(folder);
  const isInMemory = !Deno.env.get("TMPDIR") && await mountMemory(folder);
  const held = isInMemory ? await Deno.create(`${folder}/${HELD}`) : null;
  return {
    folder,
    async [Symbol.asyncDispose]() {
      held?.close();
      // Servers that tests were cut off from may still be writing.
      if (isInMemory) await run("umount", ["--lazy", folder], { say: console.error });
      await Deno.remove(folder, { recursive: true }).catch((error) => console.error(error.message));
    },
  };
}

/** What runs that were killed have left mounted, which takes memory until the next boot. */
async function removeAbandoned(beside: string): Promise<void> {
  const parent = dirname(beside);
  for await (const { name } of Deno.readDir(parent)) {
    const folder = `${parent}/${name}`;
    if (!name.startsWith(PREFIX) || !await exists(`${folder}/${HELD}`)) continue;
    // Refused as long as any process has a file open in there, or works in there.
    if ((await run("umount", [folder], { say: () => {} })).success) await Deno.remove(folder);
  }
}

const exists = (path: string): Promise<boolean> => Deno.stat(path).then(() => true, () => false);

/** Whether it worked: only root may, and not in every container. */
async function mountMemory(folder: string): Promise<boolean> {
  const { available } = Deno.systemMemoryInfo();
  if (Deno.build.os !== "linux" || available < AVAILABLE_BYTES_MIN) return false;
  const options = `size=${Math.floor(available / 2)},mode=0700`;
  try {
    const args = ["-t", "tmpfs", "-o", options, "corbel-run", folder];
    return (await run("mount", args, { say: () => {} })).success;
  } catch {
    return false; // There is no such program.
  }
}
