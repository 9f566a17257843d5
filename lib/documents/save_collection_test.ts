import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import type { Services } from "../services.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Json } from "../store/port.ts";
import type { Caller } from "../auth/principals.ts";
import { openForReading, openForWriting } from "./access.ts";
import { writeDocument } from "./write_document.ts";
import { definitionTags, getCollection, listCollections } from "./save_collection.ts";
import { createCollection, updateCollection } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER_PROJECT = "66f1a0c2e4b0a1b2c3d4e5f7";
const SECRET: Caller = { kind: "secret", projectId: PROJECT };

const withFields = (...fields: Record<string, unknown>[]) => ({
  name: "posts",
  rls: { enabled: false },
  fields,
});
const field = (key: string, type: string, parts: Record<string, unknown> = {}) => ({
  key,
  type,
  ...parts,
});

async function insert(
  services: Services,
  ...bodies: { [name: string]: Json }[]
): Promise<string[]> {
  const target = await openForWriting(services, SECRET, "posts");
  const ids: string[] = [];
  for (const body of bodies) {
    const { json } = await writeDocument(services, target, { action: "create", body });
    ids.push(JSON.parse(json)._id);
  }
  return ids;
}

/** Asserts that an update is rejected with violations and does not change the definition. */
async function assertConflict(services: Services, input: unknown, why: RegExp): Promise<void> {
  const before = await listCollections(services, PROJECT);
  await assert.rejects(updateCollection(services, PROJECT, input), {
    code: "DEFINITION_CONFLICT",
    message: why,
  });
  assert.deepEqual(await listCollections(services, PROJECT), before);
}

Deno.test("createCollection stores the defaults, and the collection can be used immediately", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const stored = await createCollection(services, PROJECT, { name: "posts" });
  assert.deepEqual(await listCollections(services, PROJECT), [stored]);
  assert.equal(stored.rls.mode, "private");
  await insert(services, { title: "a" });
});

Deno.test("getCollection reads the current definition of exactly this name and project", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, { name: "posts" });
  const stored = await updateCollection(services, PROJECT, { name: "posts", strict: true });
  assert.deepEqual(await getCollection(services, PROJECT, "posts"), stored);
  for (const [project, name] of [[PROJECT, "Posts"], [PROJECT, "x"], [OTHER_PROJECT, "posts"]]) {
    await assert.rejects(getCollection(services, project!, name!), {
      code: "COLLECTION_NOT_FOUND",
    });
  }
});

Deno.test("listCollections returns the definitions of one project, ordered by name", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  for (const name of ["b", "c", "a"]) await createCollection(services, PROJECT, { name });
  await createCollection(services, OTHER_PROJECT, { name: "d" });
  const names = (await listCollections(services, PROJECT)).map(({ name }) => name);
  assert.deepEqual(names, ["a", "b", "c"]);
});

Deno.test("createCollection rejects an existing name of the project in any letter case", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, { name: "posts" });
  for (const name of ["posts", "Posts", "POSTS"]) {
    await assert.rejects(createCollection(services, PROJECT, { name, strict: true }), {
      code: "COLLECTION_EXISTS",
      status: 409,
    });
  }
  await createCollection(services, OTHER_PROJECT, { name: "POSTS" });
  const [only] = await listCollections(services, PROJECT);
  assert.equal(only?.strict, false);
});

Deno.test("of 20 concurrent createCollection calls with one name exactly one succeeds", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, () => createCollection(services, PROJECT, { name: "posts" })),
  );
  const refused = all.filter((one) => one.status === "rejected");
  assert.deepEqual(refused.map(({ reason }) => reason.code), Array(19).fill("COLLECTION_EXISTS"));
  assert.equal((await listCollections(services, PROJECT)).length, 1);
});

Deno.test("a Ref must name users, the collection itself, or an existing collection", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const refTo = (ref: string) => withFields(field("r", "Ref", { ref }));
  for (const ref of ["tags", "Users", "posts2", "_collections", "__proto__"]) {
    await assert.rejects(createCollection(services, PROJECT, refTo(ref)), {
      code: "INVALID_DEFINITION",
      message: new RegExp(`"${ref}", which does not exist: create it first`),
    });
  }
  assert.deepEqual(await listCollections(services, PROJECT), []);
  await createCollection(services, PROJECT, { name: "tags" });
  const fields = [
    field("author", "Ref", { ref: "users" }),
    field("parent", "Ref", { ref: "posts" }),
    field("tags", "Array", { items: { type: "Ref", ref: "tags" } }),
  ];
  assert.ok(await createCollection(services, PROJECT, withFields(...fields)));
  await assert.rejects(updateCollection(services, PROJECT, refTo("Tags")), {
    code: "INVALID_DEFINITION",
  });
});

Deno.test("fields whose names differ only in case are different, also if both are indexed", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const fields = ["a", "A"].map((key) => field(key, "String", { index: true, unique: true }));
  await createCollection(services, PROJECT, withFields(...fields));
  await insert(services, { a: "x", A: "y" });
  await assert.rejects(insert(services, { A: "y" }), { code: "DUPLICATE_VALUE" });
  await insert(services, { A: "x", a: "y" });
});

Deno.test("updateCollection replaces the entire definition with immediate effect", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, withFields(field("a", "String")));
  await insert(services, { a: "x" });
  const stored = await updateCollection(services, PROJECT, {
    ...withFields(field("b", "Number")),
    strict: true,
  });
  assert.deepEqual(await listCollections(services, PROJECT), [stored]);
  await assert.rejects(insert(services, { a: "y" }), { code: "INVALID_DOCUMENT" });
});

Deno.test("fields that are no longer declared keep their values, without constraints", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const unique = field("a", "String", { unique: true });
  await createCollection(services, PROJECT, withFields(unique));
  const [id] = await insert(services, { a: "x" });
  await updateCollection(services, PROJECT, withFields());
  const { records } = await openForReading(services, SECRET, "posts");
  assert.equal((await records.get(id!))?.value.a, "x");
  await insert(services, { a: "x" }, { a: 5 });
});

Deno.test("updateCollection requires a collection of exactly this name", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, { name: "posts" });
  for (const name of ["Posts", "other"]) {
    await assert.rejects(updateCollection(services, PROJECT, { name }), {
      code: "COLLECTION_NOT_FOUND",
    });
  }
  await assert.rejects(updateCollection(services, OTHER_PROJECT, { name: "posts" }), {
    code: "COLLECTION_NOT_FOUND",
  });
});

Deno.test("updateCollection rejects an invalid definition and keeps the stored definition", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const stored = await createCollection(services, PROJECT, { name: "posts" });
  await assert.rejects(updateCollection(services, PROJECT, withFields(field("_id", "String"))), {
    code: "INVALID_DEFINITION",
  });
  assert.deepEqual(await listCollections(services, PROJECT), [stored]);
});

Deno.test("updateCollection rejects a new type that stored documents violate, and names them", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, withFields());
  const [first] = await insert(services, { n: "1" }, { n: 2 }, { n: null }, {});
  const why = new RegExp(`not fit the new definition\\. ${first}: "n" must be a Number\\.$`);
  await assertConflict(services, withFields(field("n", "Number")), why);
});

Deno.test("updateCollection rejects a violated unique field and leaves no index", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, withFields(field("a", "String")));
  const [, second] = await insert(services, { a: "x" }, { a: "x" }, { a: "y" });
  const unique = withFields(field("a", "String", { unique: true }));
  await assertConflict(services, unique, new RegExp(`${second}: "a" is not unique\\.$`));
  await insert(services, { a: "y" });
});

Deno.test("updateCollection enforces a new unique field", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, withFields(field("a", "String")));
  await insert(services, { a: "x" }, { a: null }, { a: null }, {});
  await updateCollection(services, PROJECT, withFields(field("a", "String", { unique: true })));
  await assert.rejects(insert(services, { a: "x" }), { code: "DUPLICATE_VALUE" });
  const { records } = await openForReading(services, SECRET, "posts");
  assert.equal(await records.count(ALL), 4);
});

Deno.test("updateCollection names the first ten violations", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, withFields());
  const bodies = Array.from({ length: 12 }, (_, n) => ({ a: n }));
  const ids = await insert(services, ...bodies);
  const refusal = await updateCollection(services, PROJECT, withFields(field("a", "String")))
    .catch((error) => error.message);
  for (const [n, id] of ids.entries()) assert.equal(refusal.includes(id), n < 10, `document ${n}`);
});

Deno.test("documents in the trash must be valid, but may repeat unique values", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, withFields());
  const [first, second] = await insert(services, { a: "x", b: 1 }, { a: "x", b: "2" });
  const { records } = await openForWriting(services, SECRET, "posts");
  await records.updateOne(eq("_id", second!), { set: { isDeleted: true } });
  await updateCollection(
    services,
    PROJECT,
    withFields(field("a", "String", { unique: true })),
  );
  await assertConflict(
    services,
    withFields(field("a", "String", { unique: true }), field("b", "Number")),
    new RegExp(`${second}: "b" must be a Number`),
  );
  assert.ok(first);
});

Deno.test("of concurrent changes of one state of a definition only one is stored", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const seen = definitionTags(await createCollection(services, PROJECT, withFields()));
  const changes = Array.from({ length: 20 }, (_, n) => withFields(field(`f${n}`, "String")));
  const all = await Promise.allSettled(
    changes.map((change) => updateCollection(services, PROJECT, change, seen)),
  );
  const stored = all.filter(({ status }) => status === "fulfilled");
  assert.equal(stored.length, 1);
  for (const one of all) {
    if (one.status === "rejected") assert.equal(one.reason.code, "PRECONDITION_FAILED");
  }
  const now = await getCollection(services, PROJECT, "posts");
  assert.equal(now.fields.length, 1);
  await updateCollection(services, PROJECT, withFields(), definitionTags(now));
  assert.deepEqual(definitionTags(await getCollection(services, PROJECT, "posts")), seen);
});

Deno.test("a rejected definition has the paths of violated fields and missing references", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, { name: "posts" });
  await insert(services, { title: 1, rank: "a" });
  const fields = [{ key: "title", type: "String" }, { key: "rank", type: "Number" }];
  await assert.rejects(updateCollection(services, PROJECT, { name: "posts", fields }), {
    code: "DEFINITION_CONFLICT",
    faults: [{ path: "title", message: "must be a String" }],
  });
  const ref = { type: "Ref", ref: "gone" };
  const message = "names a collection that does not exist";
  await assert.rejects(
    createCollection(services, PROJECT, {
      name: "others",
      fields: [{ key: "one", ...ref }, { key: "many", type: "Array", items: ref }],
    }),
    {
      code: "INVALID_DEFINITION",
      faults: [{ path: "one", message }, { path: "many.items", message }],
    },
  );
});
