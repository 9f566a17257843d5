import { type FieldFault, Problem } from "../problems.ts";
import type { FieldRename } from "../store/port.ts";
import { renamedPath, renamedRecord } from "../store/renames.ts";
import { shown } from "../text/input_text.ts";
import { meantAside } from "../text/nearest.ts";
import type { StoredDocument } from "./collection.ts";
import { keyOf } from "./definition_indexes.ts";
import type { CollectionDefinition, FieldDefinition, IndexDefinition } from "./fields.ts";

/** A definition as it is stored: to rename a field is an instruction, which is no part of it. */
export const withoutRenames = (given: CollectionDefinition): CollectionDefinition => ({
  ...given,
  fields: given.fields.map(({ renamedFrom: _from, ...field }) => field),
});

/** What is wrong with the renames of a definition, whatever is stored; null if nothing is. */
export function renameFault(fields: readonly FieldDefinition[]): FieldFault | null {
  const declared = new Set(fields.map(({ key }) => key));
  const taken = new Map<string, string>();
  for (const { key, renamedFrom: from } of fields) {
    if (from === undefined) continue;
    const why = from === key
      ? "is renamed from itself"
      : declared.has(from)
      ? `is renamed from ${shown(from)}, which is still declared: leave that one out`
      : taken.has(from)
      ? `is renamed from ${shown(from)}, whose values ${shown(taken.get(from)!)} takes`
      : null;
    if (why !== null) return { path: key, message: why };
    taken.set(from, key);
  }
  return null;
}

/**
 * Fields whose values others take over when a definition takes another's place. A rename that has
 * been done is none any more: the same definition can be sent again. Throws `INVALID_DEFINITION`.
 */
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
      const why = `there is no such field${meantAside(from, declared)}`;
      throw refused(to, `cannot take the values of ${shown(from)}: ${why}`);
    }
    if (declared.has(to)) {
      throw refused(to, `cannot take the values of ${shown(from)}: it is declared already`);
    }
    renames.push({ from, to });
  }
  return renames;
}

function refused(path: string, message: string): Problem {
  return new Problem("INVALID_DEFINITION", {
    message: `The field ${shown(path)} ${message}.`,
    faults: [{ path, message }],
  });
}

/** A definition as if its fields had always been called so. */
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

/** The same of indexes, as definitions write them. */
export const renamedIndexes = (
  indexes: readonly IndexDefinition[],
  renames: readonly FieldRename[],
): IndexDefinition[] =>
  indexes.map((index) => ({
    ...index,
    fields: index.fields.map((text) => {
      const { path, descending } = keyOf(text);
      return (descending ? "-" : "") + renamedPath(path, renames);
    }),
  }));

/** The same of a document. */
export const renamedDocument = (
  document: StoredDocument,
  renames: readonly FieldRename[],
): StoredDocument =>
  renames.length === 0 ? document : renamedRecord(document, renames) as StoredDocument; // It keeps its other members.

/** A value in a document that nobody declared, and that one would take the place of. */
export function inTheWay(
  document: StoredDocument,
  renames: readonly FieldRename[],
): FieldFault | null {
  const found = renames.find(({ to }) => (document[to] ?? null) !== null);
  if (found === undefined) return null;
  const { from, to: path } = found;
  return { path, message: `has a value already, so it cannot take that of ${shown(from)}` };
}
