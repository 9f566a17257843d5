import { type FieldFault, Problem } from "../problems.ts";
import type { FieldRename } from "../store/port.ts";
import { renamedPath, renamedRecord } from "../store/renames.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMeanAside } from "../text/nearest.ts";
import type { StoredDocument } from "./collection.ts";
import { sortKey } from "./definition_indexes.ts";
import type { CollectionDefinition, FieldDefinition, IndexDefinition } from "./fields.ts";

/** Removes `renamedFrom`, which is an instruction and is not stored. */
export const withoutRenames = (given: CollectionDefinition): CollectionDefinition => ({
  ...given,
  fields: given.fields.map(({ renamedFrom: _from, ...field }) => field),
});

/** Does not use stored data. */
export function findRenameFault(fields: readonly FieldDefinition[]): FieldFault | null {
  const declared = new Set(fields.map(({ key }) => key));
  const taken = new Map<string, string>();
  for (const { key, renamedFrom: from } of fields) {
    if (from === undefined) continue;
    const why = from === key
      ? "is renamed from itself"
      : declared.has(from)
      ? `is renamed from ${quoted(from)}, which is still declared: leave that one out`
      : taken.has(from)
      ? `is renamed from ${quoted(from)}, whose values ${quoted(taken.get(from)!)} takes`
      : null;
    if (why !== null) return { path: key, message: why };
    taken.set(from, key);
  }
  return null;
}

/** Ignores finished renames, so that definitions can be sent again. Throws `INVALID_DEFINITION`. */
export function renamesBetween(
  before: CollectionDefinition,
  given: CollectionDefinition,
): FieldRename[] {
  const declared = new Set(before.fields.map(({ key }) => key));
  const renames: FieldRename[] = [];
  for (const { key: to, renamedFrom: from } of given.fields) {
    if (from === undefined) continue;
    if (!declared.has(from)) {
      if (declared.has(to)) continue;
      const why = `there is no such field${didYouMeanAside(from, declared)}`;
      throw invalidRename(to, `cannot take the values of ${quoted(from)}: ${why}`);
    }
    if (declared.has(to)) {
      throw invalidRename(to, `cannot take the values of ${quoted(from)}: it is declared already`);
    }
    renames.push({ from, to });
  }
  return renames;
}

function invalidRename(path: string, message: string): Problem {
  return new Problem("INVALID_DEFINITION", {
    message: `The field ${quoted(path)} ${message}.`,
    faults: [{ path, message }],
  });
}

export function renamedDefinition(
  definition: CollectionDefinition,
  renames: readonly FieldRename[],
): CollectionDefinition {
  if (renames.length === 0) return definition;
  const named = (path: string) => renamedPath(path, renames);
  return {
    ...definition,
    fields: definition.fields.map((field) => ({ ...field, key: named(field.key) })),
    rls: { ...definition.rls, ownerField: named(definition.rls.ownerField) },
    indexes: renamedIndexes(definition.indexes, renames),
  };
}

export const renamedIndexes = (
  indexes: readonly IndexDefinition[],
  renames: readonly FieldRename[],
): IndexDefinition[] =>
  indexes.map((index) => ({
    ...index,
    fields: index.fields.map((text) => {
      const { path, descending } = sortKey(text);
      return (descending ? "-" : "") + renamedPath(path, renames);
    }),
  }));

export const renamedDocument = (
  document: StoredDocument,
  renames: readonly FieldRename[],
): StoredDocument =>
  renames.length === 0 ? document : renamedRecord(document, renames) as StoredDocument;

/** Finds an undeclared value that a rename would overwrite. */
export function findConflictingValue(
  document: StoredDocument,
  renames: readonly FieldRename[],
): FieldFault | null {
  const conflict = renames.find(({ to }) => (document[to] ?? null) !== null);
  if (conflict === undefined) return null;
  const { from, to: path } = conflict;
  return { path, message: `has a value already, so it cannot take that of ${quoted(from)}` };
}
