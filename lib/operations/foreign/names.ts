import { DECLARED_NAME, isServerField, nameProblem } from "../../documents/names.ts";
import { NAME_LENGTH_MAX } from "../../limits.ts";
import { BUILT_IN_MEMBERS } from "../../users/user_fields.ts";

interface Rules {
  allows(name: string): boolean;
  /** Prefix that is added to a reserved name. */
  readonly prefix: string;
  readonly ignoresCase: boolean;
}

const COLLECTIONS: Rules = {
  allows: (name) => DECLARED_NAME.test(name) && !name.toLowerCase().startsWith("users"),
  prefix: "app_",
  ignoresCase: true,
};

const isFieldName = (name: string): boolean =>
  DECLARED_NAME.test(name) && nameProblem(name) === null && !isServerField(name);

const FIELDS: Rules = { allows: isFieldName, prefix: "source_", ignoresCase: false };

const USER_FIELDS: Rules = {
  ...FIELDS,
  allows: (name) => isFieldName(name) && !BUILT_IN_MEMBERS.includes(name),
};

/** New names by foreign names. Valid names stay, even if an earlier name is changed to one. */
export type NameMap = ReadonlyMap<string, string>;

export const collectionNames = (names: readonly string[]): NameMap => mapNames(names, COLLECTIONS);

/** @param taken Names of fields that Corbel adds. */
export const fieldNames = (names: readonly string[], taken: readonly string[]): NameMap =>
  mapNames(names, FIELDS, taken);

export const userFieldNames = (names: readonly string[], taken: readonly string[]): NameMap =>
  mapNames(names, USER_FIELDS, taken);

function mapNames(names: readonly string[], rules: Rules, taken: readonly string[] = []): NameMap {
  const keyOf = (name: string) => rules.ignoresCase ? name.toLowerCase() : name;
  const used = new Set(taken.map(keyOf));
  const found = new Map<string, string>();
  const take = (name: string, own: string) => {
    used.add(keyOf(own));
    found.set(name, own);
  };
  for (const name of names) {
    if (rules.allows(name) && !used.has(keyOf(name))) take(name, name);
  }
  for (const name of names) {
    if (!found.has(name)) take(name, freeName(name, rules, (own) => !used.has(keyOf(own))));
  }
  return new Map(names.map((name) => [name, found.get(name)!]));
}

/** Number of characters that leaves room for the suffix of a duplicate name. */
const BASE_LENGTH_MAX = NAME_LENGTH_MAX - 8;

function freeName(name: string, rules: Rules, isFree: (name: string) => boolean): string {
  const letters = name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").replace(/^[^A-Za-z]+/, "");
  const plain = rules.allows(letters) ? letters : rules.prefix + letters;
  const base = plain.slice(0, BASE_LENGTH_MAX);
  if (isFree(base)) return base;
  for (let n = 2;; n++) {
    if (isFree(`${base}_${n}`)) return `${base}_${n}`;
  }
}
