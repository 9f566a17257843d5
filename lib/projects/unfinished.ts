import { SIGNING_KEYS } from "./signing_keys.ts";
import type { Clock } from "../clock.ts";
import { madeAt } from "../ids.ts";
import type { Log } from "../runtime/log.ts";
import type { Engine, Id } from "../store/port.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

/** Whoever began to create a project this long ago is done, or was killed. */
const CREATION_MS_MAX = 3_600_000;
/** How many ids a line of the log names. */
const NAMED_MAX = 10;

interface UnfinishedServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Removes the spaces of projects whose creation was killed before the project itself was stored.
 * Where more is in a space than comes with a new one it stays, and the log names it: such projects
 * are in the files and not in the control space after that was restored from an older backup.
 * Resolves to how many it removed.
 */
export async function removeUnfinished(
  { engine, clock, log }: UnfinishedServices,
  stopped: () => boolean = () => false,
): Promise<number> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  const unknown: Id[] = [];
  let removed = 0;
  for (const projectId of await engine.spaces()) {
    if (stopped()) return removed;
    if (clock.now() - madeAt(projectId) < CREATION_MS_MAX) continue;
    if (await projects.get(projectId) !== null) continue;
    if (await isNew(engine, projectId)) {
      await engine.dropSpace(projectId);
      removed++;
    } else unknown.push(projectId);
  }
  if (unknown.length > 0) {
    log.write("error", "There are data of projects that nobody knows: restore the control data", {
      projects: unknown.length,
      first: unknown.slice(0, NAMED_MAX).join(" "),
    });
  }
  return removed;
}

/** Whether a space has only what comes with a new one. False also for one that cannot be used. */
export async function isNew(engine: Engine, projectId: Id): Promise<boolean> {
  const kinds = await engine.kinds(projectId).catch(() => null);
  return kinds !== null && kinds.every((name) => name === SIGNING_KEYS.name);
}
