/** What tests of servers ask of files, processes and ports. */

import process from "node:process";

export const isThere = (path: string): Promise<boolean> =>
  Deno.stat(path).then(() => true, () => false);

/** False once it ended and was waited for. */
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
