import type { SourceFolder } from "@/lib/operations/foreign/pocketbase_files.ts";
import { Problem } from "@/lib/problems.ts";

/**
 * Files and folders that an import reads. They may come from a stranger, so no link is followed: a
 * link to a file of this machine would make that file a public one of the project.
 */

const refuse = (message: string, cause?: unknown) =>
  new Problem("INVALID_INPUT", { message, cause });

/** Opens a file for reading. Throws `INVALID_INPUT` for a link and for anything else that is no file. */
export async function openSource(path: string): Promise<Deno.FsFile> {
  const found = await Deno.lstat(path).catch((cause) => {
    throw refuse(`Cannot read the file "${path}": ${(cause as Error).message}`, cause);
  });
  if (found.isSymlink) throw followed(path);
  if (!found.isFile) throw refuse(`Cannot read "${path}": it is no file.`);
  const file = await Deno.open(path, { read: true }).catch((cause) => {
    throw refuse(`Cannot read the file "${path}": ${(cause as Error).message}`, cause);
  });
  // A link may have taken its place between the two calls.
  const opened = await file.stat();
  if (opened.ino === found.ino && opened.dev === found.dev) return file;
  file.close();
  throw refuse(`"${path}" was replaced while it was opened.`);
}

const followed = (path: string, remedy = "name what it leads to") =>
  refuse(`"${path}" is a symbolic link, and an import follows none: ${remedy}.`);

/** The path of a folder without links above it. Throws `INVALID_INPUT` for a link and for no folder. */
export async function realFolder(path: string, remedy?: string): Promise<string> {
  const found = await Deno.lstat(path).catch((cause) => {
    throw refuse(`There is no folder "${path}": ${(cause as Error).message}`, cause);
  });
  if (found.isSymlink) throw followed(path, remedy);
  if (!found.isDirectory) throw refuse(`"${path}" is no folder.`);
  return await Deno.realPath(path);
}

/** Whether a path exists, even as a link whose target is missing. */
export const isThere = (path: string): Promise<boolean> =>
  Deno.lstat(path).then(() => true, (error) => absent(error) !== null);

/** The files of a folder. @param root As {@linkcode realFolder} gives it; null for none. */
export function sourceFolder(root: string | null): SourceFolder {
  /** Null where there is no such path, or a link is a part of it. */
  const located = async (name: string): Promise<string | null> => {
    const full = `${root}/${name}`;
    const real = root === null ? null : await Deno.realPath(full).catch(absent);
    return real === full ? full : null;
  };
  return {
    async size(name) {
      const full = await located(name);
      const found = full === null ? null : await Deno.lstat(full).catch(absent);
      return found?.isFile ? found.size : null;
    },
    async open(name) {
      const full = await located(name);
      if (full === null) throw refuse(`"${name}" was replaced while the folder was read.`);
      return (await openSource(full)).readable;
    },
  };
}

function absent(error: unknown): null {
  const isAbsent = error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop;
  if (isAbsent) return null;
  throw error;
}
