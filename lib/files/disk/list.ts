import type { BlobPage, ListedBlob } from "../blobs.ts";
import { ifThere } from "./guarded.ts";

export interface FolderListing {
  readonly prefix: string;
  readonly after: string | null;
  readonly limit: number;
}

/** Paths behind a page, for the next one. */
interface Rest {
  readonly of: string;
  readonly after: string;
  readonly paths: readonly string[];
  /** Whether nothing follows them. */
  readonly isLast: boolean;
  readonly readAt: number;
}

const ID = /^[0-9a-f]{24}$/;

/** Of about 100 bytes each. */
const NAMES_KEPT = 20_000;
const REST_MS = 60_000;

/**
 * Lists what lies below folders of projects' folders.
 *
 * A file system tells names in no order, and from no place but the first. So the names of a project
 * are read whole to find the next ones; no more than twice {@linkcode NAMES_KEPT} of them are held
 * at a time, and only the files of the page itself are looked at. Of what was read one page's rest is
 * kept for whoever asks for the next: a walk over a million files reads their names fifty times, not
 * a thousand. An object that is there all along is in every walk; one that comes while a walk is
 * under way may not be.
 */
export class Lister {
  readonly #namesKept: number;
  #rest: Rest | null = null;

  constructor(namesKept = NAMES_KEPT) {
    this.#namesKept = namesKept;
  }

  /** @param folder With a slash behind it. */
  async page(
    folder: string,
    asked: FolderListing,
    isPath: (path: string) => boolean,
  ): Promise<BlobPage> {
    const { prefix, limit } = asked;
    const of = `${folder} ${prefix}`;
    const rest = this.#restOf(of, asked.after);
    const paths = [...rest?.paths ?? []];
    let isLast = rest?.isLast ?? false;
    // One more than is answered tells whether a page follows.
    if (paths.length <= limit && !isLast) {
      const after = paths.at(-1) ?? asked.after;
      const more = { prefix, after, limit: limit - paths.length };
      const behind = await this.#pathsBehind(folder, more, isPath);
      for (const path of behind.paths) paths.push(path);
      isLast = behind.isLast;
    }
    const found = paths.slice(0, limit);
    const next = paths.length > limit ? found.at(-1)! : null;
    if (next !== null) {
      const readAt = performance.now();
      this.#rest = { of, after: next, paths: paths.slice(limit), isLast, readAt };
    }
    const blobs = await Promise.all(found.map((path) => listed(folder, path)));
    return { blobs: blobs.filter((blob) => blob !== null), next };
  }

  /** More than `limit` of them in their order, if there are. */
  async #pathsBehind(
    folder: string,
    { prefix, after, limit }: FolderListing,
    isPath: (path: string) => boolean,
  ): Promise<{ paths: string[]; isLast: boolean }> {
    const paths: string[] = [];
    const all = await projects(folder, prefix, after);
    for (const project of all) {
      const isWanted = (name: string) => {
        const path = `${project}/${name}`;
        return (after === null || path > after) && isPath(path);
      };
      const count = Math.max(this.#namesKept, limit + 1 - paths.length);
      const names = await firstNames(folder + project, count, isWanted);
      for (const name of names) paths.push(`${project}/${name}`);
      const isLast = project === all.at(-1) && names.length < count;
      if (paths.length > limit) return { paths, isLast };
    }
    return { paths, isLast: true };
  }

  #restOf(of: string, after: string | null): Rest | null {
    const rest = this.#rest;
    if (rest === null || rest.of !== of || rest.after !== after) return null;
    this.#rest = null;
    return performance.now() - rest.readAt < REST_MS ? rest : null;
  }
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
