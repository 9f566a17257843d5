import { dirname } from "node:path";
import { createLru } from "../../lru.ts";

interface FolderSyncs {
  readonly running: Promise<void>;
  /** A further sync, which begins after the running one; null if none is requested. */
  next: Promise<void> | null;
}

const CREATED_MAX = 10_000;
const FOLDER_MODE = 0o700;

/** Creates folders and makes their entries durable, so that they survive a power failure. */
export class Folders {
  readonly #root: string;
  readonly #created = createLru<string, Promise<void>>(CREATED_MAX);
  readonly #syncs = new Map<string, FolderSyncs>();

  /** @param root Folder that is created when a folder in it is needed. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Runs `work` in an existing folder, and again if the folder was removed in the meantime. */
  async runIn<T>(folder: string, work: () => Promise<T>): Promise<T> {
    await this.#create(folder);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      this.#created.clear();
      await this.#create(folder);
      return await work();
    }
  }

  /** Makes entries durable. A call waits for the next sync, as a running one may be too early. */
  sync(folder: string): Promise<void> {
    const syncs = this.#syncs.get(folder);
    if (syncs !== undefined) {
      return syncs.next ??= syncs.running.catch(() => {}).then(() => this.#start(folder));
    }
    return this.#start(folder);
  }

  #start(folder: string): Promise<void> {
    const syncs: FolderSyncs = { running: syncFolder(folder), next: null };
    this.#syncs.set(folder, syncs);
    const end = () => void (syncs.next === null && this.#syncs.delete(folder));
    syncs.running.then(end, end);
    return syncs.running;
  }

  async #create(folder: string): Promise<void> {
    let created = this.#created.get(folder);
    if (created === undefined) {
      const parent = folder === this.#root ? Promise.resolve() : this.#create(dirname(folder));
      created = parent.then(() => createFolder(folder));
      this.#created.set(folder, created);
      created.catch(() => this.#created.delete(folder));
    }
    await created;
  }
}

/** Creates a folder and its missing parents, and makes their entries durable. */
async function createFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  try {
    await Deno.mkdir(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      // Another process may have created the folder without having synced its parent yet.
      if (!(await Deno.stat(folder)).isDirectory) throw error;
    } else if (error instanceof Deno.errors.NotFound && parent !== folder) {
      await createFolder(parent).catch(async (error) => {
        if (!(error instanceof Deno.errors.NotCapable)) throw error;
        // The server may write only in this folder, so missing parents cannot be synced.
        await Deno.mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      });
      return await createFolder(folder);
    } else throw error;
  }
  try {
    await syncFolder(parent);
  } catch (error) {
    // The root folder's parent may be unreadable. A power failure may lose the entry of the root.
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  using opened = await Deno.open(folder);
  await opened.sync();
}
