/** Random queries of a collection, mostly valid ones. */
import fc from "fast-check";
import type { Parameter } from "./model.ts";
import type { Definition, Field, Item } from "./model_types.ts";
import type { Json } from "./model_values.ts";
import { USERS } from "./collections.ts";
import { date, id, number, orNull, scalar, text, UNDECLARED } from "./values.ts";

/** The caller's key, or the number of the user who calls with the publishable key. */
export type CallerChoice = "secret" | "publishable" | number;

export const caller: fc.Arbitrary<CallerChoice> = fc.oneof(
  { arbitrary: fc.constant("secret" as const), weight: 5 },
  { arbitrary: fc.constant("publishable" as const), weight: 2 },
  { arbitrary: fc.nat(USERS - 1), weight: 4 },
);

/** A path with its declaration; null if it is not declared. */
interface Target {
  readonly path: string;
  readonly item: Item | null;
}

/** Placeholder for an id or a time that is known when the case is created. */
const documentId = fc.nat(5).map((n) => `@id${n}`);
const userId = fc.nat(USERS - 1).map((n) => `@user${n}`);
const time = fc.nat(3).map((n) => `@time${n}`);

const SERVER: readonly Target[] = [
  { path: "_id", item: { type: "String" } },
  { path: "createdAt", item: { type: "Date" } },
  { path: "updatedAt", item: { type: "Date" } },
  { path: "deletedAt", item: { type: "Date" } },
];
const IS_DELETED: Target = { path: "isDeleted", item: { type: "Boolean" } };

function targetsOf(fields: readonly Field[], at = ""): Target[] {
  return fields.flatMap((field) => [
    { path: at + field.key, item: field },
    ...targetsOf(field.fields ?? [], `${at}${field.key}.`),
  ]);
}

/** Paths inside undeclared and free objects, and through values that are not objects. */
const undeclaredTargets = ({ fields }: Definition): Target[] =>
  [
    ...UNDECLARED.filter((name) => name !== "[0]"),
    ...["u.x", "v.y", "u.x.y", 'q"q.x', "nothing"],
    ...targetsOf(fields).flatMap(({ path, item }) => [
      `${path}_like`,
      ...(item?.fields === undefined ? [`${path}.x`, `${path}.x.y`, `${path}.0`] : []),
    ]),
  ].map((path) => ({ path, item: null }));

/** Names that no document has or that are forbidden. */
const FORBIDDEN: readonly Target[] = [
  ...["[0]", "u[$gt]", "$where", "u.$gt", "__proto__", "u.constructor", "prototype.x", "u..x"],
].map((path) => ({ path, item: null }));

const target = (definition: Definition): fc.Arbitrary<Target> => {
  const declared = targetsOf(definition.fields);
  const owner: Target = { path: definition.rls.ownerField, item: { type: "String" } };
  return fc.oneof(
    {
      arbitrary: fc.constantFrom(...undeclaredTargets(definition)),
      weight: definition.strict ? 1 : 10,
    },
    { arbitrary: fc.constantFrom(...FORBIDDEN), weight: 1 },
    { arbitrary: fc.constantFrom(...SERVER), weight: 8 },
    { arbitrary: fc.constant(IS_DELETED), weight: 5 },
    { arbitrary: fc.constant(owner), weight: definition.rls.enabled ? 6 : 0 },
    ...(declared.length > 0 ? [{ arbitrary: fc.constantFrom(...declared), weight: 20 }] : []),
  );
};

const elementOf = (item: Item | null): Item | null =>
  item?.type === "Array" ? item.items ?? null : item;

/** An operand of the target's type, as JSON. */
function operand({ path, item }: Target): fc.Arbitrary<Json> {
  if (path === "_id") return documentId;
  if (SERVER.some((one) => one.path === path)) return time;
  switch (elementOf(item)?.type) {
    case "String":
      return fc.oneof({ arbitrary: text, weight: 3 }, { arbitrary: userId, weight: 1 });
    case "Number":
      return number;
    case "Boolean":
      return fc.boolean();
    case "Date":
      return fc.oneof(date, fc.constantFrom("2026-01-31", "2026-01-31T13:00:00+01:00"));
    case "Ref":
      return fc.oneof(id, id.map((hex) => hex.toUpperCase()));
    default:
      return scalar;
  }
}

/** Formats a value for a query string; `String` would lose the sign of -0. */
const asText = (value: Json): string =>
  typeof value === "string" ? value : Object.is(value, -0) ? "-0" : JSON.stringify(value);

const PATTERNS = ["a", "^A", "b$", "[a-c]", "^.$", "a|É", "^$", "😀", "\\.", "\\d+", "ß", "\\[1"];

const CLASS_PARTS = ["\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "a-z", "k", "_", "É", "\\["];

/** Nested classes and letters with more than two cases, which engines may fold differently. */
const oneOfClass = fc.tuple(
  fc.constantFrom("[", "[^"),
  fc.array(fc.constantFrom(...CLASS_PARTS), { minLength: 1, maxLength: 3 }),
).map(([open, parts]) => `^${open}${parts.join("")}]$`);

const pattern = fc.oneof(
  { arbitrary: fc.constantFrom(...PATTERNS), weight: 2 },
  { arbitrary: oneOfClass, weight: 1 },
);

const COMPARISONS = ["gt", "gte", "lt", "lte"] as const;

/** Field names that are also our own parameters. */
const RESERVED = ["limit", "sort"];

/** Returns whether a condition on the target is accepted. */
const isComparable = ({ item }: Target): boolean => elementOf(item)?.type !== "Object";
const isText = ({ item }: Target): boolean => (elementOf(item)?.type ?? "String") === "String";

/** Mostly the good value, and sometimes the other. */
const mostlyGood = <T>(good: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: good, weight: 40 }, { arbitrary: other, weight: 1 });

function filter(target: Target): fc.Arbitrary<Parameter[]> {
  const { path } = target;
  const value = mostlyGood(orNull(operand(target)).map(asText), text);
  const one = (suffix: string, texts: fc.Arbitrary<string>) =>
    texts.map((text): Parameter[] => [[path + suffix, text]]);
  const list = fc.array(value, { minLength: 1, maxLength: 3 });
  const exists = one("_exists", fc.constantFrom("true", "false"));
  const regex = one("_regex", pattern);
  const comparison = fc.oneof(
    { arbitrary: one("", value), weight: RESERVED.includes(path) ? 0 : 3 },
    { arbitrary: one("_ne", value), weight: 2 },
    ...COMPARISONS.map((name) => ({ arbitrary: one(`_${name}`, value), weight: 1 })),
    ...["_in", "_nin"].flatMap((suffix) => [
      { arbitrary: one(suffix, list.map((texts) => texts.join(","))), weight: 1 },
      {
        arbitrary: list.map((texts) => texts.map((text): Parameter => [path + suffix, text])),
        weight: 1,
      },
    ]),
  );
  return mostlyGood(
    fc.oneof(
      { arbitrary: comparison, weight: isComparable(target) ? 10 : 0 },
      { arbitrary: regex, weight: isText(target) ? 1 : 0 },
      { arbitrary: exists, weight: 1 },
    ),
    fc.oneof(comparison, regex),
  );
}

/** A condition of a `where` tree; its values already have their types. */
function leaf(target: Target): fc.Arbitrary<{ [path: string]: Json }> {
  const good = isComparable(target) ? operand(target) : fc.constant(null);
  const value = mostlyGood(good, scalar);
  const test = fc.oneof(
    { arbitrary: fc.tuple(fc.constantFrom(...COMPARISONS), value), weight: 3 },
    { arbitrary: fc.tuple(fc.constant("ne"), orNull(value)), weight: 2 },
    {
      arbitrary: fc.tuple(
        fc.constantFrom("in", "nin"),
        fc.array<Json>(orNull(value), { maxLength: 3 }),
      ),
      weight: 2,
    },
    { arbitrary: fc.tuple(fc.constant("regex"), pattern), weight: isText(target) ? 1 : 0 },
  );
  const exists = fc.tuple(fc.constant("exists"), fc.boolean());
  const tests = fc.array(isComparable(target) ? fc.oneof(test, test, test, exists) : exists, {
    minLength: 1,
    maxLength: 2,
  });
  return fc.oneof(
    { arbitrary: orNull(value), weight: 1 },
    { arbitrary: tests.map((all) => Object.fromEntries<Json>(all)), weight: 2 },
  ).map((test) => ({ [target.path]: test }));
}

/** Conditions of a definition's queries, as JSON. */
export const whereTree = (definition: Definition): fc.Arbitrary<Json> =>
  fc.letrec<{ tree: Json }>((tie) => {
    const one = target(definition).chain(leaf);
    const inner = fc.array(tie("tree"), { minLength: 1, maxLength: 3 });
    return {
      tree: fc.oneof(
        { maxDepth: 2, depthSize: "small" },
        { arbitrary: one, weight: 3 },
        { arbitrary: fc.tuple(one, one).map(([a, b]) => ({ ...a, ...b })), weight: 1 },
        { arbitrary: inner.map((and) => ({ and })), weight: 1 },
        { arbitrary: inner.map((or) => ({ or })), weight: 2 },
        { arbitrary: tie("tree").map((not) => ({ not })), weight: 2 },
      ),
    };
  }).tree;

const SORTABLE = ["String", "Number", "Boolean", "Date", "Ref"];

export function sort({ fields, rls }: Definition): fc.Arbitrary<string> {
  const declared = targetsOf(fields)
    .filter(({ item }) => item !== null && SORTABLE.includes(item.type));
  const paths = [
    ...[...declared, ...SERVER].map(({ path }) => path),
    ...(rls.enabled ? [rls.ownerField] : []),
  ];
  const key = fc.oneof(
    { arbitrary: fc.constantFrom(...paths), weight: 40 },
    { arbitrary: fc.constantFrom("isDeleted", "u", "nothing"), weight: 1 },
  );
  const sorted = fc.record({
    key,
    form: fc.constantFrom(
      ...[(path: string) => path, (path: string) => `-${path}`],
      ...[(path: string) => `${path}:asc`, (path: string) => `${path}:desc`],
    ),
  });
  return fc.uniqueArray(sorted, { minLength: 1, maxLength: 3, selector: ({ key }) => key })
    .map((keys) => keys.map(({ key, form }) => form(key)).join(","));
}

/** A parameter that occurs in `percent` of 100 cases. */
const optional = (percent: number, name: string, value: fc.Arbitrary<string>) =>
  fc.oneof(
    { arbitrary: fc.constant<Parameter[]>([]), weight: 100 - percent },
    { arbitrary: value.map((text): Parameter[] => [[name, text]]), weight: percent },
  );

/** Conditions on the trash, whose cached counts must be separate from all others. */
const bySideOfTrash: fc.Arbitrary<Parameter[]> = fc.constantFrom<Parameter>(
  ["isDeleted", "true"],
  ["isDeleted", "false"],
  ["isDeleted", "null"],
  ["isDeleted_ne", "true"],
  ["isDeleted_in", "true,false"],
  ["where", '{"isDeleted":null}'],
  ["where", '{"not":{"isDeleted":true}}'],
).map((one) => [one]);

const conditions = (definition: Definition): fc.Arbitrary<Parameter[]> => {
  const one = target(definition).chain(filter);
  const where = whereTree(definition).map(asText);
  return fc.oneof(
    { arbitrary: fc.constant<Parameter[]>([]), weight: 2 },
    { arbitrary: one, weight: 4 },
    { arbitrary: where.map((text): Parameter[] => [["where", text]]), weight: 3 },
    {
      arbitrary: fc.tuple(one, one, optional(50, "where", where)).map((all) => all.flat()),
      weight: 3,
    },
    { arbitrary: bySideOfTrash, weight: 1 },
  );
};

/** Parameters that select and sort, which must not change between pages. */
export const selection = (definition: Definition): fc.Arbitrary<Parameter[]> =>
  fc.tuple(
    conditions(definition),
    optional(60, "sort", sort(definition)),
    optional(60, "include_deleted", fc.constantFrom("true", "true", "true", "false")),
  ).map((all) => all.flat());

const pageSize = fc.integer({ min: 1, max: 7 }).map(String);

/** Parameters that show a page, which may change between pages. */
const presentation = (
  { fields }: Definition,
  limit: fc.Arbitrary<Parameter[]>,
): fc.Arbitrary<Parameter[]> => {
  const names = [...fields.map(({ key }) => key), "_id", "createdAt"];
  const some = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
  const without = some.map((keys) => keys.map((key) => `-${key}`));
  return fc.tuple(
    limit,
    optional(15, "fields", fc.oneof(some, without).map((keys) => keys.join(","))),
    optional(15, "meta", fc.constantFrom("true", "false")),
    optional(15, "total", fc.constantFrom("exact", "none", "estimate")),
  ).map((all) => all.flat());
};

/** Parameters that show a page, with a limit. */
export const pagePresentation = (definition: Definition): fc.Arbitrary<Parameter[]> =>
  presentation(definition, pageSize.map((size): Parameter[] => [["limit", size]]));

const badSize = fc.constantFrom("0", "1001", "-1", "x", "1.5", "");

/** The query of a page by number. */
export const query = (definition: Definition): fc.Arbitrary<Parameter[]> =>
  fc.tuple(
    selection(definition),
    presentation(definition, optional(80, "limit", mostlyGood(pageSize, badSize))),
    optional(40, "page", fc.integer({ min: 1, max: 4 }).map(String)),
    optional(8, "count", fc.constantFrom("true", "false")),
  ).map((all) => all.flat());
