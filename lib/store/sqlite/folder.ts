import { StoreMismatch, StoreUnavailable } from "../errors.ts";
import type { Id } from "../port.ts";
import { bytesOf } from "./open_file.ts";

const PROJECT_FILE = /^([0-9a-f]{24})\.db$/;
/** A project's file before it has its name, or one of its logs. */
const DRAFT = /^[0-9a-f]{24}\.db\.[0-9a-f-]{36}(-wal|-shm)?$/;
const PROBE = /^probe\.[0-9a-f-]{36}$/;
/** Whoever made a draft or a probe this long ago has been killed meanwhile. */
const LEFT_MS = 3_600_000;
/** Where there is no room for so much, there is none for a write either. */
const PROBE_BYTES = 65_536;

/** Makes the folder if it is missing. Throws `StoreUnavailable`. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await Deno.mkdir(`${folder}/projects`, { recursive: true });
  } catch (error) {
    throw new StoreUnavailable(`Cannot make the folder "${folder}"`, { cause: error });
  }
}

/** Projects that have a file, whether or not anybody knows them. */
export async function projectsIn(folder: string): Promise<Id[]> {
  const names = await namesIn(`${folder}/projects`);
  return names.flatMap((name) => PROJECT_FILE.exec(name)?.[1] ?? []);
}

/**
 * Files of projects without the one that knows them: made anew, it would know none of them. Throws
 * `StoreMismatch`.
 */
export async function refuseHeadless(folder: string): Promise<void> {
  if (bytesOf(`${folder}/control.db`) || (await projectsIn(folder)).length === 0) return;
  throw new StoreMismatch(
    `"${folder}/control.db" is missing or empty, though there are files of projects: ` +
      "restore it from a backup of the same time.",
  );
}

/** Whether somebody has kept anything there so far. */
export const holdsStore = async (folder: string): Promise<boolean> =>
  bytesOf(`${folder}/control.db`) !== null ||
  (bytesOf(`${folder}/projects`) !== null && (await projectsIn(folder)).length > 0);

/** Throws `StoreUnavailable` where nothing can be written to the folder. */
export async function probeFolder(folder: string): Promise<void> {
  const probe = `${folder}/probe.${crypto.randomUUID()}`;
  try {
    await Deno.writeFile(probe, new Uint8Array(PROBE_BYTES));
  } catch (error) {
    throw new StoreUnavailable(`Cannot write to the folder "${folder}"`, { cause: error });
  } finally {
    await removeIfAny(probe);
  }
}

/** Removes what processes that were killed have left half-made. */
export async function removeLeftovers(folder: string): Promise<void> {
  const leftovers = [
    ...(await namesIn(folder)).filter((name) => PROBE.test(name)),
    ...(await namesIn(`${folder}/projects`))
      .filter((name) => DRAFT.test(name))
      .map((name) => `projects/${name}`),
  ];
  for (const name of leftovers) {
    const path = `${folder}/${name}`;
    const madeAt = (await Deno.stat(path).catch(() => null))?.mtime?.getTime() ?? Infinity;
    if (Date.now() - madeAt > LEFT_MS) await removeIfAny(path);
  }
}

export async function removeIfAny(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw new StoreUnavailable(`Cannot remove the file "${path}"`, { cause: error });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch (error) {
    throw new StoreUnavailable(`Cannot read the folder "${folder}"`, { cause: error });
  }
}
