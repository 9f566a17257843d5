import assert from "node:assert/strict";
import type { Definition } from "../port.ts";
import { columnsOf } from "./columns.ts";

Deno.test("columnsOf puts columns of long texts last", () => {
  const definition: Definition = {
    name: "posts",
    fields: {
      text: { type: "String" },
      views: { type: "Number" },
      place: { type: "Object", fields: { city: { type: "String" }, floor: { type: "Number" } } },
      isDeleted: { type: "Boolean" },
      at: { type: "Date" },
    },
    indexes: [],
    trash: true,
  };
  const paths = ["views", "place.floor", "isDeleted", "at", "text", "place.city"];
  assert.deepEqual(columnsOf(definition).map(({ path }) => path), paths);
});
