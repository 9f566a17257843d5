import assert from "node:assert/strict";
import type { Members } from "./document.ts";
import { projected, projectionOf } from "./projection.ts";

const DOCUMENT: Members = {
  _id: "66f1a0c2e4b0a1b2c3d4e5f6",
  title: "t",
  place: { city: "x", geo: { lat: 1, lng: 2 } },
  tags: [{ name: "a" }],
  none: null,
};

/** As JSON, because the order of members is part of what is promised. */
const assertShown = (paths: readonly string[], leavesOut: boolean, expected: unknown) =>
  assert.equal(
    JSON.stringify(projected(DOCUMENT, projectionOf(paths, leavesOut))),
    JSON.stringify(expected),
    `${leavesOut ? "-" : ""}${paths}`,
  );

const { _id } = DOCUMENT;

Deno.test("named members are shown in the order in which they are named first", () => {
  assertShown(["title"], false, { _id, title: "t" });
  assertShown(["none", "title"], false, { _id, none: null, title: "t" });
  assertShown(["place.geo.lng", "title", "place.city"], false, {
    _id,
    place: { geo: { lng: 2 }, city: "x" },
    title: "t",
  });
  assertShown(["_id", "_id.x"], false, { _id });
});

Deno.test("what is not there is not shown, but for the objects on the way to it", () => {
  assertShown(["other", "title.x", "tags.name", "toString"], false, { _id });
  assertShown(["place.other"], false, { _id, place: {} });
});

Deno.test("a member that is named whole is shown whole, whatever of it is named too", () => {
  const { place } = DOCUMENT;
  assertShown(["place", "place.city"], false, { _id, place });
  assertShown(["place.city", "title", "place"], false, { _id, place, title: "t" });
});

Deno.test("members are left out, but never the id", () => {
  const { title, place, tags, none } = DOCUMENT;
  assertShown(["place", "place.city", "_id"], true, { _id, title, tags, none });
  assertShown(["place.geo.lat", "place.city", "other.x", "title.x", "tags.name"], true, {
    _id,
    title,
    place: { geo: { lng: 2 } },
    tags,
    none,
  });
  assertShown(["title", "place"], true, { _id, tags, none });
  assert.deepEqual(DOCUMENT.place, place, "the document itself is left as it is");
});
