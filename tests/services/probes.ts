/** Checks of files, processes and ports for tests of servers. */

import process from "node:process";

export const isThere = (path: string): Promise<boolean> =>
  Deno.stat(path).then(() => true, () => false);

/** Returns whether a process is running. Returns false for a child after it was waited for. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export async function accepts(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return true;
  } catch {
    return false;
  }
}
