import { StoreMismatch, StoreUnavailable } from "../errors.ts";
import type { Id } from "../port.ts";
import { fileSize } from "./open_file.ts";

const PROJECT_FILE = /^([0-9a-f]{24})\.db$/;
/** A draft of a project's file, or one of its logs. */
const DRAFT = /^[0-9a-f]{24}\.db\.[0-9a-f-]{36}(-wal|-shm)?$/;
const PROBE = /^probe\.[0-9a-f-]{36}$/;
/** Age in milliseconds from which drafts and probes belong to killed processes. */
const LEFTOVER_AGE_MS = 3_600_000;
/** Size in bytes of a probe. If there is not enough space for it, writes would fail, too. */
const PROBE_BYTES = 65_536;

/** Throws `StoreUnavailable`. */
export async function createFolder(folder: string): Promise<void> {
  try {
    await Deno.mkdir(`${folder}/projects`, { recursive: true });
  } catch (error) {
    throw new StoreUnavailable(`Cannot create the folder "${folder}"`, { cause: error });
  }
}

/** Returns the ids of all projects that have a file, including unknown projects. */
export async function projectsIn(folder: string): Promise<Id[]> {
  const names = await namesIn(`${folder}/projects`);
  return names.flatMap((name) => PROJECT_FILE.exec(name)?.[1] ?? []);
}

/** Throws `StoreMismatch` if there are project files without a control file. */
export async function rejectMissingControlFile(folder: string): Promise<void> {
  if (fileSize(`${folder}/control.db`) || (await projectsIn(folder)).length === 0) return;
  throw new StoreMismatch(
    `"${folder}/control.db" is missing or empty, though there are files of projects: ` +
      "restore it from a backup of the same time.",
  );
}

export const hasStore = async (folder: string): Promise<boolean> =>
  fileSize(`${folder}/control.db`) !== null ||
  (fileSize(`${folder}/projects`) !== null && (await projectsIn(folder)).length > 0);

/** Writes a probe. Throws `StoreUnavailable` if the folder is not writable. */
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
    if (Date.now() - madeAt > LEFTOVER_AGE_MS) await removeIfAny(path);
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
