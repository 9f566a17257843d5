/** Queries that try to see more than the caller may. */
import fc from "fast-check";
import type { Parameter } from "./model.ts";
import type { Definition } from "./model_types.ts";
import type { Json } from "./model_values.ts";
import { query, whereTree } from "./queries.ts";

export interface Question {
  readonly parameters: readonly Parameter[];
  /** Parts of the query text that are sent unchanged. */
  readonly raw: readonly string[];
  /** Whether to continue from a page that the secret key received. */
  readonly stolenCursor: boolean;
}

const user = fc.nat(2).map((n) => `@user${n}`);
const document = fc.nat(9).map((n) => `@id${n}`);

const one = (name: string, ...texts: string[]): fc.Arbitrary<Parameter[]> =>
  fc.constantFrom(...texts).map((text): Parameter[] => [[name, text]]);

/** Guesses of a switch that turns the rules off. */
const switches: fc.Arbitrary<Parameter[]> = fc.tuple(
  fc.constantFrom(
    ...["rls", "rls.enabled", "rls[enabled]", "bypass", "admin", "secret", "as", "caller", "owner"],
    ...["x-api-key", "key", "token", "authorization", "projectId", "collection", "$or", "$where"],
    ...["__proto__", "__proto__.isDeleted", "constructor", "filter", "filter[isDeleted]", "q"],
    ...["include_deleted[]", "INCLUDE_DELETED", "includeDeleted", "deleted", "only_deleted"],
  ),
  fc.constantFrom("true", "false", "@user0", '{"$ne":null}', "*"),
).map((pair): Parameter[] => [pair]);

/** Filters on the owner field, and trees with it. */
function aboutOwner({ rls: { ownerField } }: Definition): fc.Arbitrary<Parameter[]> {
  const suffix = fc.constantFrom("", "_ne", "_gt", "_gte", "_lt", "_lte", "_in", "_nin");
  const filter = fc.tuple(suffix, fc.oneof(user, fc.constantFrom("", "null", "@user0,@user1")))
    .map(([end, text]): Parameter[] => [[ownerField + end, text]]);
  const odd = fc.constantFrom<Parameter[]>(
    [[`${ownerField}_exists`, "false"]],
    [[`${ownerField}_exists`, "true"]],
    [[`${ownerField}_regex`, "."]],
    [[`${ownerField}.x`, "1"]],
    [[ownerField, "@user0"], [ownerField, "@user1"]],
  );
  const test: fc.Arbitrary<Json> = fc.oneof<fc.Arbitrary<Json>[]>(
    user,
    fc.constant(null),
    user.map((ne) => ({ ne })),
    user.map((gte) => ({ gte })),
    fc.constantFrom<Json>({ exists: true }, { exists: false }, { nin: [] }, { regex: "." }),
  );
  const leaf = test.map((of): Json => ({ [ownerField]: of }));
  const tree = fc.oneof<fc.Arbitrary<Json>[]>(
    leaf,
    leaf.map((not) => ({ not })),
    fc.array(leaf, { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
    fc.tuple(leaf, leaf).map(([a, b]) => ({ or: [a, { not: b }] })),
    leaf.map((of) => ({ not: { and: [of, { not: of }] } })),
    leaf.map((of) => ({ or: [of, { isDeleted: true }, { deletedAt: { exists: true } }] })),
    document.map((_id) => ({ or: [{ _id }, { mark: { regex: "row" } }] })),
  );
  const where = tree.map((of): Parameter[] => [["where", JSON.stringify(of)]]);
  return fc.oneof(filter, odd, where, where);
}

const hostileParameters = (definition: Definition): fc.Arbitrary<Parameter[]> =>
  fc.oneof(
    { arbitrary: query(definition), weight: 5 },
    { arbitrary: aboutOwner(definition), weight: 6 },
    {
      arbitrary: whereTree(definition).map((
        tree,
      ): Parameter[] => [["where", JSON.stringify(tree)]]),
      weight: 1,
    },
    { arbitrary: one("include_deleted", "true", "TRUE", "1", ""), weight: 4 },
    { arbitrary: one("isDeleted", "true"), weight: 1 },
    { arbitrary: one("deletedAt_exists", "true"), weight: 1 },
    { arbitrary: one("populate", "link", "links", "link,links,friend", "userId"), weight: 3 },
    { arbitrary: one("expand", "link", "friend,links", "_id"), weight: 1 },
    {
      arbitrary: one("fields", "mark", "link", "-mark", definition.rls.ownerField, "*"),
      weight: 1,
    },
    { arbitrary: one("count", "true"), weight: 2 },
    { arbitrary: one("total", "exact", "estimate", "none"), weight: 1 },
    { arbitrary: one("explain", "true"), weight: 1 },
    { arbitrary: one("mark_regex", "^<row", "9>$", "^<linked"), weight: 1 },
    { arbitrary: document.map((text): Parameter[] => [["_id", text]]), weight: 1 },
    { arbitrary: switches, weight: 2 },
    {
      arbitrary: fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }))
        .map((pair): Parameter[] => [[...pair]]),
      weight: 1,
    },
  );

const raw = fc.string({ unit: fc.constantFrom(...'ab&=%?+;,.$_"{}[]\\/01 ') });

/** Keeps each parameter once, because most repeated parameters are refused. */
function givenOnce(parameters: readonly Parameter[]): Parameter[] {
  const names = parameters.map(([name]) => name);
  return parameters.filter(([name], i) => !SINGLE.includes(name) || names.indexOf(name) === i);
}

const SINGLE = [
  "include_deleted",
  "where",
  "count",
  "total",
  "populate",
  "fields",
  "limit",
  "sort",
];

export const hostile = (definition: Definition): fc.Arbitrary<Question> =>
  fc.record({
    parameters: fc.array(hostileParameters(definition), { minLength: 1, maxLength: 3 })
      .map((all) => givenOnce(all.flat())),
    raw: fc.oneof(
      { arbitrary: fc.constant([]), weight: 9 },
      { arbitrary: raw.map((text) => [text]), weight: 1 },
    ),
    stolenCursor: fc.nat(3).map((n) => n === 3),
  });
