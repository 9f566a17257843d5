/** Tests of parameters that filter: names, suffixes and paths. */

import assert from "node:assert/strict";
import type { Filter } from "../store/port.ts";
import { compileCollection } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { parseListQuery } from "./query.ts";

const FIELDS = [
  { key: "status", type: "String" },
  { key: "views", type: "Number" },
  { key: "checked_in", type: "Boolean" },
  { key: "checked", type: "String" },
  { key: "score_gt", type: "Number" },
  { key: "limit", type: "Number" },
  { key: "page", type: "String" },
  { key: "free", type: "Object" },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
];

const parse = (query: string, strict = false) => {
  const input = { name: "posts", rls: { enabled: false }, fields: FIELDS, strict };
  return parseListQuery(compileCollection(parseDefinition(input)), query);
};

const filterOf = (query: string, strict = false): Filter => parse(query, strict).filter;

const cond = (path: string, op: string, value: unknown) => ({ op, path, value });

/** Asserts that a query is rejected with a message that begins with the parameter's name. */
function refused(query: string, parameter: string, why: RegExp, strict = false): void {
  assert.throws(() => parse(query, strict), (error: Error & { code?: string }) => {
    assert.equal(error.code, "INVALID_QUERY", `${query}: ${error}`);
    assert.ok(error.message.startsWith(`${JSON.stringify(parameter)} `), error.message);
    assert.match(error.message, why);
    return true;
  }, query);
}

Deno.test("a declared name without suffix means equality", () => {
  assert.deepEqual(filterOf("status=draft"), cond("status", "eq", "draft"));
  assert.deepEqual(filterOf("views=5"), cond("views", "eq", 5));
  assert.deepEqual(filterOf("place.city=Bonn"), cond("place.city", "eq", "Bonn"));
});

Deno.test("names and values are decoded as in forms", () => {
  assert.deepEqual(filterOf("status=a+b%26c%3D%C3%A4"), cond("status", "eq", "a b&c=ä"));
  assert.deepEqual(filterOf("st%61tus=x"), cond("status", "eq", "x"));
  assert.deepEqual(filterOf("status"), cond("status", "eq", ""));
});

Deno.test("every suffix selects its operator", () => {
  assert.deepEqual(filterOf("views_gt=5"), cond("views", "gt", 5));
  assert.deepEqual(filterOf("views_gte=5"), cond("views", "gte", 5));
  assert.deepEqual(filterOf("views_lt=5"), cond("views", "lt", 5));
  assert.deepEqual(filterOf("views_lte=5"), cond("views", "lte", 5));
  assert.deepEqual(filterOf("views_ne=5"), cond("views", "ne", 5));
  assert.deepEqual(filterOf("views_in=1,2"), { op: "in", path: "views", values: [1, 2] });
  assert.deepEqual(filterOf("views_nin=1&views_nin=2"), {
    op: "nin",
    path: "views",
    values: [1, 2],
  });
  assert.deepEqual(filterOf("views_exists=true"), cond("views", "exists", true));
  assert.deepEqual(filterOf("status_regex=^dr"), { op: "regex", path: "status", pattern: "^dr" });
});

Deno.test("a declared name has precedence over a suffix", () => {
  assert.deepEqual(filterOf("checked_in=true"), cond("checked_in", "eq", true));
  assert.deepEqual(filterOf("score_gt=5"), cond("score_gt", "eq", 5));
  assert.deepEqual(filterOf("checked_in_ne=true"), cond("checked_in", "ne", true));
  assert.deepEqual(filterOf("score_gt_gt=5"), cond("score_gt", "gt", 5));
  assert.deepEqual(filterOf("checked_nin=a"), { op: "nin", path: "checked", values: ["a"] });
});

Deno.test("a declared name with an unknown suffix is rejected with the list of operators", () => {
  for (const name of ["views_foo", "views_eq", "views_", "status_like", "place.city_x"]) {
    assert.throws(() => parse(`${name}=1`), {
      code: "UNKNOWN_OPERATOR",
      message: new RegExp(
        `^"${name}" ends in an unknown operator: use .*_gt, _gte, .* or _startswith`,
      ),
    });
  }
});

Deno.test("undeclared names have known suffixes as operators, and keep other suffixes", () => {
  assert.deepEqual(filterOf("rank_gt=a"), cond("rank", "gt", "a"));
  assert.deepEqual(filterOf("first_name=ada"), cond("first_name", "eq", "ada"));
  assert.deepEqual(filterOf("rank_eq=a"), cond("rank_eq", "eq", "a"));
  assert.deepEqual(filterOf("a_b_c_ne=x"), cond("a_b_c", "ne", "x"));
  assert.deepEqual(filterOf("_in=x"), cond("_in", "eq", "x"));
  assert.deepEqual(filterOf("free.kind=x"), cond("free.kind", "eq", "x"));
  assert.deepEqual(filterOf("free.kind_ne=x"), cond("free.kind", "ne", "x"));
  assert.deepEqual(filterOf("free.some_kind=x"), cond("free.some_kind", "eq", "x"));
});

Deno.test("reserved names stay parameters; fields of these names are filtered with suffixes", () => {
  const { filter, limit } = parse("limit=7&limit_gt=5&page_ne=a");
  assert.equal(limit, 7);
  assert.deepEqual(filter, {
    op: "and",
    of: [cond("limit", "gt", 5), cond("page", "ne", "a")],
  });
  assert.deepEqual(filterOf('where={"page":"a"}'), cond("page", "eq", "a"));
});

Deno.test("server fields are declared, also in strict collections", () => {
  for (const strict of [false, true]) {
    assert.deepEqual(filterOf("_id=ABC", strict), cond("_id", "eq", "ABC"));
    assert.deepEqual(filterOf("_id_in=a,b", strict), { op: "in", path: "_id", values: ["a", "b"] });
    assert.deepEqual(
      filterOf("createdAt_gte=2026-01-31", strict),
      cond("createdAt", "gte", "2026-01-31T00:00:00.000Z"),
    );
    assert.deepEqual(filterOf("deletedAt=null", strict), cond("deletedAt", "eq", null));
    assert.deepEqual(filterOf("isDeleted=true", strict), cond("isDeleted", "eq", true));
    refused("updatedAt_gt=5", "updatedAt_gt", /must be an ISO 8601 date with a zone/, strict);
    refused("isDeleted=1", "isDeleted", /must be true or false/, strict);
  }
});

Deno.test("a strict collection rejects conditions on undeclared fields", () => {
  for (const name of ["other", "other_gt", "first_name", "place.zip", "status.x", "tags.0"]) {
    refused(`${name}=1`, name, /this strict collection does not declare/, true);
  }
  assert.deepEqual(filterOf("free.any=x", true), cond("free.any", "eq", "x"));
  assert.deepEqual(filterOf("place.city_ne=x", true), cond("place.city", "ne", "x"));
});

Deno.test("operators of a store and invalid names are rejected", () => {
  const wrong = [
    "$where",
    "$or",
    "views.$gt",
    "__proto__",
    "a.__proto__.b",
    "constructor",
    "a..b",
    ".a",
    "a.",
    "",
    " status",
  ];
  for (const name of wrong) {
    refused(`${encodeURIComponent(name)}=1`, name, /cannot be a filter: /);
  }
  refused("views[$gt]=5", "views[$gt]", /cannot be a filter: write views_gt=…, or use where/);
  refused("views[gte]=5", "views[gte]", /cannot be a filter: write views_gte=…/);
  refused("views[most]=5", "views[most]", /cannot be a filter: write field_gt=5/);
  refused("views[]=5", "views[]", /cannot be a filter/);
  refused("%24where_gt=1", "$where_gt", /cannot be a filter/);
});

Deno.test("all conditions are combined with and, also those of where and of one name", () => {
  assert.deepEqual(filterOf('views_gt=1&status=a&where={"views":{"lt":9}}'), {
    op: "and",
    of: [cond("views", "gt", 1), cond("status", "eq", "a"), cond("views", "lt", 9)],
  });
  assert.deepEqual(filterOf("tags=a&tags=b"), {
    op: "and",
    of: [cond("tags", "eq", "a"), cond("tags", "eq", "b")],
  });
  assert.deepEqual(filterOf("views_gt=1&views_lt=9"), {
    op: "and",
    of: [cond("views", "gt", 1), cond("views", "lt", 9)],
  });
});

Deno.test("a repeated operator adds two conditions", () => {
  assert.deepEqual(filterOf("views_gt=1&views_gt=2"), {
    op: "and",
    of: [cond("views", "gt", 1), cond("views", "gt", 2)],
  });
});

Deno.test("parameters can have up to 50 conditions", () => {
  const many = (count: number) => Array(count).fill("views_gt=1").join("&");
  const filter = filterOf(many(50));
  assert.equal(filter.op === "and" && filter.of.length, 50);
  assert.throws(() => parse(many(51)), {
    code: "INVALID_QUERY",
    message: /more than 50 conditions/,
  });
});

Deno.test("an or in where stays one condition among the others", () => {
  const where = encodeURIComponent('{"or":[{"views":1},{"views":2}]}');
  assert.deepEqual(filterOf(`status=a&where=${where}`), {
    op: "and",
    of: [
      cond("status", "eq", "a"),
      { op: "or", of: [cond("views", "eq", 1), cond("views", "eq", 2)] },
    ],
  });
});

Deno.test("a value of a wrong type is rejected with the name of the parameter", () => {
  refused("views=abc", "views", /must be a number, because views is declared Number/);
  refused("views_in=1,x", "views_in", /must be a number/);
  refused("checked_in=maybe", "checked_in", /must be true or false/);
  refused("status_regex=(a)*", "status_regex", /is a pattern that repeats a group/);
  refused(`status_regex=${"x".repeat(129)}`, "status_regex", /longer than 128 characters/);
  refused("status=%00", "status", /U\+0000/);
});
