import type { Clock } from "../clock.ts";
import { compileCollections } from "../documents/save_collection.ts";
import type { NewId } from "../ids.ts";
import { claim, isClaimed } from "../projects/claims.ts";
import { eachProject } from "../projects/projects.ts";
import type { Log } from "../runtime/log.ts";
import type { Engine } from "../store/port.ts";

interface UpgradeServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

/** Records the completed upgrade of a store. */
const UPGRADE_CLAIM = "documents have columns";
const PROGRESS_INTERVAL_MS = 5_000;

/**
 * Upgrades documents of earlier versions to the current layout. Continues at the next start if
 * interrupted. A collection that is restored from a backup is upgraded when it is first used.
 */
export async function upgradeDocuments(services: UpgradeServices): Promise<void> {
  const { engine, clock, log } = services;
  if (await isClaimed(engine, UPGRADE_CLAIM)) return;
  let [projects, collections, loggedAt] = [0, 0, clock.elapsed()];
  const logProgress = (message: string) => log.write("info", message, { projects, collections });
  for await (const { _id: projectId } of eachProject(services)) {
    try {
      for (const { records } of await compileCollections(services, projectId)) {
        if (!await engine.upgradeRecords(projectId, records)) continue;
        collections++;
        if (clock.elapsed() - loggedAt < PROGRESS_INTERVAL_MS) continue;
        loggedAt = clock.elapsed();
        logProgress("Stored documents are being upgraded to the layout of this version");
      }
      projects++;
    } catch (error) {
      // The collection is upgraded when it is first used.
      const fields = { project: projectId, error: String(error) };
      log.write("error", "Documents of a project could not be upgraded", fields);
    }
  }
  if (collections > 0) logProgress("Stored documents were upgraded to the layout of this version");
  await claim(services, UPGRADE_CLAIM);
}
