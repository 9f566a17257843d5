import type { FieldFault } from "../problems.ts";
import { ALL } from "../store/filter.ts";
import { pagesOf } from "../store/pages.ts";
import type { FieldRename, Id, Json, Page, Records } from "../store/port.ts";
import { indexedArrays, oversizedArrayFaults, valueAt } from "../store/shape.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import { sortKey } from "./definition_indexes.ts";
import { fileFieldsOf } from "./file_fields.ts";
import type { CollectionDefinition, FieldDefinition, IndexDefinition } from "./fields.ts";
import { findConflictingValue, renamedDefinition, renamedDocument } from "./renames.ts";
import { validateValue } from "./validate.ts";

export interface Violation {
  readonly id: Id;
  readonly fault: FieldFault;
}

export const violationText = ({ fault: { path, message } }: Violation): string =>
  `"${path}" ${message}`;

export const VIOLATIONS_MAX = 10;
/** Approximate number of characters of a page, so that no page takes long. */
const PAGE_CHARACTERS = 100_000;
const PAGE_DOCUMENTS_MAX = 200;

/** Rules that a new definition adds to the previous one. */
export interface NewRules {
  /** Applied before the other rules are checked. */
  readonly renames: readonly FieldRename[];
  /** Fields with new constraints. */
  readonly changed: readonly FieldDefinition[];
  readonly uniqueTogether: readonly UniqueSet[];
  /** Paths of new file fields. */
  readonly files: readonly string[];
  /** Paths of newly indexed arrays. */
  readonly arrays: readonly string[];
  /** Seen values by unique field; null if uniqueness is not checked. */
  readonly seenValues: ReadonlyMap<string, Set<Json>> | null;
}

export function rulesBetween(
  stored: CollectionDefinition,
  after: CollectionDefinition,
  { renames = [] }: { readonly renames?: readonly FieldRename[] } = {},
): NewRules | null {
  const before = renamedDefinition(stored, renames);
  const changed = changedFields(before, after);
  const together = newUniqueSets(before, after);
  const arrays = newIndexedArrays(before, after);
  const files = newFilePaths(before, after);
  const asked = [changed, together, arrays, files, renames];
  if (asked.every(({ length }) => length === 0)) return null;
  const taken = new Map(changed.map((field) => [field.key, new Set<Json>()]));
  return { renames, changed, uniqueTogether: together, files, arrays, seenValues: taken };
}

/** Returns the rules of a definition that can be checked for each document individually. */
export const rulesPerDocument = (definition: CollectionDefinition): NewRules => ({
  renames: [],
  changed: definition.fields,
  uniqueTogether: [],
  files: [],
  arrays: indexedArrays(compileCollection(definition).records),
  seenValues: null,
});

/** Checks uniqueness against the documents that were passed before with these rules. */
export function findViolation(rules: NewRules, stored: StoredDocument): Violation | null {
  const document = renamedDocument(stored, rules.renames);
  const fault = findConflictingValue(stored, rules.renames) ?? findFieldFault(rules, document) ??
    findTogetherFault(rules.uniqueTogether, document) ?? findFileFault(rules, document) ??
    oversizedArrayFaults(rules.arrays, document)[0];
  return fault === undefined ? null : { id: document._id, fault };
}

/** Returns the first ten violations, including the trash. */
export async function findViolations(
  documents: Records<StoredDocument>,
  rules: NewRules | null,
): Promise<Violation[]> {
  const found: Violation[] = [];
  if (rules === null) return found;
  const first = { filter: ALL, sort: [], limit: 1 };
  for await (const page of pagesOf(documents, first, nextLimit)) {
    for (const document of page.records()) {
      const violation = findViolation(rules, document);
      if (violation !== null) found.push(violation);
      if (found.length === VIOLATIONS_MAX) return found;
    }
  }
  return found;
}

function newFilePaths(before: CollectionDefinition, after: CollectionDefinition): string[] {
  const was = new Set(fileFieldsOf(before.fields).map(({ path }) => path));
  return fileFieldsOf(after.fields).map(({ path }) => path).filter((path) => !was.has(path));
}

/** Rejects existing values, because they could be unchecked paths of other users' private files. */
function findFileFault({ files }: NewRules, document: StoredDocument): FieldFault | null {
  const path = files.find((path) => (valueAt(document, path) ?? null) !== null);
  if (path === undefined) return null;
  return { path, message: "has a value: declare another field for files, and copy it there" };
}

function newIndexedArrays(before: CollectionDefinition, after: CollectionDefinition): string[] {
  const was = new Set(indexedArrays(compileCollection(before).records));
  return indexedArrays(compileCollection(after).records).filter((path) => !was.has(path));
}

/** Returns how many documents would have filled the page, at most four times the limit. */
function nextLimit({ items }: Page<StoredDocument>, limit: number): number {
  const right = Math.floor(limit * PAGE_CHARACTERS / items.length);
  return Math.max(1, Math.min(right, 4 * limit, PAGE_DOCUMENTS_MAX));
}

/** A unique index of several fields, and the seen values. */
export interface UniqueSet {
  readonly paths: readonly string[];
  readonly seen: Set<string>;
}

function newUniqueSets(before: CollectionDefinition, after: CollectionDefinition): UniqueSet[] {
  const indexKey = ({ fields }: IndexDefinition) => pathsOf(fields).join();
  const was = new Set(before.indexes.filter(({ unique }) => unique).map(indexKey));
  return after.indexes.filter((index) => index.unique && !was.has(indexKey(index)))
    .map(({ fields }) => ({ paths: pathsOf(fields), seen: new Set() }));
}

const pathsOf = (fields: readonly string[]): string[] => fields.map((text) => sortKey(text).path);

function findTogetherFault(all: readonly UniqueSet[], document: StoredDocument): FieldFault | null {
  if (document.isDeleted) return null;
  for (const { paths, seen } of all) {
    const values = paths.map((path) => valueAt(document, path) ?? null);
    if (values.includes(null)) continue;
    const text = JSON.stringify(values);
    if (seen.has(text)) {
      const message = paths.length === 1 ? "is not unique" : "are not unique together";
      return { path: paths.join(", "), message };
    }
    seen.add(text);
  }
  return null;
}

function changedFields(
  before: CollectionDefinition,
  after: CollectionDefinition,
): FieldDefinition[] {
  const was = new Map(
    before.fields.map((field) => [field.key, JSON.stringify(constraints(field))]),
  );
  return after.fields.filter((field) => was.get(field.key) !== JSON.stringify(constraints(field)));
}

const constraints = ({ default: _default, index: _index, ...rest }: FieldDefinition) => rest;

function findFieldFault(
  { changed, seenValues: taken }: NewRules,
  document: StoredDocument,
): FieldFault | null {
  for (const field of changed) {
    const { key: path } = field;
    const value = Object.hasOwn(document, field.key) ? document[field.key]! : null;
    if (value === null) {
      if (field.required) return { path, message: "is required" };
      continue;
    }
    const { value: valid, faults } = validateValue(field, value, { strict: false, depth: 2 });
    if (faults.length > 0) return { path, message: faults[0]!.message };
    // Dates and ids count only in the form in which they are stored and compared.
    if (JSON.stringify(valid) !== JSON.stringify(value)) {
      return { path, message: "is not in its stored form" };
    }
    if (field.unique && taken !== null && !document.isDeleted) {
      const values = taken.get(field.key)!;
      if (values.has(value)) return { path, message: "is not unique" };
      values.add(value);
    }
  }
  return null;
}
