import type { Log } from "../runtime/log.ts";
import type { Id } from "../store/port.ts";
import { emptyRemoved, type RemovalServices } from "./removed_collections.ts";

/** Removes the documents of deleted collections while nobody waits for it. */
export interface CollectionRemovals extends AsyncDisposable {
  /** Begins, if it is not at it; maintenance goes on where it is cut off. */
  begin(projectId: Id): void;
}

export function createCollectionRemovals(
  services: RemovalServices & { readonly log: Log },
): CollectionRemovals {
  const running = new Map<Id, Promise<void>>();
  /** Where another collection was deleted meanwhile. */
  const again = new Set<Id>();
  let isStopped = false;

  async function run(projectId: Id): Promise<void> {
    try {
      do {
        again.delete(projectId);
        await emptyRemoved(services, projectId, () => isStopped);
      } while (again.has(projectId) && !isStopped);
    } catch (error) {
      services.log.write("warn", "Documents of a deleted collection are left to maintenance", {
        project: projectId,
        error: String(error),
      });
    } finally {
      running.delete(projectId);
    }
  }

  return {
    begin(projectId) {
      if (running.has(projectId)) again.add(projectId);
      else running.set(projectId, run(projectId));
    },
    async [Symbol.asyncDispose]() {
      isStopped = true;
      await Promise.all(running.values());
    },
  };
}
