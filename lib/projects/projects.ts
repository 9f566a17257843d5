import { KEY_KINDS, type KeyKind } from "./api_keys.ts";
import { Problem } from "../problems.ts";
import { and } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { IN_USE, IS_NOT_IMPORTING, isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";

/** Returns a project that is not in the trash. Throws `PROJECT_NOT_FOUND`. */
export async function findProject(
  { engine }: { engine: Engine },
  id: Id,
): Promise<ProjectRecord> {
  const project = await engine.records<ProjectRecord>("control", PROJECTS).get(id);
  if (project === null || isTrashed(project.value)) throw new Problem("PROJECT_NOT_FOUND");
  return project.value;
}

/** Whether a project may be opened: not missing or in the trash. Engines create missing spaces. */
export async function isInUse({ engine }: { engine: Engine }, projectId: Id): Promise<boolean> {
  const project = await engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
  return project !== null && !isTrashed(project.value);
}

/**
 * Iterates over projects by id, by default without those in the trash or being imported.
 * @param which `ALL` includes them; touching the space of a removed project creates it again.
 */
export function eachProject(
  { engine }: { engine: Engine },
  which: Filter = and(IN_USE, IS_NOT_IMPORTING),
): AsyncGenerator<ProjectRecord> {
  return engine.records<ProjectRecord>("control", PROJECTS).find({ filter: which });
}

/** Throws `INVALID_INPUT`. */
export function parseKeyKind(text: string): KeyKind {
  const kind = KEY_KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new Problem("INVALID_INPUT", { message: "The kind must be publishable or secret." });
}
