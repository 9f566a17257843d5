import { dirname } from "node:path";
import { LRUCache } from "lru-cache";

const KNOWN_MAX = 10_000;
const PRIVATE = 0o700;

/** Makes folders so that they are still there after a power cut, each once per process. */
export class Folders {
  readonly #root: string;
  readonly #known = new LRUCache<string, Promise<void>>({ max: KNOWN_MAX });

  /** @param root Itself made only when a folder in it is needed. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Does what needs a folder. Somebody may have removed it since it was made: it is made anew. */
  async within<T>(folder: string, work: () => Promise<T>): Promise<T> {
    await this.#make(folder);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      this.#known.clear();
      await this.#make(folder);
      return await work();
    }
  }

  async #make(folder: string): Promise<void> {
    let made = this.#known.get(folder);
    if (made === undefined) {
      const above = folder === this.#root ? Promise.resolve() : this.#make(dirname(folder));
      made = above.then(() => makeFolder(folder));
      this.#known.set(folder, made);
      made.catch(() => this.#known.delete(folder));
    }
    await made;
  }
}

/** Also with what is missing above it. Each is there to stay only once the folder around it is. */
async function makeFolder(folder: string): Promise<void> {
  const around = dirname(folder);
  try {
    await Deno.mkdir(folder, { mode: PRIVATE });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      // By a process, perhaps, that has not come to the next line.
      if (!(await Deno.stat(folder)).isDirectory) throw error;
    } else if (error instanceof Deno.errors.NotFound && around !== folder) {
      await makeFolder(around);
      return await makeFolder(folder);
    } else throw error;
  }
  await syncFolder(around);
}

/** Makes durable which names are in a folder. */
export async function syncFolder(folder: string): Promise<void> {
  using opened = await Deno.open(folder);
  await opened.sync();
}
