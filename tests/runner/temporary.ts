import { dirname } from "node:path";
import { run } from "../services/run_program.ts";

/** Minimum of available memory in bytes. Tests may use half of it, and need a tenth of that. */
const AVAILABLE_BYTES_MIN = 6 * 1024 ** 3;

const PREFIX = "corbel-run-";
/** File that a run keeps open. A mount where no process has it open is abandoned. */
const LOCK_FILE = "held";

/** A folder that is removed with its content when it is disposed. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly folder: string;
}

/**
 * Creates a folder in `TMPDIR` if it is set, otherwise in memory if this process may mount it.
 * Thousands of tests create databases, and on a disk they would mostly wait for it.
 */
export async function makeTemporary(): Promise<TemporaryFolder> {
  const folder = await Deno.makeTempDir({ prefix: PREFIX });
  await removeAbandoned(folder);
  const isInMemory = !Deno.env.get("TMPDIR") && await mountMemory(folder);
  const lockFile = isInMemory ? await Deno.create(`${folder}/${LOCK_FILE}`) : null;
  return {
    folder,
    async [Symbol.asyncDispose]() {
      lockFile?.close();
      // Servers of killed tests may still be writing.
      if (isInMemory) await run("umount", ["--lazy", folder], { say: console.error });
      await Deno.remove(folder, { recursive: true }).catch((error) => console.error(error.message));
    },
  };
}

/** Unmounts the folders of killed runs, which take memory until the next boot. */
async function removeAbandoned(ownFolder: string): Promise<void> {
  const parent = dirname(ownFolder);
  for await (const { name } of Deno.readDir(parent)) {
    const folder = `${parent}/${name}`;
    if (!name.startsWith(PREFIX) || !await exists(`${folder}/${LOCK_FILE}`)) continue;
    // Fails as long as a process has an open file or its working directory there.
    if ((await run("umount", [folder], { say: () => {} })).success) await Deno.remove(folder);
  }
}

const exists = (path: string): Promise<boolean> => Deno.stat(path).then(() => true, () => false);

/** Mounts memory. Returns false if that fails: only root may, and not in all containers. */
async function mountMemory(folder: string): Promise<boolean> {
  const { available } = Deno.systemMemoryInfo();
  if (Deno.build.os !== "linux" || available < AVAILABLE_BYTES_MIN) return false;
  const options = `size=${Math.floor(available / 2)},mode=0700`;
  try {
    const args = ["-t", "tmpfs", "-o", options, "corbel-run", folder];
    return (await run("mount", args, { say: () => {} })).success;
  } catch {
    return false; // The program `mount` is missing.
  }
}
