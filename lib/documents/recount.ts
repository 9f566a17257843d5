import type { Engine, Id } from "../store/port.ts";
import { ALSO_COUNTED, documentBytes } from "./quota.ts";
import { storedCollections } from "./save_collection.ts";

/**
 * Sets right what is known of the bytes of a project's documents, by looking at every one of them.
 * Resolves to how many there are by now, and by how many that was off.
 */
export async function recountDocuments(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<{ documentBytes: number; corrected: number }> {
  let corrected = 0;
  for (const kind of ALSO_COUNTED) corrected += await engine.recount(projectId, kind);
  for (const { records } of await storedCollections({ engine }, projectId)) {
    corrected += await engine.recount(projectId, records);
  }
  return { documentBytes: await documentBytes(engine, projectId), corrected };
}
