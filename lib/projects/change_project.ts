import type { KeyDirectory } from "./api_keys.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "./records.ts";
import { type GivenSettings, toStoredSettings } from "./settings.ts";

/** Throws `INVALID_INPUT` and `PROJECT_NOT_FOUND`. */
export async function changeProject(
  { engine, keys }: { engine: Engine; keys: KeyDirectory },
  projectId: Id,
  given: GivenSettings,
): Promise<ProjectRecord> {
  const changed = await engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(and(eq("_id", projectId), IN_USE), { set: toStoredSettings(given) });
  if (changed === null) throw new Problem("PROJECT_NOT_FOUND");
  keys.forget(projectId);
  return changed.value;
}
