import { deadlinePassed } from "../clock.ts";
import { isDue } from "../jobs/jobs.ts";
import { eachProject } from "../projects/projects.ts";
import { findUsage } from "./ledger.ts";
import { releaseExpired } from "./release.ts";
import { type FileServices, OBJECT_REMOVAL } from "./removals.ts";
import { INTERNAL } from "./stores.ts";
import { sweep } from "./sweep.ts";

/** A store that a project brought may be slow: the others wait no longer than that for it. */
const EXTERNAL_PASS_MS = 30_000;

/** What one pass did. */
export interface Reaped {
  /** Uploads that were not confirmed in time. */
  readonly released: number;
  /** Removals noted before that succeeded now. */
  readonly removed: number;
  /** Staged and partial objects that nobody waits for. */
  readonly swept: number;
}

/**
 * Ends what has expired and removes what is left over, in every project and store. What fails in
 * one does not keep the others. Several processes may do so at once.
 */
export async function reap(
  services: FileServices,
  stopped: () => boolean = () => false,
): Promise<Reaped> {
  let [released, removed, swept] = [0, 0, 0];
  for await (const { _id: projectId } of eachProject(services)) {
    if (stopped()) return { released, removed, swept };
    await attempt(services, projectId, async () => {
      const usage = await findUsage(services, projectId);
      const isExternal = usage !== null && usage.target !== INTERNAL;
      const isLate = isExternal ? deadlinePassed(services.clock, EXTERNAL_PASS_MS) : () => false;
      const isOver = () => stopped() || isLate();
      released += await releaseExpired(services, projectId, isOver);
      removed += await services.jobRunner.runNow(services, OBJECT_REMOVAL, {
        space: projectId,
        which: isDue(services.clock),
        isStopping: isOver,
      });
      if (!isExternal) return;
      const { blobs } = await services.blobStores.current(projectId);
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
