import type { KeyDirectory } from "../auth/api_keys.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id, Json } from "../store/port.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "./records.ts";
import { parseSettings } from "./settings.ts";

/**
 * Changes the settings that a body names. Throws `INVALID_BODY`, `INVALID_INPUT` and
 * `PROJECT_NOT_FOUND`.
 */
export async function changeProject(
  { engine, keys }: { engine: Engine; keys: KeyDirectory },
  projectId: Id,
  body: Json,
): Promise<ProjectRecord> {
  const settings = parseSettings(body);
  if (Object.keys(settings).length === 0) {
    throw new Problem("INVALID_BODY", { message: "Send name, siteUrl or allowedOrigins." });
  }
  const changed = await engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(and(eq("_id", projectId), IN_USE), { set: settings });
  if (changed === null) throw new Problem("PROJECT_NOT_FOUND");
  keys.forget(projectId);
  return changed.value;
}
