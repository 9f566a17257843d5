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
import { openSource, pathExists, realFolder, sourceFolder } from "./source_files.ts";

/** Splits the optional name of another system from the path of the source. */
const SOURCE = /^(?:(pocketbase|firestore):)?(.+)$/s;

export interface ImportedArchive extends AsyncDisposable {
  readonly open: OpenArchive;
  /** Remarks about the conversion from another system; empty for an archive. */
  readonly notes: readonly string[];
}

interface Conversion {
  readonly notes: Notes;
  readonly progress: Progress;
  /** Temporary folder, which is removed afterwards. */
  readonly scratch: string;
  /** Folder of `--storage`, or null. */
  readonly storage: string | null;
}

/** Opens an archive or converts a PocketBase folder or Firestore export. Throws `INVALID_INPUT`. */
export async function archiveFrom(
  args: Arguments,
  { config, progress }: { readonly config: Config; readonly progress: Progress },
): Promise<ImportedArchive> {
  const [, kind, given] = SOURCE.exec(args.required("from"))!;
  const path = args.resolvePath(given!);
  const storage = args.optional("storage");
  if (storage !== null && kind !== "pocketbase") {
    throw invalidInput("--storage is only for a folder of PocketBase: leave it out.");
  }
  if (kind === undefined) {
    return {
      open: () => openArchive(path),
      notes: [],
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
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
      storage: storage === null ? null : args.resolvePath(storage),
    });
    return {
      open: () => openArchive(archive),
      notes: notes.toLines(),
      [Symbol.asyncDispose]: removed,
    };
  } catch (error) {
    await removed().catch(() => {});
    throw error;
  }
}

/** Opens an archive, which must be a file, because an import reads it twice. */
const openArchive = async (path: string) => (await openSource(path)).readable;

const invalidInput = (message: string, cause?: unknown) =>
  new Problem("INVALID_INPUT", { message, cause });

const SCRATCH_PREFIX = ".import-";
/** Age from which a scratch folder belongs to a killed command. */
const ABANDONED_MS = 7 * 86_400_000;

/** Creates a temporary folder next to the data, where there is enough disk space. */
async function scratchFolder({ database, storage }: Config): Promise<string> {
  const dir = database.folder ?? (storage.kind === "disk" ? storage.folder : Deno.cwd());
  try {
    await Deno.mkdir(dir, { recursive: true });
    for await (const { name } of Deno.readDir(dir)) {
      if (!name.startsWith(SCRATCH_PREFIX)) continue;
      const { mtime } = await Deno.stat(`${dir}/${name}`);
      const isLeft = mtime !== null && Date.now() - mtime.getTime() > ABANDONED_MS;
      if (isLeft) await Deno.remove(`${dir}/${name}`, { recursive: true });
    }
    return await Deno.makeTempDir({ dir, prefix: SCRATCH_PREFIX });
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotCapable
      ? "if the data is elsewhere, start the command in the folder of Corbel."
      : messageOf(cause);
    throw invalidInput(`Cannot write the converted source to "${dir}": ${why}`, cause);
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
  const storage = await openStorageFolder(path, conversion);
  const at = await copyDatabase(path, database);
  using project = await readPocketbase({ database, storage, at }, conversion);
  await writeArchive(archive, project, conversion);
}

/** Opens PocketBase's folder of files: `--storage`, else `storage` in its own folder. */
async function openStorageFolder(path: string, { storage }: Conversion): Promise<SourceFolder> {
  const remedy = "name the folder that it leads to with --storage";
  const own = `${await realFolder(path)}/storage`;
  if (storage !== null) return sourceFolder(await realFolder(storage));
  return sourceFolder(await pathExists(own) ? await realFolder(own, remedy) : null);
}

async function fromFirestore(path: string, archive: string, conversion: Conversion): Promise<void> {
  const file = await openSource(path);
  const { mtime } = await file.stat();
  const at = (mtime ?? new Date(0)).toISOString();
  const scratch = `${conversion.scratch}/lines.db`;
  using project = await readFirestore({ lines: file.readable, scratch, at }, conversion);
  await writeArchive(archive, project, conversion);
}

/** Copies PocketBase's database and write-ahead log. Resolves to the time of the last change. */
async function copyDatabase(path: string, database: string): Promise<string> {
  const before = await lastChangeOf(path);
  for (const suffix of ["", "-wal"]) {
    const source = `${path}/data.db${suffix}`;
    if (suffix === "-wal" && !await pathExists(source)) continue;
    const content = (await openSource(source)).readable;
    try {
      await Deno.writeFile(`${database}${suffix}`, content, { createNew: true, mode: 0o600 });
    } catch (cause) {
      throw invalidInput(`Cannot copy "${source}": ${messageOf(cause)}`, cause);
    }
  }
  const after = await lastChangeOf(path);
  if (before === after) return before;
  throw invalidInput(
    `"${path}" was written while it was copied: stop PocketBase first, or copy the folder.`,
  );
}

async function lastChangeOf(path: string): Promise<string> {
  const times: number[] = [];
  for (const suffix of ["", "-wal"]) {
    const file = await Deno.lstat(`${path}/data.db${suffix}`).catch(() => null);
    // An empty log does not hold changes, and its time changes when it is opened.
    if (file !== null && file.size > 0) times.push(file.mtime?.getTime() ?? 0);
  }
  if (times.length === 0) {
    throw invalidInput(`"${path}" is not a folder of PocketBase: it has no data.db.`);
  }
  return new Date(Math.max(...times)).toISOString();
}

async function writeArchive(
  path: string,
  project: Parameters<typeof writeForeignProject>[1],
  { progress }: Conversion,
): Promise<void> {
  const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const writer = new ArchiveWriter(new Date(project.at));
  const written = writer.readable.pipeTo(file.writable);
  const writing = writeForeignProject(writer, project, progress);
  writing.catch((error) => writer.fail(error));
  await Promise.all([writing, written]);
}
