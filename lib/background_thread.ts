import os from "node:os";

/** Priority number at which a busy thread leaves other threads enough processor time. */
const NICENESS = 10;

/** Does nothing without the permission, or on systems other than Linux. */
export function lowerThreadPriority(): void {
  if (Deno.build.os !== "linux") return;
  const permission = { name: "sys", kind: "setPriority" } as const;
  if (Deno.permissions.querySync(permission).state !== "granted") return;
  os.setPriority(0, NICENESS);
}
