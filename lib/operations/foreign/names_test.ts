import assert from "node:assert/strict";
import { NAME_LENGTH_MAX } from "../../limits.ts";
import { collectionNames, fieldNames, userFieldNames } from "./names.ts";

const listed = (map: ReadonlyMap<string, string>) => Object.fromEntries(map);

Deno.test("collectionNames keeps valid names and makes all names unique", () => {
  assert.deepEqual(
    listed(collectionNames(["_posts", "posts", "Users", "usersets", "1st", "ä-b"])),
    {
      _posts: "posts_2",
      posts: "posts",
      Users: "app_Users",
      usersets: "app_usersets",
      "1st": "st",
      "ä-b": "b",
    },
  );
  const same = [...collectionNames(["Posts", "posts", "POSTS", "_posts"]).values()];
  assert.equal(new Set(same.map((name) => name.toLowerCase())).size, 4, same.join());
});

Deno.test("fieldNames avoids the names of server fields and of added fields", () => {
  const names = ["_id", "createdAt", "title", "constructor", "__proto__", "sourceId", "a.b", ""];
  const map = fieldNames(names, ["sourceId"]);
  assert.deepEqual([...map.keys()], names);
  assert.deepEqual(
    [...map.values()],
    [
      "id",
      "source_createdAt",
      "title",
      "source_constructor",
      "proto__",
      "sourceId_2",
      "a_b",
      "source_",
    ],
  );
  assert.equal(userFieldNames(["roles", "email", "age"], []).get("roles"), "source_roles");
  assert.equal(userFieldNames(["roles", "email", "age"], []).get("age"), "age");
});

Deno.test("fieldNames truncates long names and numbers duplicates", () => {
  const long = Array.from({ length: 12 }, (_, n) => `${"x".repeat(100)}${n}`);
  const names = [...fieldNames(long, []).values()];
  assert.equal(new Set(names).size, 12);
  for (const name of names) assert.ok(name.length <= NAME_LENGTH_MAX, name);
});
