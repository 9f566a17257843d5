import assert from "node:assert/strict";
import { ALL, and, compare, eq, not, within } from "../filter.ts";
import type { Definition, Filter } from "../port.ts";
import { FirstMatch } from "./first_match.ts";

const DEFINITION: Definition = {
  name: "posts",
  fields: {
    isDeleted: { type: "Boolean" },
    pinned: { type: "Boolean" },
    userId: { type: "Ref" },
    views: { type: "Number" },
    place: { type: "Object", fields: { city: { type: "String" } } },
  },
  indexes: [],
  trash: true,
};

const FILTERS: readonly Filter[] = [
  ALL,
  eq("_id", "1"),
  and(eq("_id", "1"), eq("isDeleted", false)),
  and(eq("_id", "2"), eq("isDeleted", true)),
  and(eq("_id", "2"), eq("isDeleted", false), eq("userId", "7")),
  and(eq("isDeleted", false), eq("_id", "2"), eq("userId", "8")),
  and(eq("isDeleted", false), eq("pinned", true)),
  and(eq("isDeleted", true), eq("pinned", false)),
  and(eq("isDeleted", true), eq("views", 3), eq("pinned", true)),
  and(eq("views", 3), eq("isDeleted", true), eq("pinned", true)),
  and(eq("place.city", "Oslo"), eq("views", 0)),
  eq("isDeleted", false),
  eq("isDeleted", true),
  // None of these may stand in for one that looks like it.
  eq("isDeleted", null),
  eq("isDeleted", "false"),
  eq("isDeleted", 0),
  eq("views", "3"),
  eq("views", true),
  eq("views", null),
  eq("_id", null),
  eq("place", "Oslo"),
  eq("place.street", "Storgata"),
  eq("place.street", true),
  and(eq("_id", "1"), compare("isDeleted", "ne", false)),
  and(eq("_id", "1"), { op: "revision", value: 3 }),
  and(eq("_id", "1"), not(eq("isDeleted", false))),
  and(within("_id", ["1", "2"]), eq("isDeleted", false)),
  { op: "or", of: [eq("_id", "1"), eq("isDeleted", false)] },
  and(...Array.from({ length: 5 }, (_, i) => eq("views", i))),
];

const remembering = () => new FirstMatch(DEFINITION, '"t"');

Deno.test("what is remembered is what would have been written", () => {
  const first = remembering();
  for (let round = 0; round < 3; round++) {
    for (const filter of round % 2 === 0 ? FILTERS : FILTERS.toReversed()) {
      assert.deepEqual(
        first.statement(filter),
        remembering().statement(filter),
        JSON.stringify(filter),
      );
    }
  }
});

Deno.test("a statement has a question mark for each of its values", () => {
  const first = remembering();
  for (const filter of [...FILTERS, ...FILTERS]) {
    const { sql, values } = first.statement(filter);
    assert.equal(sql.split("?").length - 1, values.length, `${JSON.stringify(filter)}: ${sql}`);
  }
});

Deno.test("filters that differ in more than what is bound have statements of their own", () => {
  const first = remembering();
  const words = (filter: Filter) => first.statement(filter).sql;
  const own = (userId: string, isDeleted: boolean) =>
    and(eq("_id", userId), eq("isDeleted", isDeleted), eq("userId", userId));
  assert.equal(words(own("1", false)), words(own("2", false)));
  assert.notEqual(words(own("1", false)), words(own("1", true)));
  assert.match(words(own("1", true)), /"\.is\^deleted" = 1/);
  assert.deepEqual(first.statement(own("3", true)).values, ["3", "3"]);
  assert.notEqual(words(eq("views", 1)), words(eq("views", null)));
});
