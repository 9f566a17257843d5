import type { BlobPage, ListedBlob } from "../blobs.ts";
import { ifThere } from "./guarded.ts";

const ID = /^[0-9a-f]{24}$/;

/**
 * A page of the files below a folder of projects' folders.
 *
 * A file system tells names in no order and at no place but the first, so a page reads the names of
 * each project that it touches whole, keeps no more of them than twice what it answers, and looks
 * at the files of its answer alone.
 */
export async function listFolder(
  folder: string,
  { prefix, after, limit }: { prefix: string; after: string | null; limit: number },
  isPath: (path: string) => boolean,
): Promise<BlobPage> {
  const paths: string[] = [];
  for (const project of await projects(folder, prefix, after)) {
    const wanted = (name: string) => {
      const path = `${project}/${name}`;
      return (after === null || path > after) && isPath(path);
    };
    // One more than is answered tells whether a page follows.
    const names = await firstNames(folder + project, limit + 1 - paths.length, wanted);
    paths.push(...names.map((name) => `${project}/${name}`));
    if (paths.length > limit) break;
  }
  const next = paths.length > limit ? paths[limit - 1]! : null;
  const blobs = await Promise.all(paths.slice(0, limit).map((path) => listed(folder, path)));
  return { blobs: blobs.filter((blob) => blob !== null), next };
}

async function projects(folder: string, prefix: string, after: string | null): Promise<string[]> {
  if (prefix !== "") return [prefix.slice(0, -1)];
  const from = after?.split("/")[0] ?? "";
  return await firstNames(folder, Infinity, (name) => ID.test(name) && name >= from);
}

/** The first `count` wanted names of a folder in their order. */
async function firstNames(
  folder: string,
  count: number,
  isWanted: (name: string) => boolean,
): Promise<string[]> {
  const names: string[] = [];
  const cut = () => void names.sort().splice(count);
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (isWanted(name) && names.push(name) >= 2 * count) cut();
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  cut();
  return names;
}

/** Null for a file that was removed meanwhile. */
async function listed(folder: string, path: string): Promise<ListedBlob | null> {
  const found = await ifThere(Deno.stat(folder + path));
  return found && { path, bytes: found.size, writtenAt: found.mtime!.getTime() };
}
