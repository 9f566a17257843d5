import type { BlobPage, ListedBlob } from "../blobs.ts";
import { ifThere } from "./guarded.ts";

export interface Asked {
  readonly prefix: string;
  readonly after: string | null;
  readonly limit: number;
}

/** Paths behind a page, for the next one. */
interface Rest {
  readonly of: string;
  readonly after: string;
  readonly paths: readonly string[];
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
 * are read whole, 4 µs each, to find the next ones; no more than twice {@linkcode NAMES_KEPT} of
 * them are held at a time, and only the files of the page itself are looked at. Of what was read
 * one page's rest is kept for whoever asks for the next: a walk over a million files reads their
 * names fifty times, not a thousand. An object that is there all along is in every walk; one that
 * comes while a walk is under way may not be.
 */
export class Lister {
  #rest: Rest | null = null;

  /** @param folder With a slash behind it. */
  async page(folder: string, asked: Asked, isPath: (path: string) => boolean): Promise<BlobPage> {
    const { prefix, limit } = asked;
    const of = `${folder} ${prefix}`;
    const paths = this.#restOf(of, asked.after);
    // One more than is answered tells whether a page follows.
    if (paths.length <= limit) {
      const after = paths.at(-1) ?? asked.after;
      paths.push(
        ...await pathsBehind(folder, { prefix, after, limit: limit - paths.length }, isPath),
      );
    }
    const found = paths.slice(0, limit);
    const next = paths.length > limit ? found.at(-1)! : null;
    if (next !== null) {
      this.#rest = { of, after: next, paths: paths.slice(limit), readAt: performance.now() };
    }
    const blobs = await Promise.all(found.map((path) => listed(folder, path)));
    return { blobs: blobs.filter((blob) => blob !== null), next };
  }

  #restOf(of: string, after: string | null): string[] {
    const rest = this.#rest;
    if (rest === null || rest.of !== of || rest.after !== after) return [];
    this.#rest = null;
    return performance.now() - rest.readAt < REST_MS ? [...rest.paths] : [];
  }
}

/** More than `limit` of them in their order, if there are. */
async function pathsBehind(
  folder: string,
  { prefix, after, limit }: Asked,
  isPath: (path: string) => boolean,
): Promise<string[]> {
  const paths: string[] = [];
  for (const project of await projects(folder, prefix, after)) {
    const isWanted = (name: string) => {
      const path = `${project}/${name}`;
      return (after === null || path > after) && isPath(path);
    };
    for (const name of await firstNames(folder + project, NAMES_KEPT, isWanted)) {
      paths.push(`${project}/${name}`);
    }
    if (paths.length > limit) break;
  }
  return paths;
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
