import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import { type ProjectRecord, PROJECTS } from "../projects/records.ts";
import type { Engine, Id } from "../store/port.ts";
import { projectOf } from "./paths.ts";
import type { Soon } from "../soon.ts";
import { INTERNAL } from "./stores.ts";
import { findUpload } from "./uploads.ts";

/** A confirmed file of our own store. */
export interface ServedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: number;
}

/**
 * Finds what may be served. What was found is remembered, so whoever serves it must also look
 * whether its object is there still: that of a removed file is gone for every process at once.
 */
export interface ServedFiles {
  /** Null for every path but that of a confirmed file. */
  find(path: string): Soon<ServedFile | null>;
  /** Drops what is remembered of a path. */
  drop(path: string): void;
}

const FILES_KEPT = 20_000;

export function createServedFiles(engine: Engine, clock: Clock): ServedFiles {
  /** Asked for a project that is none, an engine would make its space. */
  const isProject = async (id: Id) =>
    await engine.records<ProjectRecord>("control", PROJECTS).get(id) !== null;

  const known = createReadThrough<ServedFile>({ clock, max: FILES_KEPT }, async (path) => {
    const projectId = projectOf(path);
    if (projectId === null || !await isProject(projectId)) return null;
    const row = await findUpload({ engine }, projectId, path);
    if (row?.state !== "confirmed" || row.target !== INTERNAL) return null;
    const { filename, contentType, bytes } = row;
    return { filename, contentType, bytes };
  });
  return { find: (path) => known.get(path), drop: (path) => known.drop(path) };
}
