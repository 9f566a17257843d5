import type { JobQueue } from "@/lib/jobs/jobs.ts";

/** Returns a queue whose jobs are announced but never begin, as in a killed process. */
export const muteQueue = (queue: JobQueue): JobQueue => ({
  announce: (space) => queue.announce(space),
  begin() {},
  runNow: (...jobs) => queue.runNow(...jobs),
});
