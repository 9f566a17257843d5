import type { BlobPage, ListedBlob } from "../blobs.ts";
import { ifExists } from "./guarded.ts";

export interface FolderListing {
  readonly prefix: string;
  readonly after: string | null;
  readonly limit: number;
}

/** Paths that were read for a page and belong to the next ones. */
interface CachedPaths {
  readonly listKey: string;
  readonly after: string;
  readonly paths: readonly string[];
  /** Whether no path follows them. */
  readonly isLast: boolean;
  /** `performance.now()` milliseconds. */
  readonly readAt: number;
}

const ID = /^[0-9a-f]{24}$/;

/** Number of cached names, of about 100 bytes each. */
const NAMES_CACHED_MAX = 20_000;
const CACHE_MS = 60_000;

/**
 * Lists files of projects in pages. A file system lists names without order and only from the
 * beginning, so a page reads all names of a project and caches those that follow. At most twice
 * {@linkcode NAMES_CACHED_MAX} are in memory. A complete walk lists each object that exists during
 * all of it.
 */
export class FolderLister {
  readonly #namesCachedMax: number;
  #cached: CachedPaths | null = null;

  constructor(namesCachedMax = NAMES_CACHED_MAX) {
    this.#namesCachedMax = namesCachedMax;
  }

  /** Returns a page of the list. @param folder Path of the folder, with a trailing slash. */
  async page(
    folder: string,
    request: FolderListing,
    isPath: (path: string) => boolean,
  ): Promise<BlobPage> {
    const { prefix, limit } = request;
    const listKey = `${folder} ${prefix}`;
    const cached = this.#takeCached(listKey, request.after);
    const paths = [...cached?.paths ?? []];
    let isLast = cached?.isLast ?? false;
    // One path more than the page shows whether another page follows.
    if (paths.length <= limit && !isLast) {
      const after = paths.at(-1) ?? request.after;
      const more = { prefix, after, limit: limit - paths.length };
      const following = await this.#pathsAfter(folder, more, isPath);
      for (const path of following.paths) paths.push(path);
      isLast = following.isLast;
    }
    const found = paths.slice(0, limit);
    const next = paths.length > limit ? found.at(-1)! : null;
    if (next !== null) {
      const readAt = performance.now();
      this.#cached = { listKey, after: next, paths: paths.slice(limit), isLast, readAt };
    }
    const blobs = await Promise.all(found.map((path) => statBlob(folder, path)));
    return { blobs: blobs.filter((blob) => blob !== null), next };
  }

  /** Returns paths after `after` in their order: more than `limit`, if there are so many. */
  async #pathsAfter(
    folder: string,
    { prefix, after, limit }: FolderListing,
    isPath: (path: string) => boolean,
  ): Promise<{ paths: string[]; isLast: boolean }> {
    const paths: string[] = [];
    const projectIds = await listProjects(folder, prefix, after);
    for (const project of projectIds) {
      const isWanted = (name: string) => {
        const path = `${project}/${name}`;
        return (after === null || path > after) && isPath(path);
      };
      const count = Math.max(this.#namesCachedMax, limit + 1 - paths.length);
      const names = await firstNames(folder + project, count, isWanted);
      for (const name of names) paths.push(`${project}/${name}`);
      const isLast = project === projectIds.at(-1) && names.length < count;
      if (paths.length > limit) return { paths, isLast };
    }
    return { paths, isLast: true };
  }

  #takeCached(listKey: string, after: string | null): CachedPaths | null {
    const cached = this.#cached;
    if (cached === null || cached.listKey !== listKey || cached.after !== after) return null;
    this.#cached = null;
    return performance.now() - cached.readAt < CACHE_MS ? cached : null;
  }
}

async function listProjects(
  folder: string,
  prefix: string,
  after: string | null,
): Promise<string[]> {
  if (prefix !== "") return [prefix.slice(0, -1)];
  const from = after?.split("/")[0] ?? "";
  return await firstNames(folder, Infinity, (name) => ID.test(name) && name >= from);
}

/** Returns the first `count` wanted names of a folder in their order. */
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

async function statBlob(folder: string, path: string): Promise<ListedBlob | null> {
  const found = await ifExists(Deno.stat(folder + path));
  return found && { path, bytes: found.size, writtenAt: found.mtime!.getTime() };
}
