import type { CollectionDefinition } from "../documents/fields.ts";
import { renamedDefinition, renamesBetween, withoutRenames } from "../documents/renames.ts";

/** What is there beside what is given, by a name; all is kept where nothing is given. */
export function compared<T>(
  now: readonly T[],
  given: readonly T[] | undefined,
  nameOf: (one: T) => string,
) {
  if (given === undefined) return { added: [], kept: [], gone: [] };
  const before = new Map(now.map((one) => [nameOf(one), one]));
  const after = new Set(given.map(nameOf));
  return {
    added: given.filter((one) => !before.has(nameOf(one))),
    kept: given.filter((one) => before.has(nameOf(one)))
      .map((one) => [before.get(nameOf(one))!, one] as const),
    gone: now.filter((one) => !after.has(nameOf(one))),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Of what is there, the members that are given as well. */
export function withOnly(now: object, given: object): Members {
  const known = now as Members;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      isMembers(value) && isMembers(known[name]) ? withOnly(known[name], value) : known[name],
    ]),
  );
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What becomes of each member: `auth.signUp: "open" becomes "closed"`. */
export function differences(before: unknown, after: unknown, path = ""): string[] {
  if (isMembers(before) && isMembers(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      differences(before[name], after[name], path === "" ? name : `${path}.${name}`)
    );
  }
  if (after === undefined || JSON.stringify(before) === JSON.stringify(after)) return [];
  return [`${path}: ${shortened(before)} becomes ${shortened(after)}`];
}

const SHOWN_LENGTH = 80;

function shortened(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

export function definitionDifferences(
  stored: CollectionDefinition,
  given: CollectionDefinition,
): string[] {
  const renames = renamesBetween(stored, given);
  const { fields: was, ...before } = renamedDefinition(stored, renames);
  const { fields, ...after } = withoutRenames(given);
  return [
    ...renames.map(({ from, to }) => `renames ${from} to ${to}`),
    ...fieldDifferences(was, fields),
    ...differences({ ...before }, { ...after }),
  ];
}

type Field = Readonly<Record<string, unknown>>;

export function fieldDifferences(before: readonly object[], after: readonly object[]): string[] {
  const keyOf = (field: object) => String((field as Field).key);
  const { added, kept, gone } = compared(before, after, keyOf);
  const details = [
    ...added.map((field) => `field ${keyOf(field)} is added`),
    ...kept.flatMap(([was, is]) => differences(filledIn(was), filledIn(is), `field ${keyOf(is)}`)),
    ...gone.map((field) => `field ${keyOf(field)} is declared no more; its values stay`),
  ];
  const order = (fields: readonly object[]) => fields.map(keyOf).join();
  const isMoved = details.length === 0 && order(before) !== order(after);
  return isMoved ? ["the order of its fields"] : details;
}

/** What is left out of a field is false. */
const filledIn = (field: object): Field => ({ required: false, public: false, ...field });
