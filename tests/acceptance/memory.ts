import type { Server } from "./server.ts";

/** The most memory that a process has held, in bytes. */
export async function peakOf({ pid }: Pick<Server, "pid">): Promise<number> {
  // By a program: `deno test` may read its files only, and nothing of other processes.
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/status`] }).output();
  const status = new TextDecoder().decode(stdout);
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}
