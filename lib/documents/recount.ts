import type { Engine, Id } from "../store/port.ts";
import { ALSO_COUNTED, readDocumentBytes } from "./quota.ts";
import { compileCollections } from "./save_collection.ts";

/** Corrects the counted bytes of a project by reading all of its documents. */
export async function recountDocuments(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<{ documentBytes: number; corrected: number }> {
  let corrected = 0;
  for (const kind of ALSO_COUNTED) corrected += await engine.recount(projectId, kind);
  for (const { records } of await compileCollections({ engine }, projectId)) {
    corrected += await engine.recount(projectId, records);
  }
  return { documentBytes: await readDocumentBytes(engine, projectId), corrected };
}
