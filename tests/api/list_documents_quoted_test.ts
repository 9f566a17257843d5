import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, refused } from "./test_collection.ts";

Deno.test("a refused parameter is quoted as it was sent", async () => {
  await using app = await openTestApp();
  const fields = [
    { key: "views", type: "Number" },
    { key: "title", type: "String" },
    { key: "other", type: "Ref", ref: "posts" },
  ];
  const strict = await createTestCollection(app, { name: "posts", fields, strict: true });
  const long = "a.".repeat(200) + "b";
  const where = (tree: unknown) => `where=${encodeURIComponent(JSON.stringify(tree))}`;
  const cases: [query: string, quoted: string][] = [
    ["views_gt=x", '"views_gt" must be a number'],
    ["filter[views_gt]=x", '"filter[views_gt]" must be a number'],
    ["filter%5Bviews_gt%5D=x", '"filter[views_gt]" must be a number'],
    ["filter[views]=x", '"filter[views]" must be a number'],
    ["views_gt=1&filter[views_gt]=x", '"filter[views_gt]" must be a number'],
    ["filter[views_gt]=1&views_gt=x", '"views_gt" must be a number'],
    ["filter[views_gt]=9007199254740993", '"filter[views_gt]" is the integer 9007199254740993'],
    ["filter[views_gt]=null", '"filter[views_gt]" cannot order by null: use _exists'],
    ["filter[views_in]=1,x", '"filter[views_in]" must be a number'],
    ["filter[views_exists]=x", '"filter[views_exists]" must be true or false'],
    ["filter[views_regex]=x", '"filter[views_regex]" cannot match a pattern'],
    ["filter[views_contains]=x", '"filter[views_contains]" cannot look for a text'],
    ["filter[title_startswith]=", '"filter[title_startswith]" needs 1 to'],
    ["filter[title_regex]=(", '"filter[title_regex]" is a pattern that'],
    ["filter[title]=%00", '"filter[title]" contains the character'],
    ["filter[viewz_gt]=1", '"filter[viewz_gt]" names "viewz", which this strict'],
    ["filter[a..b]=1", '"filter[a..b]" cannot be a filter'],
    [`filter[${long}_gt]=1`, '"filter[a.a.a.'],
    ["filter[$or]=1", '"filter[$or]" cannot be a filter'],
    ["filter[views][gt]=5", '"filter[views][gt]" is no filter'],
    ["views[$gt]=5", '"views[$gt]" cannot be a filter'],
    [where({ views: { gt: null } }), '"where" cannot order by null: use exists'],
    [where({ title: { startsWith: "" } }), "characters for startsWith."],
    ["offset=x", '"offset" must be a whole number'],
    ["skip=x", '"skip" must be a whole number'],
    ["skip=1&page=1", '"skip" cannot be used with page'],
    ["skip=1&skip=1", '"skip" is given more than once'],
    ["offset=1&skip=1", '"skip" means the same as offset'],
    ["expand=nope", '"expand" cannot follow "nope"'],
    ["populate=other&expand=nope", '"expand" cannot follow "nope"'],
  ];
  for (const [query, quoted] of cases) {
    refused(await strict.asSecret({ path: `?${query}` }), 400, "INVALID_QUERY", quoted);
  }
  for (const name of ["views_over", "filter[views_over]"]) {
    const answer = await strict.asSecret({ path: `?${name}=5` });
    refused(answer, 400, "UNKNOWN_OPERATOR", `"${name}" ends in an unknown operator`);
  }
  const aggregate = await strict.asSecret({ path: "/aggregate?count=true&filter[views_gt]=x" });
  refused(aggregate, 400, "INVALID_QUERY", '"filter[views_gt]" must be a number');
});
