import assert from "node:assert/strict";
import { BY_KEY } from "@/tests/support/authorship.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import type { Caller } from "../auth/principals.ts";
import { createUser } from "../auth/create_user.ts";
import { type UserRecord, USERS } from "../auth/users.ts";
import { eq } from "../store/filter.ts";
import type { Definition, Id, Json, ListQuery, Space, StoredRecord } from "../store/port.ts";
import { openForReading } from "./access.ts";
import { AnswerSize } from "./answer_size.ts";
import { type Collection, type StoredDocument } from "./collection.ts";
import type { Members } from "./document.ts";
import { type PopulateServices, Populator } from "./populate.ts";
import { createCollection } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER_PROJECT = "66f1a0c2e4b0a1b2c3d4e5f7";
const USER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const OTHER_USER = "bbbbbbbbbbbbbbbbbbbbbbbb";
const SECRET: Caller = { kind: "secret", projectId: PROJECT };
const VISITOR: Caller = { kind: "publishable", projectId: PROJECT, userId: null };
const OWNER: Caller = { ...VISITOR, userId: USER };

const id = (n: number): Id => n.toString(16).padStart(24, "0");

const TAGS = {
  name: "tags",
  rls: { mode: "public-read" },
  fields: [{ key: "next", type: "Ref", ref: "tags" }],
};
const NOTES = { name: "notes" };
const POSTS = {
  name: "posts",
  rls: { mode: "public-read" },
  fields: [
    { key: "tag", type: "Ref", ref: "tags" },
    { key: "note", type: "Ref", ref: "notes" },
    { key: "author", type: "Ref", ref: "users" },
    { key: "tags", type: "Array", items: { type: "Ref", ref: "tags" } },
    { key: "o", type: "Object", fields: [{ key: "tag", type: "Ref", ref: "tags" }] },
  ],
};

async function setup(): Promise<TestServices> {
  const opened = await openTestServices();
  for (const input of [TAGS, NOTES, POSTS]) {
    await createCollection(opened.services, PROJECT, input);
  }
  return opened;
}

/** Stores documents without validation, with the ids 1, 2, 3 and so on. */
async function store(
  { services }: TestServices,
  { name }: { readonly name: string },
  documents: readonly { readonly [name: string]: Json }[],
  projectId = PROJECT,
): Promise<void> {
  const { records: definition } = (await services.catalog.find(projectId, name))!;
  await services.engine.records<StoredDocument>(projectId, definition, BY_KEY)
    .insertMany(documents.map((members, n) => ({
      _id: id(n + 1),
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
      isDeleted: false,
      deletedAt: null,
      ...members,
    })));
}

/** Populates documents of `posts`. */
async function populatedPosts(
  { services }: TestServices,
  caller: Caller,
  paths: readonly string[],
  ...documents: Members[]
): Promise<Members[]> {
  const { collection } = await openForReading(services, SECRET, "posts");
  return await populated(services, caller, { collection, paths }, structuredClone(documents));
}

async function populated(
  services: PopulateServices,
  caller: Caller,
  { collection, paths }: { collection: Collection; paths: readonly string[] },
  documents: readonly Members[],
): Promise<Members[]> {
  const presentation = { populate: paths, projection: null };
  const size = new AnswerSize();
  const populator = await Populator.open(services, caller, { collection, presentation, size });
  const bytes = await populator.populate(documents);
  return documents.map((document, i) => {
    const text = populator.text(document);
    assert.ok(bytes[i]! <= text.length);
    return JSON.parse(text) as Members;
  });
}

const nameOf = (value: Json | undefined) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value.name : value;

Deno.test("populate replaces an id by the stored document", async () => {
  await using opened = await setup();
  await store(opened, TAGS, [{ name: "one", deep: { a: [1] } }]);
  const [post] = await populatedPosts(opened, VISITOR, ["tag"], { _id: id(9), tag: id(1), x: 1 });
  assert.deepEqual(post, {
    _id: id(9),
    tag: {
      _id: id(1),
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
      isDeleted: false,
      deletedAt: null,
      name: "one",
      deep: { a: [1] },
    },
    x: 1,
  });
});

Deno.test("populate follows references in lists and objects", async () => {
  await using opened = await setup();
  await store(opened, TAGS, [{ name: "one" }, { name: "two" }]);
  const [post] = await populatedPosts(opened, VISITOR, ["tags", "o.tag"], {
    tags: [id(2), id(1), id(7), null, id(2)],
    o: { tag: id(1) },
  });
  assert.deepEqual((post!.tags as Json[]).map(nameOf), ["two", "one", id(7), null, "two"]);
  assert.equal(nameOf((post!.o as Members).tag), "one");
});

Deno.test("populate leaves missing, null and invalid references unchanged", async () => {
  await using opened = await setup();
  await store(opened, TAGS, [{ name: "one" }]);
  const odd: Members[] = [{}, { tag: null }, { tag: 5 }, { tag: { _id: id(1) } }, { tag: "one" }];
  assert.deepEqual(await populatedPosts(opened, SECRET, ["tag", "o.tag"], ...odd), odd);
  const holders: Members[] = [{ o: null }, { o: 5 }, { o: [] }, { o: [{ tag: id(1) }] }];
  assert.deepEqual(await populatedPosts(opened, SECRET, ["o.tag"], ...holders), holders);
});

Deno.test("populate keeps ids of documents that the caller may not see", async () => {
  await using opened = await setup();
  await store(opened, NOTES, [
    { name: "own", userId: USER },
    { name: "foreign", userId: OTHER_USER },
    { name: "nobody's" },
  ]);
  const posts = [1, 2, 3].map((n): Members => ({ note: id(n) }));
  const seen = async (caller: Caller) =>
    (await populatedPosts(opened, caller, ["note"], ...posts)).map(({ note }) => nameOf(note));
  assert.deepEqual(await seen(SECRET), ["own", "foreign", "nobody's"]);
  assert.deepEqual(await seen(OWNER), ["own", id(2), id(3)]);
  assert.deepEqual(await seen(VISITOR), [id(1), id(2), id(3)]);
});

Deno.test("populate keeps ids of documents in the trash, for every caller", async () => {
  await using opened = await setup();
  await store(opened, NOTES, [{ name: "own", userId: USER, isDeleted: true }]);
  for (const caller of [SECRET, OWNER]) {
    assert.deepEqual(await populatedPosts(opened, caller, ["note"], { note: id(1) }), [{
      note: id(1),
    }]);
  }
});

Deno.test("populate keeps ids of documents of another project", async () => {
  await using opened = await setup();
  await createCollection(opened.services, OTHER_PROJECT, TAGS);
  await store(opened, TAGS, [{ name: "elsewhere" }], OTHER_PROJECT);
  assert.deepEqual(await populatedPosts(opened, SECRET, ["tag"], { tag: id(1) }), [{ tag: id(1) }]);
});

Deno.test("populate keeps ids of a deleted collection", async () => {
  await using opened = await setup();
  const { services } = opened;
  await store(opened, TAGS, [{ name: "one" }]);
  await services.engine.records(PROJECT, {
    name: "_collections",
    fields: {},
    indexes: [],
    trash: false,
  }).deleteOne(eq("name", "tags"));
  services.catalog.forget(PROJECT, "tags");
  assert.deepEqual(await populatedPosts(opened, SECRET, ["tag"], { tag: id(1) }), [{ tag: id(1) }]);
});

Deno.test("populate shows only public profiles and public fields of users, to every caller", async () => {
  await using opened = await setup();
  const { services } = opened;
  const input = { email: "ada@example.com", verified: true };
  const [ada, bob] = [
    await createUser(services, PROJECT, input),
    await createUser(services, PROJECT, { ...input, email: "bob@example.com" }),
  ];
  await services.engine.records<UserRecord>(PROJECT, USERS)
    .updateOne(eq("_id", ada), {
      set: {
        name: "Ada",
        username: "ada",
        avatarUrl: "https://example.com/a.png",
        fields: { company: "Engines", phone: "+44 1815" },
      },
    });
  await saveUserFields(services, PROJECT, [
    { key: "company", type: "String", public: true },
    { key: "phone", type: "String" },
  ]);
  const createdAt = "2026-01-31T12:00:00.000Z";
  for (const caller of [SECRET, OWNER, VISITOR]) {
    const posts = await populatedPosts(
      opened,
      caller,
      ["author"],
      { author: ada },
      { author: bob },
      {
        author: id(1),
      },
    );
    assert.deepEqual(posts, [
      {
        author: {
          _id: ada,
          username: "ada",
          name: "Ada",
          avatarUrl: "https://example.com/a.png",
          createdAt,
          company: "Engines",
        },
      },
      {
        author: {
          _id: bob,
          username: null,
          name: null,
          avatarUrl: null,
          createdAt,
          company: null,
        },
      },
      { author: id(1) },
    ]);
  }
});

Deno.test("populate follows only one level of a path with one name", async () => {
  await using opened = await setup();
  await store(opened, TAGS, [{ name: "one", next: id(1) }]);
  const [post] = await populatedPosts(opened, SECRET, ["tag"], { tag: id(1) });
  assert.equal((post!.tag as Members).next, id(1));
});

Deno.test("populate reads the targets of a field with one query", async () => {
  await using opened = await setup();
  const { services } = opened;
  await store(opened, TAGS, Array.from({ length: 50 }, (_, n) => ({ name: `${n}` })));
  const { collection } = await openForReading(services, SECRET, "posts");
  await services.catalog.find(PROJECT, "tags");
  const queries: number[] = [];
  const engine = new Proxy(services.engine, {
    get: (target, property) =>
      property !== "records"
        ? Reflect.get(target, property, target)
        : <T extends StoredRecord>(space: Space, definition: Definition) => ({
          list(query: ListQuery) {
            queries.push(query.limit);
            return target.records<T>(space, definition).list(query);
          },
        }),
  });
  const documents = Array.from({ length: 100 }, (_, n): Members => ({ tag: id(1 + n % 50) }));
  const input = { collection, paths: ["tag"] };
  const found = await populated({ ...services, engine }, SECRET, input, documents);
  assert.deepEqual(queries, [50]);
  assert.equal(found.filter(({ tag }) => typeof tag === "object").length, 100);
});

Deno.test("populate follows all references of a list of more than a thousand", async () => {
  await using opened = await setup();
  await store(opened, TAGS, Array.from({ length: 1500 }, (_, n) => ({ name: `${n}` })));
  const tags = Array.from({ length: 1500 }, (_, n) => id(n + 1));
  const [post] = await populatedPosts(opened, SECRET, ["tags"], { tags });
  const names = (post!.tags as Json[]).map(nameOf);
  assert.equal(names[1499], "1499");
  assert.equal(names.filter((name) => name === undefined || name === null).length, 0);
});
