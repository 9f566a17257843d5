import type { Server } from "./server.ts";

/** Returns the peak resident memory of a process in bytes. */
export async function peakMemoryOf({ pid }: Pick<Server, "pid">): Promise<number> {
  // Runs `cat`, because `deno test` has no permission to read files of other processes.
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/status`] }).output();
  const status = new TextDecoder().decode(stdout);
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}
