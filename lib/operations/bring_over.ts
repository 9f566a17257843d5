import type { Clock } from "../clock.ts";
import { storedCollections } from "../documents/save_collection.ts";
import type { NewId } from "../ids.ts";
import { claim, isClaimed } from "../projects/claims.ts";
import { eachProject } from "../projects/projects.ts";
import type { Log } from "../runtime/log.ts";
import type { Engine } from "../store/port.ts";

interface BringOverServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

/** What there is only one of in a store, for good. */
const DONE = "documents have columns";
const TOLD_EVERY_MS = 5_000;

/**
 * Brings documents that an earlier version stored to this one's layout, a collection at a time, and
 * tells how far it has come. What is cut off goes on with the next start; a collection that is
 * brought back later, out of a backup, is brought over when it is first used.
 */
export async function bringOver(services: BringOverServices): Promise<void> {
  const { engine, clock, log } = services;
  if (await isClaimed(engine, DONE)) return;
  let [projects, collections, toldAt] = [0, 0, clock.elapsed()];
  const tell = (message: string) => log.write("info", message, { projects, collections });
  for await (const { _id: projectId } of eachProject(services)) {
    try {
      for (const { records } of await storedCollections(services, projectId)) {
        if (!await engine.bringOver(projectId, records)) continue;
        collections++;
        if (clock.elapsed() - toldAt < TOLD_EVERY_MS) continue;
        toldAt = clock.elapsed();
        tell("Stored documents are brought over to the layout of this version");
      }
      projects++;
    } catch (error) {
      // What cannot be used now is brought over when it can.
      const fields = { project: projectId, error: String(error) };
      log.write("error", "Documents of a project were not brought over", fields);
    }
  }
  if (collections > 0) tell("Stored documents were brought over to the layout of this version");
  await claim(services, DONE);
}
