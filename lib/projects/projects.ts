import { KEY_KINDS, type KeyKind } from "./api_keys.ts";
import { Problem } from "../problems.ts";
import { and } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { IN_USE, IS_WHOLE, isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";

/** A project that is in use. Throws `PROJECT_NOT_FOUND`. */
export async function findProject(
  { engine }: { engine: Engine },
  id: Id,
): Promise<ProjectRecord> {
  const project = await engine.records<ProjectRecord>("control", PROJECTS).get(id);
  if (project === null || isTrashed(project.value)) throw new Problem("PROJECT_NOT_FOUND");
  return project.value;
}

/** Asked for a project that is none, an engine would make its space. */
export async function isInUse({ engine }: { engine: Engine }, projectId: Id): Promise<boolean> {
  const project = await engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
  return project !== null && !isTrashed(project.value);
}

/**
 * Every project that is in use and whole, in the order of their ids. @param which For those in the trash too:
 * `ALL`. What touches the space of one that is being removed makes a new one in its place.
 */
export function eachProject(
  { engine }: { engine: Engine },
  which: Filter = and(IN_USE, IS_WHOLE),
): AsyncGenerator<ProjectRecord> {
  return engine.records<ProjectRecord>("control", PROJECTS).find({ filter: which });
}

/** Throws `INVALID_INPUT` for what names no kind of key. */
export function checkedKeyKind(text: string): KeyKind {
  const kind = KEY_KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new Problem("INVALID_INPUT", { message: "The kind must be publishable or secret." });
}
