import type { JobQueue } from "@/lib/jobs/jobs.ts";

/** A queue whose jobs are announced and never begun, as by a process that is killed right then. */
export const muteQueue = (queue: JobQueue): JobQueue => ({
  announce: (space) => queue.announce(space),
  begin() {},
  runNow: (...jobs) => queue.runNow(...jobs),
});
