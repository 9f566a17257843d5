import { QueryTooSlow } from "@/lib/store/errors.ts";
import { SqliteEngine, type SqliteOptions } from "@/lib/store/sqlite/engine.ts";
import type { Store } from "./suite.ts";

/** A folder of the case's own, removed with its scope. */
export async function tempFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "corbel_contract_" });
  return {
    path,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** Another engine on a folder, as another process would open it. */
export const openBeside = (
  folder: string,
  options: Partial<SqliteOptions> = {},
): Promise<SqliteEngine> => SqliteEngine.open({ folder, sync: "normal", ...options });

/** The SQLite engine on an empty folder of its own. */
export async function openFolder(
  options: Partial<SqliteOptions> = {},
): Promise<Store & AsyncDisposable> {
  const folder = await tempFolder();
  // Nothing here cuts the power, so commits need not wait for the disk.
  const engine = await SqliteEngine.open({ folder: folder.path, sync: "normal", ...options });
  return {
    engine,
    address: `sqlite:${folder.path}`,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const THREAD_STARTS_MS = 5_000;

/**
 * Asks again while it takes too long: starting a thread in the place of one that was ended may take
 * as long as a short limit.
 */
export async function askedAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (const began = performance.now();;) {
    try {
      return await ask();
    } catch (error) {
      const isOver = performance.now() - began > THREAD_STARTS_MS;
      if (isOver || !(error instanceof QueryTooSlow)) throw error;
    }
  }
}
