import { SIGNING_KEYS } from "./signing_keys.ts";
import type { Clock } from "../clock.ts";
import { creationTime } from "../ids.ts";
import type { Log } from "../runtime/log.ts";
import type { Engine, Id } from "../store/port.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

/** A process that began to create a project longer ago than this has finished or was killed. */
const CREATION_MAX_MS = 3_600_000;
/** Number of ids in one log line. */
const NAMED_MAX = 10;

interface UnfinishedServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Removes spaces of projects whose creation was killed, and returns their number. Keeps and logs
 * spaces with data, which exist after the control space was restored from an older backup.
 */
export async function removeUnfinishedProjects(
  { engine, clock, log }: UnfinishedServices,
  isStopped: () => boolean = () => false,
): Promise<number> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  const unknown: Id[] = [];
  let removed = 0;
  for (const projectId of await engine.spaces()) {
    if (isStopped()) return removed;
    if (clock.now() - creationTime(projectId) < CREATION_MAX_MS) continue;
    if (await projects.get(projectId) !== null) continue;
    if (await isEmptySpace(engine, projectId)) {
      await engine.dropSpace(projectId);
      removed++;
    } else unknown.push(projectId);
  }
  if (unknown.length > 0) {
    log.write("error", "Project data without a project: restore the control data", {
      projects: unknown.length,
      first: unknown.slice(0, NAMED_MAX).join(" "),
    });
  }
  return removed;
}

/** Whether a space has only the records of a new project. Returns false for an unusable space. */
export async function isEmptySpace(engine: Engine, projectId: Id): Promise<boolean> {
  const kinds = await engine.kinds(projectId).catch(() => null);
  return kinds !== null && kinds.every((name) => name === SIGNING_KEYS.name);
}
