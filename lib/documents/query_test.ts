/** Tests of parameters that are not filters: pages, sorting, presentation. */

import assert from "node:assert/strict";
import { type Collection, compileCollection } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { createProjection } from "./projection.ts";
import { parseDocumentQuery, parseListQuery, splitCursor } from "./query.ts";

const collection = (): Collection =>
  compileCollection(parseDefinition({
    name: "posts",
    rls: { enabled: false },
    strict: false,
    fields: [
      { key: "title", type: "String" },
      { key: "views", type: "Number" },
      { key: "tags", type: "Array", items: { type: "Ref", ref: "tags" } },
      { key: "author", type: "Ref", ref: "users" },
      { key: "editor", type: "Ref", ref: "users" },
      { key: "parent", type: "Ref", ref: "posts" },
      {
        key: "place",
        type: "Object",
        fields: [
          { key: "city", type: "String" },
          { key: "owner", type: "Ref", ref: "people" },
        ],
      },
    ],
  }));

const list = (text: string) => parseListQuery(collection(), text);

/** Asserts that a query is rejected with a message that begins with the parameter's name. */
function refused(text: string, parameter: string, why: RegExp): void {
  assert.throws(() => list(text), (error: Error & { code?: string }) => {
    assert.equal(error.code, "INVALID_QUERY", `${text}: ${error}`);
    assert.ok(error.message.startsWith(`"${parameter}" `), error.message);
    assert.match(error.message, why);
    return true;
  }, text);
}

const newest = [{ path: "createdAt", descending: true }];

Deno.test("an empty query returns the first hundred documents, newest first", () => {
  assert.deepEqual(list(""), {
    filter: { op: "and", of: [] },
    sort: newest,
    limit: 100,
    page: null,
    offset: null,
    countOnly: false,
    total: "exact",
    includeDeleted: false,
    explain: false,
    projection: null,
    meta: true,
    populate: [],
    warnings: [],
  });
});

Deno.test("page and limit are positive integers, limit up to 1000", () => {
  assert.equal(list("limit=1").limit, 1);
  assert.equal(list("limit=1000").limit, 1000);
  assert.equal(list("page=1").page, 1);
  assert.equal(list("page=1000000000").page, 1_000_000_000);
  const wrong = ["", "0", "-1", "1.5", "1.0", "abc", "1e2", "+1", "01", "%201", "1%20", "0x10"];
  for (const value of wrong) {
    refused(`limit=${value}`, "limit", /must be a whole number from 1 to 1000\./);
    refused(`page=${value}`, "page", /must be a whole number from 1 to 1000000000\./);
  }
  refused("limit=1001", "limit", /must be a whole number from 1 to 1000\./);
  refused("limit=9999999999999999999", "limit", /must be a whole number/);
  refused("page=9999999999999999999", "page", /must be a whole number/);
});

Deno.test("flags are true or false", () => {
  assert.equal(list("include_deleted=true").includeDeleted, true);
  assert.equal(list("include_deleted=false").includeDeleted, false);
  assert.equal(list("count=true").countOnly, true);
  assert.equal(list("meta=false").meta, false);
  assert.equal(list("meta=False").meta, false);
  assert.equal(list("count=TRUE").countOnly, true);
  for (const name of ["include_deleted", "count", "meta"]) {
    for (const value of ["", "1", "yes", "null"]) {
      refused(`${name}=${value}`, name, /must be true or false/);
    }
  }
});

Deno.test("offset and skip are integers, and cannot be combined with page", () => {
  assert.equal(list("offset=0").offset, 0);
  assert.equal(list("skip=1000000000").offset, 1_000_000_000);
  for (const value of ["", "-1", "1.5", "abc", "1e2", "1000000001", "99999999999"]) {
    refused(`offset=${value}`, "offset", /must be a whole number from 0 to 1000000000/);
    refused(`skip=${value}`, "offset", /must be a whole number from 0 to 1000000000/);
  }
  refused("offset=1&skip=1", "offset", /is given more than once/);
  refused("offset=1&page=1", "offset", /cannot be used with page/);
});

Deno.test("total is exact, none or estimate", () => {
  for (const total of ["exact", "none", "estimate"] as const) {
    assert.equal(list(`total=${total}`).total, total);
  }
  for (const value of ["", "true", "Exact"]) refused(`total=${value}`, "total", /must be exact or/);
});

Deno.test("a reserved parameter cannot be repeated", () => {
  const twice: Record<string, string> = {
    page: "1",
    limit: "1",
    sort: "title",
    cursor: "a",
    fields: "title",
    populate: "author",
    expand: "author",
    count: "true",
    total: "none",
    include_deleted: "true",
    meta: "true",
    where: "{}",
    explain: "false",
  };
  for (const [name, value] of Object.entries(twice)) {
    refused(`${name}=${value}&${name}=${value}`, name, /is given more than once/);
  }
});

Deno.test("splitCursor separates the cursor from the rest of a query", () => {
  const table: readonly (readonly [string, string, string | null])[] = [
    ["", "", null],
    ["limit=5", "limit=5", null],
    ["cursor=abc.d-_f", "", "abc.d-_f"],
    ["cursor=", "", ""],
    ["limit=5&cursor=abc&sort=title", "limit=5&sort=title", "abc"],
    ["cursor=abc&limit=5", "limit=5", "abc"],
    ["limit=5&cursor=abc", "limit=5", "abc"],
    ["limit=5&cursor=abc&", "limit=5&", "abc"],
    ["&cursor=abc", "", "abc"],
    ["cursor=cursor", "", "cursor"],
    ["title=a+b&cursor=abc", "title=a+b", "abc"],
    ["cursor=a%2Eb", "", "a.b"],
    ["%63ursor=a&limit=5", "limit=5", "a"],
    ["cursor", "", ""],
    ["xcursor=1&cursor=abc", "xcursor=1", "abc"],
    ["xcursor=1", "xcursor=1", null],
    ["title=cursor%3D1", "title=cursor%3D1", null],
    ["title=cursor=1", "title=cursor=1", null],
  ];
  for (const [query, rest, cursor] of table) {
    assert.deepEqual(splitCursor(query), { rest, cursor }, query);
    const encoded = splitCursor(query.replace(/(^|&)cursor/, "$1%63ursor"));
    assert.deepEqual(encoded, { rest, cursor }, `${query}, encoded`);
  }
});

Deno.test("a repeated cursor is rejected, in every spelling", () => {
  for (const query of ["cursor=a&cursor=a", "cursor=a&limit=1&%63ursor=b", "cursor&cursor="]) {
    const { rest, cursor } = splitCursor(query);
    assert.equal(cursor, null, query);
    refused(rest, "cursor", /./);
  }
});

Deno.test("sort accepts declared fields with directions", () => {
  const sort = (text: string) => list(`sort=${text}`).sort;
  const up = (path: string) => ({ path, descending: false });
  const down = (path: string) => ({ path, descending: true });
  assert.deepEqual(sort("title"), [up("title")]);
  assert.deepEqual(sort("-title"), [down("title")]);
  assert.deepEqual(sort("title:asc"), [up("title")]);
  assert.deepEqual(sort("title:desc"), [down("title")]);
  assert.deepEqual(sort("-views,title,_id:desc"), [down("views"), up("title"), down("_id")]);
  assert.deepEqual(sort("%20views%20,%20-title"), [up("views"), down("title")]);
  assert.deepEqual(sort("place.city"), [up("place.city")]);
  assert.deepEqual(sort("author"), [up("author")]);
  for (const path of ["_id", "createdAt", "updatedAt", "deletedAt"]) {
    assert.deepEqual(sort(path), [up(path)]);
  }
});

Deno.test("sort rejects fields that are undeclared or not scalar", () => {
  const wrong = ["tags", "place", "other", "place.zip", "tags.0", "isDeleted", "$natural", "Title"];
  for (const path of wrong) refused(`sort=${path}`, "sort", /cannot sort by ".*": only declared/);
});

Deno.test("a malformed sort is rejected", () => {
  for (const text of ["", ",", "title,", "title:up", "-title:asc", ":asc", "a:b:asc"]) {
    refused(`sort=${text}`, "sort", /must be a list of field, -field, field:asc or field:desc/);
  }
  refused("sort=-", "sort", /cannot sort by "-"/);
  refused("sort=--title", "sort", /cannot sort by "-title"/);
  refused("sort=title,views,-title", "sort", /names a field twice/);
});

Deno.test("sort accepts up to eight fields", () => {
  const keys = "abcdefghi".split("");
  const many = compileCollection(parseDefinition({
    name: "many",
    rls: { enabled: false },
    fields: keys.map((key) => ({ key, type: "String" })),
  }));
  assert.equal(parseListQuery(many, `sort=${keys.slice(0, 8)}`).sort.length, 8);
  assert.throws(() => parseListQuery(many, `sort=${keys}`), {
    code: "INVALID_QUERY",
    message: /^"sort" has more than 8 fields\.$/,
  });
});

Deno.test("fields picks members or leaves members out", () => {
  const projectionFor = (text: string) => list(`fields=${text}`).projection;
  assert.deepEqual(
    projectionFor("title,place.city"),
    createProjection(["title", "place.city"], false),
  );
  assert.deepEqual(projectionFor("-title,%20-other"), createProjection(["title", "other"], true));
  assert.deepEqual(projectionFor("undeclared"), createProjection(["undeclared"], false));
  refused(
    "fields=title,-views",
    "fields",
    /mixes fields to show and -fields to leave out: send one/,
  );
  refused("fields=-title,views", "fields", /mixes/);
  for (const text of ["", "title,", "-", "$a", "a..b", "__proto__", "place.constructor", "-$a"]) {
    refused(`fields=${text}`, "fields", /cannot be read: /);
  }
});

Deno.test("fields accepts up to 200 different names", () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `f${n}`);
  assert.equal(list(`fields=${names(200)}`).projection?.names.size, 200);
  refused(`fields=${names(201)}`, "fields", /has more than 200 names/);
  assert.equal(list(`fields=${Array(1000).fill("title")}`).projection?.names.size, 1);
});

Deno.test("all paths of a query have at most 20 levels and 300 characters", () => {
  const levels = (count: number) => Array(count).fill("a").join(".");
  const length = (count: number) => "a".repeat(count);
  for (const path of [levels(20), length(300)]) {
    for (const query of [`${path}=1`, `${path}_exists=true`, `fields=${path}`]) list(query);
    list(`where=${encodeURIComponent(JSON.stringify({ [path]: 1 }))}`);
    refused(`sort=${path}`, "sort", /only declared fields/);
    refused(`populate=${path}`, "populate", /is not declared as a Ref/);
  }
  const cut = (name: string) => name.length > 60 ? `${name.slice(0, 60)}…` : name;
  const tooLong = /longer than 300 characters/;
  const tooDeep = /more than 20 levels/;
  for (const [path, why] of [[levels(21), tooDeep], [length(301), tooLong]] as const) {
    refused(`${path}=1`, cut(path), why);
    refused(`${path}_gt=1`, cut(`${path}_gt`), why);
    refused(`${path}_what=1`, cut(`${path}_what`), why);
    refused(`where=${encodeURIComponent(JSON.stringify({ [path]: 1 }))}`, "where", why);
    for (const name of ["sort", "fields", "populate", "expand"]) {
      refused(`${name}=${path}`, name, why);
    }
    refused(`fields=-${path}`, "fields", why);
    refused(`sort=-${path}`, "sort", why);
  }
});

Deno.test("populate and expand accept up to ten paths that begin with a declared reference", () => {
  assert.deepEqual(list("populate=author").populate, ["author"]);
  assert.deepEqual(list("expand=author,tags").populate, ["author", "tags"]);
  assert.deepEqual(
    list("populate=author,%20parent.author,place.owner,notes(about.post)").populate,
    [
      "author",
      "parent.author",
      "place.owner",
      "notes(about.post)",
    ],
  );
  assert.deepEqual(list("populate=author,author,author,author").populate, ["author"]);
  assert.deepEqual(list("populate=author&expand=parent,author").populate, ["author", "parent"]);
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `author.a${from + i}`).join();
  assert.equal(list(`populate=${many(0, 10)}`).populate.length, 10);
  refused(`populate=${many(0, 11)}`, "populate", /names more than 10 paths/);
  refused(`expand=${many(0, 11)}`, "expand", /names more than 10 paths/);
  refused(`expand=${many(0, 6)}&populate=${many(6, 11)}`, "populate", /names more than 10 paths/);
  for (const path of ["title", "place", "other", "place.city", "_id", "toString"]) {
    refused(`populate=${path}`, "populate", /cannot follow ".*": it is not declared as a Ref/);
    refused(`expand=${path}`, "expand", /cannot follow ".*": it is not declared as a Ref/);
  }
  const malformed = ["", ".", "author.", ".author", "author..x", "notes()", "notes(a", "(a)"];
  for (const path of [...malformed, "notes(a)b", "notes(a(b))", "a(b)(c)"]) {
    refused(`populate=${path}`, "populate", /cannot follow ".*": write author, /);
  }
});

Deno.test("explain is on only if it is true", () => {
  assert.equal(list("explain=true").explain, true);
  assert.equal(list("").explain, false);
  assert.deepEqual(list("explain=false"), list(""));
});

Deno.test("parseDocumentQuery accepts the parameters of the presentation", () => {
  const query = "fields=title&meta=false&populate=author&include_deleted=true";
  assert.deepEqual(parseDocumentQuery(collection(), query), {
    projection: createProjection(["title"], false),
    meta: false,
    populate: ["author"],
    includeDeleted: true,
  });
  assert.deepEqual(parseDocumentQuery(collection(), ""), {
    projection: null,
    meta: true,
    populate: [],
    includeDeleted: false,
  });
});

Deno.test("parseDocumentQuery rejects other parameters", () => {
  for (const name of ["page", "limit", "sort", "cursor", "where", "count", "total", "title", "x"]) {
    assert.throws(() => parseDocumentQuery(collection(), `${name}=1`), {
      code: "INVALID_QUERY",
      message: new RegExp(`^"${name}" is not a parameter of single documents: use fields, `),
    });
  }
  assert.throws(() => parseDocumentQuery(collection(), "meta=true&meta=true"), {
    message: '"meta" is given more than once.',
  });
});
