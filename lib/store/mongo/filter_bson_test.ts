import assert from "node:assert/strict";
import { ObjectId } from "mongodb";
import { and, compare, eq } from "../filter.ts";
import type { Definition } from "../port.ts";
import { filterBson } from "./filter_bson.ts";

const DEFINITION: Definition = { name: "things", fields: {}, indexes: [], trash: true };
const ID = "65f2a1b2c3d4e5f6a7b8c9d0";
const LIVE = eq("isDeleted", false);

Deno.test("filterBson puts a condition on the id at the top level of the query", () => {
  const query = filterBson(DEFINITION, and(eq("_id", ID), and(LIVE, eq("owner", "a"))));
  assert.deepEqual(query._id, new ObjectId(ID));
});

Deno.test("filterBson keeps several conditions on one path, also with an id", () => {
  const both = [compare("n", "gt", 1), compare("n", "lt", 9)];
  const query = filterBson(DEFINITION, and(eq("_id", ID), ...both));
  assert.deepEqual(query, {
    $and: [{ _id: new ObjectId(ID) }, { n: { $gt: 1 } }, { n: { $lt: 9 } }],
  });
});
