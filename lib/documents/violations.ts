import type { FieldFault } from "../problems.ts";
import { ALL } from "../store/filter.ts";
import { pagesOf } from "../store/pages.ts";
import type { FieldRename, Id, Json, Page, Records } from "../store/port.ts";
import { crowded, indexedArrays, valueAt } from "../store/shape.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import { keyOf } from "./definition_indexes.ts";
import { fileFieldsOf } from "./file_fields.ts";
import type { CollectionDefinition, FieldDefinition, IndexDefinition } from "./fields.ts";
import { inTheWay, renamedDefinition, renamedDocument } from "./renames.ts";
import { validateValue } from "./validate.ts";

export interface Violation {
  readonly id: Id;
  readonly fault: FieldFault;
}

/** What is wrong with a document, in words. */
export const whyOf = ({ fault: { path, message } }: Violation): string => `"${path}" ${message}`;

export const VIOLATIONS_MAX = 10;
/** Of the documents of one page, so that none takes long, whatever their size. */
const PAGE_CHARS = 100_000;
const PAGE_MAX = 200;

/** What a changed definition asks of documents that the one before it did not. */
export interface NewRules {
  /** They are asked of documents as they are behind these. */
  readonly renames: readonly FieldRename[];
  readonly changed: readonly FieldDefinition[];
  readonly together: readonly Together[];
  /** Paths of fields that hold files from now on. */
  readonly files: readonly string[];
  /** Paths of arrays that have an index from now on. */
  readonly arrays: readonly string[];
  /** Values of unique fields, as far as they were seen; null where it is not to be looked at. */
  readonly taken: ReadonlyMap<string, Set<Json>> | null;
}

/** Null where it asks nothing new. */
export function newRules(
  stored: CollectionDefinition,
  after: CollectionDefinition,
  { renames = [] }: { readonly renames?: readonly FieldRename[] } = {},
): NewRules | null {
  const before = renamedDefinition(stored, renames);
  const changed = changedFields(before, after);
  const together = newlyUnique(before, after);
  const arrays = newlyIndexed(before, after);
  const files = newlyFiles(before, after);
  const asked = [changed, together, arrays, files, renames];
  if (asked.every(({ length }) => length === 0)) return null;
  const taken = new Map(changed.map((field) => [field.key, new Set<Json>()]));
  return { renames, changed, together, files, arrays, taken };
}

/** What a definition asks of each document by itself, wherever its documents come from. */
export const rulesAlone = (definition: CollectionDefinition): NewRules => ({
  renames: [],
  changed: definition.fields,
  together: [],
  files: [],
  arrays: indexedArrays(compileCollection(definition).records),
  taken: null,
});

/** What is wrong with a document, beside those that were asked about before; null if nothing is. */
export function violationOf(rules: NewRules, stored: StoredDocument): Violation | null {
  const document = renamedDocument(stored, rules.renames);
  const fault = inTheWay(stored, rules.renames) ?? faultOf(rules, document) ??
    takenTogether(rules.together, document) ?? notOfFiles(rules, document) ??
    crowded(rules.arrays, document)[0];
  return fault === undefined ? null : { id: document._id, fault };
}

/** The first ten stored documents, trash included, that rules would not allow. */
export async function findViolations(
  documents: Records<StoredDocument>,
  rules: NewRules | null,
): Promise<Violation[]> {
  const found: Violation[] = [];
  if (rules === null) return found;
  const first = { filter: ALL, sort: [], limit: 1 };
  for await (const page of pagesOf(documents, first, nextLimit)) {
    for (const document of page.records()) {
      const violation = violationOf(rules, document);
      if (violation !== null) found.push(violation);
      if (found.length === VIOLATIONS_MAX) return found;
    }
  }
  return found;
}

function newlyFiles(before: CollectionDefinition, after: CollectionDefinition): string[] {
  const was = new Set(fileFieldsOf(before.fields).map(({ path }) => path));
  return fileFieldsOf(after.fields).map(({ path }) => path).filter((path) => !was.has(path));
}

/** What was stored without being looked at might be the path of somebody's private file. */
function notOfFiles({ files }: NewRules, document: StoredDocument): FieldFault | null {
  const path = files.find((path) => (valueAt(document, path) ?? null) !== null);
  if (path === undefined) return null;
  return { path, message: "has a value: declare another field for files, and copy it there" };
}

function newlyIndexed(before: CollectionDefinition, after: CollectionDefinition): string[] {
  const was = new Set(indexedArrays(compileCollection(before).records));
  return indexedArrays(compileCollection(after).records).filter((path) => !was.has(path));
}

/** As many as had been right for the page that was read; never many more than that. */
function nextLimit({ items }: Page<StoredDocument>, limit: number): number {
  const right = Math.floor(limit * PAGE_CHARS / items.length);
  return Math.max(1, Math.min(right, 4 * limit, PAGE_MAX));
}

/** Values of several fields that no two documents may hold together, as far as they were seen. */
export interface Together {
  readonly paths: readonly string[];
  readonly seen: Set<string>;
}

function newlyUnique(before: CollectionDefinition, after: CollectionDefinition): Together[] {
  const textOf = ({ fields }: IndexDefinition) => pathsOf(fields).join();
  const was = new Set(before.indexes.filter(({ unique }) => unique).map(textOf));
  return after.indexes.filter((index) => index.unique && !was.has(textOf(index)))
    .map(({ fields }) => ({ paths: pathsOf(fields), seen: new Set() }));
}

const pathsOf = (fields: readonly string[]): string[] => fields.map((text) => keyOf(text).path);

function takenTogether(all: readonly Together[], document: StoredDocument): FieldFault | null {
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

/** Fields whose type, need or uniqueness is new; what is no longer declared binds nobody. */
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

function faultOf({ changed, taken }: NewRules, document: StoredDocument): FieldFault | null {
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
