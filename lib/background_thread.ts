import os from "node:os";

/** Enough for a thread that waits for nobody to leave the others what they want of a processor. */
const NICENESS = 10;

/**
 * Lets the threads that answer requests go before this one where there are too few processors. Does
 * nothing without the permission, and where a thread has no priority of its own, as on every system
 * but Linux.
 */
export function giveWay(): void {
  if (Deno.build.os !== "linux") return;
  const permission = { name: "sys", kind: "setPriority" } as const;
  if (Deno.permissions.querySync(permission).state !== "granted") return;
  os.setPriority(0, NICENESS);
}
