import { dirname } from "node:path";
import { createLru } from "../../lru.ts";

interface Syncs {
  readonly running: Promise<void>;
  /** Begins when that has ended. */
  next: Promise<void> | null;
}

const KNOWN_MAX = 10_000;
const PRIVATE = 0o700;

/** Makes folders, and what is in them, so that it is still there after a power cut. */
export class Folders {
  readonly #root: string;
  /** Those that this process has made, or found. */
  readonly #known = createLru<string, Promise<void>>(KNOWN_MAX);
  readonly #syncs = new Map<string, Syncs>();

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

  /**
   * Makes durable which names are in a folder. Those who ask while others are waited for share the
   * next one: what is under way may have begun before their change.
   */
  sync(folder: string): Promise<void> {
    const syncs = this.#syncs.get(folder);
    if (syncs !== undefined) {
      return syncs.next ??= syncs.running.catch(() => {}).then(() => this.#start(folder));
    }
    return this.#start(folder);
  }

  #start(folder: string): Promise<void> {
    const syncs: Syncs = { running: syncFolder(folder), next: null };
    this.#syncs.set(folder, syncs);
    const end = () => void (syncs.next === null && this.#syncs.delete(folder));
    syncs.running.then(end, end);
    return syncs.running;
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
      await makeFolder(around).catch(async (error) => {
        if (!(error instanceof Deno.errors.NotCapable)) throw error;
        // What is served may write in this folder alone: its name is there to stay, not those above.
        await Deno.mkdir(folder, { recursive: true, mode: PRIVATE });
      });
      return await makeFolder(folder);
    } else throw error;
  }
  try {
    await syncFolder(around);
  } catch (error) {
    // Permission to read ends at the folder of all files: what is around it may be the root of the disk.
    // A first upload makes that folder, and its name is the one that may be gone after a power cut.
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  using opened = await Deno.open(folder);
  await opened.sync();
}
