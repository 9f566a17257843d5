import type { SourceFolder } from "@/lib/operations/foreign/pocketbase_files.ts";
import { Problem } from "@/lib/problems.ts";

/** Files that an import reads. Links are refused: they could publish any file of this machine. */

const invalidInput = (message: string, cause?: unknown) =>
  new Problem("INVALID_INPUT", { message, cause });

/** Opens a file for reading. Throws `INVALID_INPUT` for a link and for anything else but a file. */
export async function openSource(path: string): Promise<Deno.FsFile> {
  const found = await Deno.lstat(path).catch((cause) => {
    throw invalidInput(`Cannot read the file "${path}": ${(cause as Error).message}`, cause);
  });
  if (found.isSymlink) throw linkRejected(path);
  if (!found.isFile) throw invalidInput(`Cannot read "${path}": it is not a file.`);
  const file = await Deno.open(path, { read: true }).catch((cause) => {
    throw invalidInput(`Cannot read the file "${path}": ${(cause as Error).message}`, cause);
  });
  // A link may have replaced the file between the two calls.
  const opened = await file.stat();
  if (opened.ino === found.ino && opened.dev === found.dev) return file;
  file.close();
  throw invalidInput(`"${path}" was replaced while it was opened.`);
}

const linkRejected = (path: string, remedy = "name its target") =>
  invalidInput(`"${path}" is a symbolic link, which an import does not follow: ${remedy}.`);

/** Resolves all links above a folder. Throws `INVALID_INPUT` if it is a link or not a folder. */
export async function realFolder(path: string, remedy?: string): Promise<string> {
  const found = await Deno.lstat(path).catch((cause) => {
    throw invalidInput(`There is no folder "${path}": ${(cause as Error).message}`, cause);
  });
  if (found.isSymlink) throw linkRejected(path, remedy);
  if (!found.isDirectory) throw invalidInput(`"${path}" is not a folder.`);
  return await Deno.realPath(path);
}

/** Whether a path exists, even as a link whose target is missing. */
export const pathExists = (path: string): Promise<boolean> =>
  Deno.lstat(path).then(() => true, (error) => nullIfAbsent(error) !== null);

/** @param root Result of {@linkcode realFolder}, or null. */
export function sourceFolder(root: string | null): SourceFolder {
  /** Returns the path, or null if it does not exist or contains a link. */
  const realPathOf = async (name: string): Promise<string | null> => {
    const full = `${root}/${name}`;
    const real = root === null ? null : await Deno.realPath(full).catch(nullIfAbsent);
    return real === full ? full : null;
  };
  return {
    async size(name) {
      const full = await realPathOf(name);
      const found = full === null ? null : await Deno.lstat(full).catch(nullIfAbsent);
      return found?.isFile ? found.size : null;
    },
    async open(name) {
      const full = await realPathOf(name);
      if (full === null) throw invalidInput(`"${name}" was replaced while the folder was read.`);
      return (await openSource(full)).readable;
    },
  };
}

function nullIfAbsent(error: unknown): null {
  const isAbsent = error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop;
  if (isAbsent) return null;
  throw error;
}
