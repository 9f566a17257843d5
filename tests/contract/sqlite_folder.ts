import { QueryTooSlow } from "@/lib/store/errors.ts";
import { SqliteEngine, type SqliteOptions } from "@/lib/store/sqlite/engine.ts";
import type { Store } from "./suite.ts";

/** Creates a temporary folder that is removed when it is disposed. */
export async function tempFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "corbel_contract_" });
  return {
    path,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** Opens another engine on a folder, as another process would. */
export const openSecondEngine = (
  folder: string,
  options: Partial<SqliteOptions> = {},
): Promise<SqliteEngine> => SqliteEngine.open({ folder, sync: "normal", ...options });

export async function openFolder(
  options: Partial<SqliteOptions> = {},
): Promise<Store & AsyncDisposable> {
  const folder = await tempFolder();
  // No test cuts the power, so commits need not wait for the disk.
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

/** Repeats a query while it is too slow: replacing a thread may take as long as its limit. */
export async function retryWhileSlow<T>(ask: () => Promise<T>): Promise<T> {
  for (const began = performance.now();;) {
    try {
      return await ask();
    } catch (error) {
      const isOver = performance.now() - began > THREAD_STARTS_MS;
      if (isOver || !(error instanceof QueryTooSlow)) throw error;
    }
  }
}
