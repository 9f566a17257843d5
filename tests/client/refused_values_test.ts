import assert from "node:assert/strict";
import type { AnyProject, Collection } from "@/client/client.d.ts";
import { type ClientFixture, openClients } from "./fixture.ts";

type Posts = Collection<AnyProject, AnyProject["collections"][string]>;
// deno-lint-ignore no-explicit-any -- Values that the client's types forbid.
type Wrong = any;

interface Opened extends AsyncDisposable {
  readonly fixture: ClientFixture;
  readonly server: ReturnType<ClientFixture["client"]>;
  readonly posts: Posts;
}

async function openPosts(): Promise<Opened> {
  const fixture = await openClients();
  const server = fixture.client(fixture.project.secretKey);
  const [dispose, posts] = [() => fixture[Symbol.asyncDispose](), server.from("posts")];
  return { fixture, server, posts, [Symbol.asyncDispose]: dispose };
}

/** Fails unless a call is refused with a code and a path, without a request. */
async function assertRefused(
  { asked }: ClientFixture,
  call: () => Promise<unknown>,
  { code = "INVALID_VALUE", path }: { code?: string; path?: string },
): Promise<void> {
  const before = asked.length;
  await assert.rejects(call(), (error: Wrong) => {
    assert.deepEqual([error.name, error.code, error.status], ["CorbelError", code, 0]);
    if (path === undefined) return true;
    assert.equal(error.faults[0].path, path);
    assert.ok(error.message.includes(`"${path}" is`), error.message);
    return true;
  });
  assert.deepEqual(asked.slice(before), [], "no request is sent");
}

const LOST: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["an invalid Date", new Date("today")],
  ["a function", () => 1],
  ["a symbol", Symbol("a")],
  ["a BigInt", 9n],
  ["a Map", new Map([["a", 1]])],
  ["a Set", new Set([1])],
  ["a regular expression", /a/],
  ["a file", new Blob(["a"])],
];

Deno.test("a condition whose value JSON would lose is refused, at any depth and in every query", async (t) => {
  await using opened = await openPosts();
  const { fixture, posts } = opened;
  for (const [name, value] of LOST) {
    const trees: readonly (readonly [string, Wrong])[] = [
      ["where.slug", { slug: value }],
      ["where.views.gt", { views: { gt: value } }],
      ["where.views.in.1", { views: { in: [1, value] } }],
      ["where.or.1.and.0.slug.not", { or: [{ views: 1 }, { and: [{ slug: { not: value } }] }] }],
    ];
    await t.step(name, async () => {
      for (const [path, where] of trees) {
        await assertRefused(fixture, () => posts.count({ where }), { path });
      }
      const [path, where] = trees[0]!;
      const calls = [
        () => posts.list({ where }),
        () => posts.pages({ where }).next(),
        () => posts.aggregate({ where, count: true }),
      ];
      for (const call of calls) await assertRefused(fixture, call, { path });
    });
  }
});

Deno.test("a condition outside of where is refused if it is undefined, and so is where: null", async () => {
  await using opened = await openPosts();
  const { fixture, posts } = opened;
  await posts.create({ title: "One" });
  for (const value of [undefined, null]) {
    const query: Wrong = { owner: value };
    await assertRefused(fixture, () => posts.list(query), { path: "owner" });
  }
  const nothing: Wrong = { where: null };
  await assert.rejects(posts.count(nothing), { code: "INVALID_QUERY" });
  const unset: Wrong = { where: undefined, search: undefined, limit: undefined };
  assert.equal(await posts.count(unset), 1, "an undefined option is left out");
});

Deno.test("a live list with an invalid condition ends with the error", async () => {
  await using opened = await openPosts();
  const { fixture, posts } = opened;
  const error = await new Promise<Wrong>((resolve) => {
    posts.live({ where: { slug: undefined } as Wrong }, { items() {}, error: resolve });
  });
  assert.deepEqual([error.code, error.faults[0].path], ["INVALID_VALUE", "where.slug"]);
  assert.deepEqual(fixture.asked, []);
});

Deno.test("a value that JSON would lose is refused in a body, and undefined is left out", async (t) => {
  await using opened = await openPosts();
  const { fixture, server, posts } = opened;
  const created = await posts.create({ title: "One", views: 3, slug: undefined });
  for (const [name, value] of LOST) {
    await t.step(name, async () => {
      await assertRefused(fixture, () => posts.create({ tags: ["a", value] } as Wrong), {
        path: "body.tags.1",
      });
      if (value === undefined) return;
      await assertRefused(fixture, () => posts.create({ title: value } as Wrong), {
        path: "body.title",
      });
      await assertRefused(fixture, () => posts.patch(created._id, { views: { $inc: value } }), {
        path: "body.views.$inc",
      });
      await assertRefused(fixture, () => posts.createMany([{ title: "One" }, { title: value }]), {
        path: "body.documents.1.title",
      });
      await assertRefused(
        fixture,
        () => server.files.sign("a/b.txt", { seconds: value } as Wrong),
        { path: "body.expiresIn" },
      );
    });
  }
  const cyclic: Wrong = { title: "One" };
  cyclic.self = cyclic;
  await assertRefused(fixture, () => posts.create(cyclic), {});
  assert.equal((await posts.patch(created._id, { title: "Two", views: undefined })).views, 3);
  assert.equal(await posts.count(), 1, "refused calls store no documents");
});

Deno.test("values that JSON keeps are sent unchanged", async () => {
  await using opened = await openPosts();
  const { fixture, posts } = opened;
  const bodies: unknown[] = [];
  fixture.intercept((request) => {
    if (request.method === "POST") request.clone().json().then((body) => bodies.push(body));
    return null;
  });
  const at = new Date(1e12);
  class Place {
    city = "Bonn";
  }
  const shared = { a: 1 };
  const document: Wrong = {
    title: "One",
    more: { at, nothing: null, list: [], object: {}, shared, again: shared, place: new Place() },
    plain: Object.assign(Object.create(null), { b: 2 }),
  };
  await posts.create(document);
  assert.deepEqual(bodies, [JSON.parse(JSON.stringify(document))]);
});

Deno.test("an invalid document id is refused by every method that takes one", async (t) => {
  await using opened = await openPosts();
  const { fixture, server, posts } = opened;
  await posts.create({ title: "One" });
  const ids: Wrong[] = ["", " ", "x", "..", "66f1a0c2e4b0a1b2c3d4e5f", "66f1a0c2e4b0a1b2c3d4e5f6/"];
  ids.push("66f1a0c2e4b0a1b2c3d4e5fg", undefined, null, 66, { _id: "66f1a0c2e4b0a1b2c3d4e5f6" });
  for (const id of ids) {
    const calls: Record<string, () => Promise<unknown>> = {
      get: () => posts.get(id),
      patch: () => posts.patch(id, { title: "Two" }),
      replace: () => posts.replace(id, { title: "Two" }, { upsert: true }),
      delete: () => posts.delete(id),
      recover: () => posts.recover(id),
      batch: () => server.batch([{ action: "delete", collection: "posts", id }]),
    };
    for (const [name, call] of Object.entries(calls)) {
      await t.step(`${name}(${JSON.stringify(id)})`, async () => {
        await assertRefused(fixture, call, { code: "INVALID_ID" });
      });
    }
  }
  const second = [
    { action: "create", collection: "posts", document: { title: "Two" } },
    { action: "delete", collection: "posts", id: "" },
  ] as const;
  await assert.rejects(server.batch(second), { code: "INVALID_ID", operation: 1 });
  assert.equal(await posts.count(), 1);
});

Deno.test("an id may have upper-case letters", async () => {
  await using opened = await openPosts();
  const { posts } = opened;
  const { _id } = await posts.create({ title: "One" });
  assert.equal((await posts.get(_id.toUpperCase()))._id, _id);
});

Deno.test("an unknown tag overwrites nothing", async () => {
  await using opened = await openPosts();
  const { fixture, server, posts } = opened;
  const { _id } = await posts.create({ title: "One" });
  const [listed] = (await posts.list()).items;
  const ifMatch = server.etagOf(listed!);
  assert.equal(ifMatch, undefined, "a document of a list has no tag");
  const options: Wrong = { ifMatch };
  const calls = [
    () => posts.patch(_id, { title: "Two" }, options),
    () => posts.replace(_id, { title: "Two" }, options),
    () => posts.delete(_id, options),
    () => server.batch([{ action: "delete", collection: "posts", id: _id, ...options }]),
  ];
  for (const call of calls) await assertRefused(fixture, call, { path: "ifMatch" });
  assert.equal((await posts.get(_id)).title, "One");
});

Deno.test("an empty list of fields, populate or sort is the same as none", async () => {
  await using opened = await openPosts();
  const { fixture, posts } = opened;
  const { _id, ...rest } = await posts.create({ title: "One", views: 2 });
  const { items } = await posts.list({ populate: [], fields: [], sort: [] });
  assert.deepEqual(items, [{ _id, ...rest }]);
  assert.deepEqual(await posts.get(_id, { populate: [], fields: [] }), { _id, ...rest });
  const { groups } = await posts.aggregate({ group: [], sum: ["views"], avg: [], sort: [] });
  assert.deepEqual(groups, [{ key: {}, sum: { views: 2 } }]);
  assert.ok(fixture.asked.every((line) => !/fields|populate|sort/.test(line)));
  const live = await new Promise<unknown[]>((resolve, error) => {
    const list = posts.live({ fields: [], sort: [] }, {
      items(items) {
        list.close();
        resolve(items);
      },
      error,
    });
  });
  assert.deepEqual(live, [{ _id, ...rest }]);
});
