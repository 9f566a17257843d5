import type { FieldDefinition } from "./fields.ts";

/** A part of a path of `populate`: a name, or a collection and its field that refers back. */
export interface PopulateStep {
  readonly name: string;
  /** In `comments(postId)` the path `postId`. */
  readonly by: string | null;
}

const STEP = /([^.()]+)(?:\(([^()]+)\))?(?:\.|$)/y;

/** The parts of `author.company` or `comments(postId).author`; null for anything else. */
export function populateSteps(text: string): PopulateStep[] | null {
  const steps: PopulateStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text);
    if (step === null) return null;
    steps.push({ name: step[1]!, by: step[2] ?? null });
  }
  return text === "" || text.endsWith(".") ? null : steps;
}

/** What fields of files refer to: no collection has this name. */
export const FILES = "_files";

/** What a field refers to, alone or by the elements of a list. */
export interface Reference {
  readonly names: readonly string[];
  /** A collection's name, `users` or {@linkcode FILES}. */
  readonly target: string;
  readonly isList: boolean;
}

/** The first field along the names that refers to something; null if none does. */
export function firstReference(
  fields: readonly FieldDefinition[],
  steps: readonly PopulateStep[],
): Reference | null {
  let members = fields;
  const names: string[] = [];
  for (const { name, by } of steps) {
    const field = by === null ? members.find(({ key }) => key === name) : undefined;
    if (field === undefined) return null;
    names.push(name);
    const target = field.file ? FILES : field.ref ?? field.items?.ref;
    if (target !== undefined) return { names, target, isList: field.type === "Array" };
    members = field.fields ?? [];
  }
  return null;
}

/** The same of a dotted path, if it is the path's last name. */
export function referenceAt(
  fields: readonly FieldDefinition[],
  path: string,
): Reference | null {
  const steps = path.split(".").map((name) => ({ name, by: null }));
  const found = firstReference(fields, steps);
  return found?.names.length === steps.length ? found : null;
}
