import { deadlinePassed } from "../clock.ts";
import { isDue } from "../jobs/jobs.ts";
import { eachProject } from "../projects/projects.ts";
import { findUsage } from "./ledger.ts";
import { releaseExpired } from "./release.ts";
import { type FileServices, OBJECT_REMOVAL } from "./removals.ts";
import { INTERNAL_TARGET } from "./stores.ts";
import { sweep } from "./sweep.ts";

/** Milliseconds for one project's own store, so that a slow store does not delay other projects. */
const EXTERNAL_PASS_MS = 30_000;

export interface ReapResult {
  /** Number of uploads that were not confirmed in time. */
  readonly released: number;
  /** Number of queued removals that succeeded. */
  readonly removed: number;
  /** Number of removed staged and partial objects of uploads that are over. */
  readonly swept: number;
}

/** Ends expired uploads and removes leftovers everywhere. Several processes may run it at once. */
export async function reap(
  services: FileServices,
  stopped: () => boolean = () => false,
): Promise<ReapResult> {
  let [released, removed, swept] = [0, 0, 0];
  for await (const { _id: projectId } of eachProject(services)) {
    if (stopped()) return { released, removed, swept };
    await attempt(services, projectId, async () => {
      const usage = await findUsage(services, projectId);
      const isExternal = usage !== null && usage.target !== INTERNAL_TARGET;
      const isLate = isExternal ? deadlinePassed(services.clock, EXTERNAL_PASS_MS) : () => false;
      const isOver = () => stopped() || isLate();
      released += await releaseExpired(services, projectId, isOver);
      removed += await services.jobRunner.runNow(services, OBJECT_REMOVAL, {
        space: projectId,
        which: isDue(services.clock),
        isStopping: isOver,
      });
      if (!isExternal) return;
      const { blobs } = await services.blobStores.currentTarget(projectId);
      swept += await sweep(services, blobs, `${projectId}/`, isOver);
    });
  }
  await attempt(services, null, async () => {
    swept += await sweep(services, services.blobStores.internal, "");
  });
  return { released, removed, swept };
}

async function attempt(
  { log }: FileServices,
  project: string | null,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.write("error", "Uploads could not be cleared away", { project, error: String(error) });
  }
}
