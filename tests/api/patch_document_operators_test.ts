import assert from "node:assert/strict";
import { updateCollection } from "../support/given.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestCollection, type Doc, ok, refused, times } from "./test_collection.ts";

const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/${id}`, body });

const FIELDS = [
  { key: "views", type: "Number" },
  { key: "best", type: "Number", unique: true },
  { key: "seenAt", type: "Date" },
  { key: "title", type: "String", required: true },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "days", type: "Array", items: { type: "Date" } },
  {
    key: "place",
    type: "Object",
    fields: [
      { key: "city", type: "String", required: true },
      { key: "visits", type: "Number" },
      { key: "notes", type: "Array" },
    ],
  },
];

async function openPosts(app: TestApp, parts: { readonly [name: string]: unknown } = {}) {
  const posts = await createTestCollection(app, { fields: FIELDS, ...parts });
  return {
    ...posts,
    /** Inserts a document, applies one change and returns the result. */
    async changed(document: object, change: object): Promise<Doc> {
      const { _id } = await posts.insertOne({ title: "a", ...document });
      return ok(await posts.asSecret(patch(_id, change)));
    },
  };
}

Deno.test("each operator computes the new value from the stored one", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const now = () => new Date(app.clock.now()).toISOString();
  const cases: [before: object, change: object, after: object][] = [
    [{ views: 1 }, { views: { $inc: 2.5 } }, { views: 3.5 }],
    [{}, { views: { $inc: -1 } }, { views: -1 }],
    [{ views: null }, { views: { $inc: 1 } }, { views: 1 }],
    [{ views: 5 }, { views: { $min: 3 } }, { views: 3 }],
    [{ views: 5 }, { views: { $max: 3 } }, { views: 5 }],
    [
      { seenAt: "2026-01-02" },
      { seenAt: { $max: "2026-01-03" } },
      { seenAt: "2026-01-03T00:00:00.000Z" },
    ],
    [{ tags: ["a"] }, { tags: { $push: "a" } }, { tags: ["a", "a"] }],
    [{}, { tags: { $push: { $each: ["a", "b"] } } }, { tags: ["a", "b"] }],
    [{ tags: ["a"] }, { tags: { $addToSet: { $each: ["a", "b", "b"] } } }, { tags: ["a", "b"] }],
    [{ tags: ["a", "b", "a"] }, { tags: { $pull: "a" } }, { tags: ["b"] }],
    [{ days: [] }, { days: { $push: "2026-01-02" } }, { days: ["2026-01-02T00:00:00.000Z"] }],
    [{ views: 1 }, { views: { $unset: true } }, { views: undefined }],
    [
      { place: { city: "Bonn", visits: 1 } },
      { "place.visits": { $inc: 1 }, "place.notes": { $push: { $each: [[1]] } } },
      { place: { city: "Bonn", visits: 2, notes: [[1]] } },
    ],
    [{ place: { city: "Bonn", visits: 1 } }, { "place.visits": { $unset: true } }, {
      place: { city: "Bonn" },
    }],
    [{ free: 1, other: { n: 2 } }, { free: { $inc: 1 }, "other.n": { $max: 9 } }, {
      free: 2,
      other: { n: 9 },
    }],
    [{ list: [{ a: 1, b: 2 }] }, { list: { $pull: { b: 2, a: 1 } } }, { list: [] }],
    [{ views: 1, free: [1] }, { views: 7, free: { $push: 2 }, title: "b" }, {
      views: 7,
      free: [1, 2],
      title: "b",
    }],
  ];
  for (const [before, change, after] of cases) {
    const document = await posts.changed(before, change);
    const got = Object.fromEntries(Object.keys(after).map((name) => [name, document[name]]));
    assert.deepEqual(got, after, JSON.stringify(change));
    assert.deepEqual((await posts.read(document._id)).body.data, document);
  }
  const timed = await posts.changed({}, { seenAt: { $now: true }, other: { $now: true } });
  assert.deepEqual([timed.seenAt, timed.other, timed.updatedAt], [now(), now(), now()]);
});

Deno.test("a dotted path through null behaves as through a missing object", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const at = new Date(app.clock.now()).toISOString().slice(0, 10);
  const changes: readonly (readonly [change: object, part: Doc["part"] | undefined])[] = [
    [{ "part.city": "Rome" }, { city: "Rome" }],
    [{ "part.a.b": 1, "part.c": 2 }, { a: { b: 1 }, c: 2 }],
    [{ "part.n": { $inc: 2 } }, { n: 2 }],
    [{ "part.n": { $min: 2 } }, { n: 2 }],
    [{ "part.n": { $max: 2 } }, { n: 2 }],
    [{ "part.list": { $push: 1 } }, { list: [1] }],
    [{ "part.list": { $addToSet: 1 } }, { list: [1] }],
    [{ "part.list": { $pull: 1 } }, undefined],
    [{ "part.list": { $unset: true } }, undefined],
  ];
  for (const [change, part] of changes) {
    assert.deepEqual((await posts.changed({}, change)).part, part);
    assert.deepEqual((await posts.changed({ part: null }, change)).part, part ?? null);
    assert.deepEqual((await posts.changed({ part: { deep: 1 } }, change)).part, {
      deep: 1,
      ...part as object,
    });
  }
  const timed = await posts.changed({ part: null }, { "part.at": { $now: true } });
  assert.ok((timed.part as { at: string }).at.startsWith(at));
  const named = await posts.changed({ place: null }, { "place.city": "Rome" });
  assert.deepEqual(named.place, { city: "Rome" });
  const { _id: id } = await posts.insertOne({ title: "a", place: null });
  await posts.untouched(async () => {
    const answer = await posts.asSecret(patch(id, { "place.visits": 1 }));
    refused(answer, 400, "INVALID_DOCUMENT", '"place.city" is required in its object');
  });
});

Deno.test("an operator that cannot be applied is refused with its field and changes nothing", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const { _id: id } = await posts.insertOne({
    title: "a",
    views: 1,
    best: 1,
    text: "x",
    list: [1],
    huge: 1.7e308,
  });
  await posts.insertOne({ title: "b", best: 2 });
  const wrong: [change: object, says: string][] = [
    [
      { title: { $inc: 1 } },
      '"title" does not support $inc, which is for Numbers: it is declared as String',
    ],
    [{ views: { $push: 1 } }, '"views" does not support $push, which is for Arrays'],
    [{ views: { $now: true } }, '"views" does not support $now, which is for Dates'],
    [{ title: { $min: "a" } }, '"title" does not support $min'],
    [{ views: { $inc: "1" } }, '"views" needs a number for $inc'],
    [{ views: { $max: null } }, '"views" needs a value for $max'],
    [{ views: { $max: "x" } }, '"views" cannot take this: must be a Number'],
    [{ seenAt: { $min: "soon" } }, '"seenAt" cannot take this'],
    [{ tags: { $push: 1 } }, '"tags" cannot take this: must be a String'],
    [{ tags: { $push: { $each: ["a", 1] } } }, '"tags" cannot take this'],
    [{ tags: { $push: { $each: "a" } } }, '"tags" needs { "$each": [ … ] }'],
    [{ tags: { $push: { $each: [], $slice: 1 } } }, '"tags" needs { "$each": [ … ] }'],
    [{ free: { $push: { $set: 1 } } }, "begins with $"],
    [
      { $inc: { views: 1 } },
      '"$inc" is not a field: send fields by their names, with operators inside',
    ],
    [{ $set: { title: "a" } }, '"$set" is not a field'],
    [{ views: { $mul: 2 } }, '"views" has no operator "$mul": use one of $inc'],
    [{ views: { $inc: 1, $max: 2 } }, '"views" takes one operator at a time'],
    [{ views: { $inc: 1, by: 2 } }, '"views" has no operator "by"'],
    [{ views: { $unset: 1 } }, '"views" needs true for $unset'],
    [{ seenAt: { $now: "true" } }, '"seenAt" needs true for $now'],
    [{ title: { $unset: true } }, '"title" is required and cannot be removed'],
    [{ "place.city": { $unset: true } }, '"place.city" is required and cannot be removed'],
    [{ "place.visits": { $inc: 1 } }, '"place.city" is required in its object'],
    [{ "userId.x": { $inc: 1 } }, '"userId.x" leads into the owner field'],
    [{ place: { city: "Bonn", visits: { $inc: 1 } } }, '"place.visits" must be a Number'],
    [{ text: { $inc: 1 } }, '"text" is not a number'],
    [{ text: { $addToSet: 1 } }, '"text" is not a list'],
    [{ list: { $max: 1 } }, '"list" is not a number'],
    [{ "text.x": { $inc: 1 } }, "leads through a value that is not an object"],
    [{ huge: { $inc: 1.7e308 } }, '"huge" would exceed the largest number'],
    [{ a: { $inc: 1 }, "a.b": { $inc: 1 } }, '"a.b" lies within another field'],
  ];
  await posts.untouched(async () => {
    for (const [change, says] of wrong) {
      const answer = await posts.asSecret(patch(id, { views: 9, ...change }));
      refused(answer, 400, "INVALID_DOCUMENT", says);
    }
    refused(
      await posts.asSecret(patch(id, { best: { $inc: 1 } })),
      409,
      "DUPLICATE_VALUE",
      "best",
    );
    const long = patch(id, { list: { $push: "x".repeat(1_048_576) } });
    refused(await posts.asSecret(long), 413, "DOCUMENT_TOO_LARGE");
  });
});

Deno.test("a strict collection accepts operators on declared fields and $unset on any", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app, { strict: false });
  const { _id: id } = await posts.insertOne({ title: "a", old: 1 });
  const definition = { name: "posts", fields: FIELDS, strict: true, rls: { mode: "public-read" } };
  await updateCollection(app.services, posts.project.projectId, definition);
  refused(
    await posts.asSecret(patch(id, { old: { $inc: 1 } })),
    400,
    "INVALID_DOCUMENT",
    '"old" is not declared',
  );
  const document = ok(
    await posts.asSecret(patch(id, { old: { $unset: true }, views: { $inc: 1 } })),
  );
  assert.deepEqual([document.old, document.views], [undefined, 1]);
});

Deno.test("an operator cannot grow a list beyond the limit of its index", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, {
    fields: [{ key: "tags", type: "Array", items: { type: "Number" }, index: true }],
  });
  const { _id: id } = await posts.insertOne({ tags: times(999, (n) => n) });
  ok(await posts.asSecret(patch(id, { tags: { $push: 999 } })));
  await posts.untouched(async () => {
    for (const operator of ["$push", "$addToSet"]) {
      const answer = await posts.asSecret(patch(id, { tags: { [operator]: 1_000 } }));
      refused(answer, 400, "INVALID_DOCUMENT", '"tags" has an index, so it may hold up to 1000');
    }
  });
  assert.equal(ok(await posts.asSecret({ path: "?tags=999&count=true" })).count, 1);
});

Deno.test("an operator cannot change the owner", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const user = await posts.project.user();
  const { _id: id } = ok(await posts.asPublic({ body: { title: "a" } }, user), 201);
  for (const operator of [{ $unset: true }, { $push: "x" }, { $now: true }]) {
    const answer = await posts.asPublic(patch(id, { userId: operator }), user);
    refused(answer, 403, "OWNER_IMMUTABLE");
  }
});

Deno.test("50 concurrent changes of one document all take effect", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const { _id: id } = await posts.insertOne({ title: "a", views: 0 });
  const answers = await Promise.all(
    times(50, (n) =>
      posts.asSecret(patch(id, {
        views: { $inc: 1 },
        best: { $max: n },
        tags: { $addToSet: `t${n % 5}` },
        all: { $push: n },
      }))),
  );
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  const { views, best, tags, all } = (await posts.read(id)).body.data;
  assert.deepEqual([views, best], [50, 49]);
  assert.deepEqual(tags.toSorted(), times(5, (n) => `t${n}`));
  assert.deepEqual(all.toSorted((a: number, b: number) => a - b), times(50, (n) => n));
});
