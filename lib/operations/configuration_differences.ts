import type { CollectionDefinition } from "../documents/fields.ts";
import { renamedDefinition, renamesBetween, withoutRenames } from "../documents/renames.ts";

/** Compares two lists by the names of their items. Nothing differs if `given` is undefined. */
export function compareLists<T>(
  now: readonly T[],
  given: readonly T[] | undefined,
  nameOf: (one: T) => string,
) {
  if (given === undefined) return { added: [], kept: [], removed: [] };
  const before = new Map(now.map((one) => [nameOf(one), one]));
  const after = new Set(given.map(nameOf));
  return {
    added: given.filter((one) => !before.has(nameOf(one))),
    kept: given.filter((one) => before.has(nameOf(one)))
      .map((one) => [before.get(nameOf(one))!, one] as const),
    removed: now.filter((one) => !after.has(nameOf(one))),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Returns the properties of `now` that `given` has too, also in nested objects. */
export function pickGiven(now: object, given: object): Members {
  const current = now as Members;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      isMembers(value) && isMembers(current[name])
        ? pickGiven(current[name], value)
        : current[name],
    ]),
  );
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Describes each changed property, for instance `auth.signUp: "open" becomes "closed"`. */
export function describeDifferences(before: unknown, after: unknown, path = ""): string[] {
  if (isMembers(before) && isMembers(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      describeDifferences(before[name], after[name], path === "" ? name : `${path}.${name}`)
    );
  }
  if (after === undefined || JSON.stringify(before) === JSON.stringify(after)) return [];
  return [`${path}: ${shorten(before)} becomes ${shorten(after)}`];
}

const VALUE_LENGTH_MAX = 80;

function shorten(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

export function describeDefinitionDifferences(
  stored: CollectionDefinition,
  given: CollectionDefinition,
): string[] {
  const renames = renamesBetween(stored, given);
  const { fields: oldFields, ...before } = renamedDefinition(stored, renames);
  const { fields, ...after } = withoutRenames(given);
  return [
    ...renames.map(({ from, to }) => `renames ${from} to ${to}`),
    ...describeFieldDifferences(oldFields, fields),
    ...describeDifferences({ ...before }, { ...after }),
  ];
}

type Field = Readonly<Record<string, unknown>>;

export function describeFieldDifferences(
  before: readonly object[],
  after: readonly object[],
): string[] {
  const keyOf = (field: object) => String((field as Field).key);
  const { added, kept, removed } = compareLists(before, after, keyOf);
  const details = [
    ...added.map((field) => `field ${keyOf(field)} is added`),
    ...kept.flatMap(([oldField, newField]) =>
      describeDifferences(
        withDefaults(oldField),
        withDefaults(newField),
        `field ${keyOf(newField)}`,
      )
    ),
    ...removed.map((field) => `field ${keyOf(field)} is no longer declared; its values stay`),
  ];
  const order = (fields: readonly object[]) => fields.map(keyOf).join();
  const isMoved = details.length === 0 && order(before) !== order(after);
  return isMoved ? ["the order of its fields"] : details;
}

const withDefaults = (field: object): Field => ({ required: false, public: false, ...field });
