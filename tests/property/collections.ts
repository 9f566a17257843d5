/** Random definitions of collections, and documents that fit them. */
import fc from "fast-check";
import type { Definition, Field, Item, Type } from "./model_types.ts";
import type { Json } from "./model_values.ts";
import { anything, fitting, orNull, some, UNDECLARED } from "./values.ts";

export type Members = { readonly [name: string]: Json };

/** How a document of a case is created. */
export interface Plan {
  readonly members: Members;
  /** The user that owns the document, by number; null for no owner. */
  readonly owner: number | null;
  /** Whether the document is moved to the trash at the end. */
  readonly deleted: boolean;
  /** Members before the document was replaced; null if it was not. */
  readonly before: Members | null;
  /** Whether the clock advances before the insert. */
  readonly later: boolean;
}

export interface CollectionCase {
  readonly definition: Definition;
  readonly plans: readonly Plan[];
}

/** Number of users that own documents; the last user owns none. */
export const OWNERS = 2;
export const USERS = 3;

const SCALARS: readonly Type[] = ["String", "Number", "Boolean", "Date", "Ref"];

/** Valid keys, such as words of SQL, our own parameters and suffixes. Case matters. */
const KEYS = ["a", "A", "b", "n", "n_gt", "checked_in", "limit", "select", "rowid", "x-y"];

const ref = { type: "Ref", ref: "users" } as const;

const scalarItem: fc.Arbitrary<Item> = fc.constantFrom<Item>(
  ...[{ type: "String" }, { type: "Number" }, { type: "Boolean" }, { type: "Date" }] as const,
  ref,
);

const innerFields = (inner: fc.Arbitrary<Item>): fc.Arbitrary<Field[]> =>
  fc.uniqueArray(
    fc.record({ key: fc.constantFrom("x", "y", "in", "a_gt") }).chain((named) =>
      inner.map((item): Field => ({ ...item, ...named }))
    ),
    { minLength: 1, maxLength: 3, selector: ({ key }) => key },
  );

const objectOf = (inner: fc.Arbitrary<Item>): fc.Arbitrary<Item> =>
  innerFields(inner).map((fields): Item => ({ type: "Object", fields }));

const arrayOf = (inner: fc.Arbitrary<Item>): fc.Arbitrary<Item> =>
  inner.map((items): Item => ({ type: "Array", items }));

const free: fc.Arbitrary<Item> = fc.constantFrom<Item>({ type: "Object" }, { type: "Array" });

const item: fc.Arbitrary<Item> = fc.oneof(
  { arbitrary: scalarItem, weight: 6 },
  { arbitrary: arrayOf(fc.oneof(scalarItem, objectOf(scalarItem))), weight: 2 },
  {
    arbitrary: objectOf(fc.oneof(scalarItem, arrayOf(scalarItem), objectOf(scalarItem))),
    weight: 3,
  },
  { arbitrary: free, weight: 1 },
);

const isArrayOfScalars = ({ type, items }: Item): boolean =>
  type === "Array" && items !== undefined && SCALARS.includes(items.type);

const field: fc.Arbitrary<Field> = fc.record({
  key: fc.constantFrom(...KEYS),
  item,
  index: fc.boolean(),
  unique: fc.nat(5).map((n) => n === 5),
}).map(({ key, item, index, unique }) => ({
  key,
  ...item,
  ...(index && (SCALARS.includes(item.type) || isArrayOfScalars(item)) && { index }),
  ...(unique && SCALARS.includes(item.type) && item.type !== "Boolean" && { unique }),
}));

const rls: fc.Arbitrary<Definition["rls"]> = fc.record({
  enabled: fc.nat(3).map((n) => n > 0),
  mode: fc.constantFrom("public-read", "private"),
  ownerField: fc.constantFrom("userId", "owner", "by_in"),
});

/** The declaration of the owner field; mostly it is missing and added by Corbel. */
const ownerItem = fc.constantFrom<Item | null>(null, null, null, { type: "String" }, ref);

/** Definitions without a name, which is assigned when the collection is created. */
export const definition: fc.Arbitrary<Definition> = fc.record({
  name: fc.constant("unnamed"),
  fields: fc.uniqueArray(field, { maxLength: 5, selector: ({ key }) => key }),
  rls,
  ownerItem,
  strict: fc.nat(4).map((n) => n === 4),
}).map(({ ownerItem, fields, ...rest }) => ({
  ...rest,
  fields: ownerItem === null
    ? fields
    : [...fields.slice(0, 4), { key: rest.rls.ownerField, ...ownerItem }],
})).chain((definition) => indexes(definition).map((indexes) => ({ ...definition, indexes })));

/** Up to three indexes of up to four fields, in any order, with at most one array. */
function indexes(
  { fields }: Omit<Definition, "indexes">,
): fc.Arbitrary<NonNullable<Definition["indexes"]>> {
  const single = [
    "createdAt",
    "updatedAt",
    ...pathsOf(fields, ({ type }) => SCALARS.includes(type)),
  ];
  const arrays = pathsOf(fields, isArrayOfScalars);
  const array = arrays.length === 0 ? fc.constant([]) : fc.subarray(arrays, { maxLength: 1 });
  const paths = fc.tuple(
    fc.shuffledSubarray(single, { minLength: 1, maxLength: Math.min(3, single.length) }),
    array,
    fc.nat(3),
  ).map(([paths, array, at]) => paths.toSpliced(at, 0, ...array));
  const index = fc.record({
    paths,
    descending: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  }).map(({ paths, descending }) => ({
    fields: paths.map((path, i) => `${descending[i] ? "-" : ""}${path}`),
  }));
  return fc.uniqueArray(index, { maxLength: 3, selector: ({ fields }) => fields.join() });
}

const pathsOf = (
  fields: readonly Field[],
  isWanted: (field: Field) => boolean,
  at = "",
): string[] =>
  fields.flatMap((field) =>
    field.type === "Object"
      ? pathsOf(field.fields ?? [], isWanted, `${at}${field.key}.`)
      : isWanted(field)
      ? [at + field.key]
      : []
  );

const members = ({ fields, strict }: Definition): fc.Arbitrary<Members> => {
  const declared = some(fields.map((one) => [one.key, orNull(fitting(one))]));
  if (strict) return declared;
  const others = fc.dictionary(fc.constantFrom(...UNDECLARED), anything, {
    maxKeys: 4,
    noNullPrototype: true,
  });
  return fc.tuple(declared, others).map(([known, others]) => ({ ...others, ...known }));
};

const plan = (definition: Definition): fc.Arbitrary<Plan> =>
  fc.record({
    members: members(definition),
    owner: fc.option(fc.nat(OWNERS - 1), { freq: 4 }),
    deleted: fc.nat(4).map((n) => n === 4),
    before: fc.nat(6).chain((n) => n === 6 ? members(definition) : fc.constant(null)),
    later: fc.boolean(),
  });

/** Removes values of unique fields. */
export function withoutUnique({ fields }: Definition, plans: readonly Plan[]): Plan[] {
  const isOpen = ([name]: [string, Json]) =>
    !fields.some(({ key, unique }) => unique === true && key === name);
  const open = (members: Members) => Object.fromEntries(Object.entries(members).filter(isOpen));
  return plans.map((plan) => ({
    ...plan,
    members: open(plan.members),
    before: plan.before && open(plan.before),
  }));
}

/** Removes values that would occur twice in a unique field. */
export function withoutDuplicates(definition: Definition, plans: readonly Plan[]): Plan[] {
  const unique = definition.fields.filter((field) => field.unique).map(({ key }) => key);
  const seen = new Set<string>();
  const isFirst = ([key, value]: [string, Json]): boolean => {
    if (!unique.includes(key) || value === null) return true;
    const mark = JSON.stringify([key, value]); // -0 and 0 are equal, here and in the store.
    return !seen.has(mark) && Boolean(seen.add(mark));
  };
  return withoutUnique(definition, plans).map((open, i) => ({
    ...open,
    members: Object.fromEntries(Object.entries(plans[i]!.members).filter(isFirst)),
  }));
}

/** Documents of a collection, up to `max`. */
export const plansOf = (definition: Definition, max: number): fc.Arbitrary<Plan[]> =>
  fc.array(plan(definition), { maxLength: max, size: "max" });

/**
 * A collection with documents and other parts of a property. The parts are generated separately,
 * which lets each shrink while the others stay.
 */
export const collectionCase = <T extends object>(
  max: number,
  others: (definition: Definition) => fc.Arbitrary<T>,
  definitions = definition,
): fc.Arbitrary<CollectionCase & T> =>
  definitions.chain((definition) =>
    fc.tuple(plansOf(definition, max), others(definition))
      .map(([plans, other]) => ({ definition, plans, ...other }))
  );
