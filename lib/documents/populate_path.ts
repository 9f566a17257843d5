import type { FieldDefinition } from "./fields.ts";

/** A part of a path of `populate`: a field, or a collection and its field that refers back. */
export interface PopulateStep {
  readonly name: string;
  /** Field that refers back, such as `postId` in `comments(postId)`; null if there is none. */
  readonly by: string | null;
}

const STEP = /([^.()]+)(?:\(([^()]+)\))?(?:\.|$)/y;

/** Parses `author.company` or `comments(postId).author`. Returns null for an invalid path. */
export function parsePopulatePath(text: string): PopulateStep[] | null {
  const steps: PopulateStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text);
    if (step === null) return null;
    steps.push({ name: step[1]!, by: step[2] ?? null });
  }
  return text === "" || text.endsWith(".") ? null : steps;
}

/** Target of file fields. A collection cannot have this name. */
export const FILES_TARGET = "_files";

export interface FieldReference {
  readonly names: readonly string[];
  /** A collection's name, `users` or {@linkcode FILES_TARGET}. */
  readonly target: string;
  readonly isList: boolean;
}

/** Returns the first field along the steps that refers to a target. */
export function firstReference(
  fields: readonly FieldDefinition[],
  steps: readonly PopulateStep[],
): FieldReference | null {
  let members = fields;
  const names: string[] = [];
  for (const { name, by } of steps) {
    const field = by === null ? members.find(({ key }) => key === name) : undefined;
    if (field === undefined) return null;
    names.push(name);
    const target = field.file ? FILES_TARGET : field.ref ?? field.items?.ref;
    if (target !== undefined) return { names, target, isList: field.type === "Array" };
    members = field.fields ?? [];
  }
  return null;
}

export function referenceAt(
  fields: readonly FieldDefinition[],
  path: string,
): FieldReference | null {
  const steps = path.split(".").map((name) => ({ name, by: null }));
  const found = firstReference(fields, steps);
  return found?.names.length === steps.length ? found : null;
}
