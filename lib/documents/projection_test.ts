import assert from "node:assert/strict";
import type { Members } from "./document.ts";
import { createProjection, project } from "./projection.ts";

const DOCUMENT: Members = {
  _id: "66f1a0c2e4b0a1b2c3d4e5f6",
  title: "t",
  place: { city: "x", geo: { lat: 1, lng: 2 } },
  tags: [{ name: "a" }],
  none: null,
};

/** Compares as JSON, because the order of members is guaranteed. */
const assertProjected = (paths: readonly string[], leavesOut: boolean, expected: unknown) =>
  assert.equal(
    JSON.stringify(project(DOCUMENT, createProjection(paths, leavesOut))),
    JSON.stringify(expected),
    `${leavesOut ? "-" : ""}${paths}`,
  );

const { _id } = DOCUMENT;

Deno.test("project returns picked members in the order of their first names", () => {
  assertProjected(["title"], false, { _id, title: "t" });
  assertProjected(["none", "title"], false, { _id, none: null, title: "t" });
  assertProjected(["place.geo.lng", "title", "place.city"], false, {
    _id,
    place: { geo: { lng: 2 }, city: "x" },
    title: "t",
  });
  assertProjected(["_id", "_id.x"], false, { _id });
});

Deno.test("project skips missing members, but keeps the objects on their path", () => {
  assertProjected(["other", "title.x", "tags.name", "toString"], false, { _id });
  assertProjected(["place.other"], false, { _id, place: {} });
});

Deno.test("project returns a complete member if its parts are named, too", () => {
  const { place } = DOCUMENT;
  assertProjected(["place", "place.city"], false, { _id, place });
  assertProjected(["place.city", "title", "place"], false, { _id, place, title: "t" });
});

Deno.test("project leaves out members, but never the id", () => {
  const { title, place, tags, none } = DOCUMENT;
  assertProjected(["place", "place.city", "_id"], true, { _id, title, tags, none });
  assertProjected(["place.geo.lat", "place.city", "other.x", "title.x", "tags.name"], true, {
    _id,
    title,
    place: { geo: { lng: 2 } },
    tags,
    none,
  });
  assertProjected(["title", "place"], true, { _id, tags, none });
  assert.deepEqual(DOCUMENT.place, place, "the document itself is unchanged");
});
