import { readFirestore } from "@/lib/operations/foreign/firestore.ts";
import { writeForeignProject } from "@/lib/operations/foreign/foreign_project.ts";
import { Notes } from "@/lib/operations/foreign/notes.ts";
import { readPocketbase } from "@/lib/operations/foreign/pocketbase.ts";
import type { SourceFolder } from "@/lib/operations/foreign/pocketbase_files.ts";
import type { OpenArchive } from "@/lib/operations/archive/check_archive.ts";
import type { Progress } from "@/lib/operations/archive/progress.ts";
import { ArchiveWriter } from "@/lib/operations/archive/writer.ts";
import { Problem } from "@/lib/problems.ts";
import type { Config } from "@/lib/runtime/config.ts";
import type { Arguments } from "./arguments.ts";
import { isThere, openSource, realFolder, sourceFolder } from "./source_files.ts";

/** The path, and what stands before that of a source that is no archive. */
const SOURCE = /^(?:(pocketbase|firestore):)?(.+)$/s;

/** An archive while it is imported. */
export interface ImportedArchive extends AsyncDisposable {
  readonly open: OpenArchive;
  /** What making it of another source told; nothing for an archive. */
  readonly notes: readonly string[];
}

interface Conversion {
  readonly notes: Notes;
  readonly progress: Progress;
  /** A folder of ours, which is removed afterwards. */
  readonly scratch: string;
  /** The folder of `--storage`; null without one. */
  readonly storage: string | null;
}

/**
 * The archive of `--from`; made of it, where it is a folder of PocketBase or an export of Firestore.
 * Throws `INVALID_INPUT` for a source that cannot be read.
 */
export async function archiveFrom(
  args: Arguments,
  { config, progress }: { readonly config: Config; readonly progress: Progress },
): Promise<ImportedArchive> {
  const [, kind, given] = SOURCE.exec(args.required("from"))!;
  const path = args.located(given!);
  const storage = args.optional("storage");
  if (storage !== null && kind !== "pocketbase") {
    throw refuse("--storage is for a folder of PocketBase alone: leave it out.");
  }
  if (kind === undefined) {
    return { open: () => opened(path), notes: [], [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const scratch = await scratchFolder(config);
  const removed = () => Deno.remove(scratch, { recursive: true });
  try {
    const notes = new Notes();
    const archive = `${scratch}/archive.tar`;
    await (kind === "pocketbase" ? fromPocketbase : fromFirestore)(path, archive, {
      notes,
      progress,
      scratch,
      storage: storage === null ? null : args.located(storage),
    });
    return { open: () => opened(archive), notes: notes.lines(), [Symbol.asyncDispose]: removed };
  } catch (error) {
    await removed().catch(() => {});
    throw error;
  }
}

/** It is read twice, so it must be a file. */
const opened = async (path: string) => (await openSource(path)).readable;

const refuse = (message: string, cause?: unknown) =>
  new Problem("INVALID_INPUT", { message, cause });

const SCRATCH = ".import-";
/** What is older was left by a command that was killed: no import takes so long. */
const LEFT_MS = 7 * 86_400_000;

/** Beside the data, where there is room for it. */
async function scratchFolder({ database, storage }: Config): Promise<string> {
  const dir = database.folder ?? (storage.kind === "disk" ? storage.folder : Deno.cwd());
  try {
    await Deno.mkdir(dir, { recursive: true });
    for await (const { name } of Deno.readDir(dir)) {
      if (!name.startsWith(SCRATCH)) continue;
      const { mtime } = await Deno.stat(`${dir}/${name}`);
      const isLeft = mtime !== null && Date.now() - mtime.getTime() > LEFT_MS;
      if (isLeft) await Deno.remove(`${dir}/${name}`, { recursive: true });
    }
    return await Deno.makeTempDir({ dir, prefix: SCRATCH });
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotCapable
      ? "with the data elsewhere the command must be started in the folder of Corbel."
      : messageOf(cause);
    throw refuse(`Cannot write to "${dir}", where the source is read into: ${why}`, cause);
  }
}

const messageOf = (error: unknown): string => (error as Error).message;

async function fromPocketbase(
  path: string,
  archive: string,
  conversion: Conversion,
): Promise<void> {
  const { scratch } = conversion;
  const database = `${scratch}/data.db`;
  const storage = await storageOf(path, conversion);
  const at = await copyDatabase(path, database);
  using project = await readPocketbase({ database, storage, at }, conversion);
  await write(archive, project, conversion);
}

/** Where PocketBase keeps files: in its folder, unless `--storage` names another one. */
async function storageOf(path: string, { storage }: Conversion): Promise<SourceFolder> {
  const remedy = "name the folder that it leads to with --storage";
  const own = `${await realFolder(path)}/storage`;
  if (storage !== null) return sourceFolder(await realFolder(storage));
  return sourceFolder(await isThere(own) ? await realFolder(own, remedy) : null);
}

async function fromFirestore(path: string, archive: string, conversion: Conversion): Promise<void> {
  const file = await openSource(path);
  const { mtime } = await file.stat();
  const at = (mtime ?? new Date(0)).toISOString();
  const scratch = `${conversion.scratch}/lines.db`;
  using project = await readFirestore({ lines: file.readable, scratch, at }, conversion);
  await write(archive, project, conversion);
}

/**
 * Of a server that runs the log belongs to it, too. It is left as it is, to the last byte. Resolves to
 * when it was changed last.
 */
async function copyDatabase(path: string, database: string): Promise<string> {
  const before = await changedAt(path);
  for (const suffix of ["", "-wal"]) {
    const source = `${path}/data.db${suffix}`;
    if (suffix === "-wal" && !await isThere(source)) continue;
    const content = (await openSource(source)).readable;
    try {
      await Deno.writeFile(`${database}${suffix}`, content, { createNew: true, mode: 0o600 });
    } catch (cause) {
      throw refuse(`Cannot copy "${source}": ${messageOf(cause)}`, cause);
    }
  }
  const after = await changedAt(path);
  if (before === after) return before;
  throw refuse(
    `"${path}" was written while it was copied: stop PocketBase first, or copy the folder.`,
  );
}

async function changedAt(path: string): Promise<string> {
  const times: number[] = [];
  for (const suffix of ["", "-wal"]) {
    const file = await Deno.lstat(`${path}/data.db${suffix}`).catch(() => null);
    // One that is empty says nothing, and comes and goes.
    if (file !== null && file.size > 0) times.push(file.mtime?.getTime() ?? 0);
  }
  if (times.length === 0) throw refuse(`"${path}" is no folder of PocketBase: it has no data.db.`);
  return new Date(Math.max(...times)).toISOString();
}

async function write(
  path: string,
  project: Parameters<typeof writeForeignProject>[1],
  { progress }: Conversion,
): Promise<void> {
  const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const writer = new ArchiveWriter(new Date(project.at));
  const written = writer.readable.pipeTo(file.writable);
  const made = writeForeignProject(writer, project, progress);
  made.catch((error) => writer.fail(error));
  await Promise.all([made, written]);
}
