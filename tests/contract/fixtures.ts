import assert from "node:assert/strict";
import { PathConflict, RecordTooLarge, TypeConflict, UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type {
  Definition,
  Filter,
  Id,
  Json,
  Page,
  Records,
  Scalar,
  SortKey,
  StoredRecord,
} from "@/lib/store/port.ts";

/** Returns the n-th id; ids ascend with n. */
export const id = (n: number): Id => n.toString(16).padStart(24, "0");

export const newSpace = (): Id => crypto.getRandomValues(new Uint8Array(12)).toHex();

export const definition = (parts: Partial<Definition> = {}): Definition => ({
  name: "things",
  fields: {},
  indexes: [],
  trash: false,
  ...parts,
});

/** Returns a definition with a trash, whose records all have `isDeleted`. */
export const trashDefinition = (parts: Partial<Definition> = {}): Definition =>
  definition({
    ...parts,
    fields: { ...parts.fields, isDeleted: { type: "Boolean" } },
    trash: true,
  });

/** Returns the keys of a sort; `"-rank"` is descending. */
export const keys = (...paths: readonly string[]): SortKey[] =>
  paths.map((path) =>
    path.startsWith("-") ? { path: path.slice(1), descending: true } : { path, descending: false }
  );

export const nin = (path: string, values: readonly Scalar[]): Filter => ({
  op: "nin",
  path,
  values,
});
export const exists = (path: string, value: boolean): Filter => ({ op: "exists", path, value });
export const regex = (path: string, pattern: string): Filter => ({ op: "regex", path, pattern });

/** Limit that exceeds the number of records in any case. */
const ALL_LIMIT = 10_000;

export const rowsOf = (page: Page): StoredRecord[] =>
  JSON.parse(`[${page.items}]`) as StoredRecord[];

export const idsOf = (page: Page): Id[] => rowsOf(page).map((row) => row._id);

export async function listAll(
  records: Records,
  filter: Filter = ALL,
  sort: readonly SortKey[] = [],
): Promise<StoredRecord[]> {
  return rowsOf(await records.list({ filter, sort, limit: ALL_LIMIT }));
}

export interface Counts {
  readonly live: number;
  readonly deleted: number;
  readonly all: number;
}

export async function countsOf(records: Records): Promise<Counts> {
  return {
    live: await records.count(eq("isDeleted", false)),
    deleted: await records.count(eq("isDeleted", true)),
    all: await records.count(ALL),
  };
}

/** Returns the state that a refused write could have changed. */
export async function stateOf(records: Records): Promise<Json> {
  const rows = await listAll(records);
  const revisions: Json[] = [];
  for (const row of rows) revisions.push((await records.get(row._id))?.revision ?? null);
  return { rows, revisions, counts: { ...await countsOf(records) } };
}

type Refusal = (error: unknown) => true;

export const uniqueViolation = (path: string): Refusal => (error) => {
  assert.ok(error instanceof UniqueViolation, `expected a UniqueViolation, got ${error}`);
  assert.equal(error.path, path);
  return true;
};

export const pathConflict = (path: string): Refusal => (error) => {
  assert.ok(error instanceof PathConflict, `expected a PathConflict, got ${error}`);
  assert.equal(error.path, path);
  return true;
};

export const typeConflict = (path: string): Refusal => (error) => {
  assert.ok(error instanceof TypeConflict, `expected a TypeConflict, got ${error}`);
  assert.equal(error.path, path);
  return true;
};

export const tooLarge: Refusal = (error) => {
  assert.ok(error instanceof RecordTooLarge, `expected a RecordTooLarge, got ${error}`);
  return true;
};

/** Fails unless the write is refused for this reason and stores nothing. */
export async function assertRefused(
  records: Records,
  refusal: Refusal,
  write: () => Promise<unknown>,
): Promise<void> {
  const before = await stateOf(records);
  await assert.rejects(write, refusal);
  assert.deepEqual(await stateOf(records), before);
}

/** Returns the numbers from 0 up to, and without, `count`. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
