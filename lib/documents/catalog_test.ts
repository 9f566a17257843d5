import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { eq } from "../store/filter.ts";
import type { Definition, Engine, Space, StoredRecord } from "../store/port.ts";
import { COLLECTIONS, createCatalog } from "./catalog.ts";
import { deleteCollection } from "./delete_collection.ts";
import { createCollection, updateCollection } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER_PROJECT = "66f1a0c2e4b0a1b2c3d4e5f7";
const POSTS = { name: "posts", fields: [{ key: "title", type: "String" }] };
const LONGER = { ...POSTS, strict: true };

/** Returns the engine with `around` called for each search for a definition. */
function interceptSearches(
  engine: Engine,
  around: (search: () => Promise<unknown>) => Promise<unknown>,
) {
  return new Proxy(engine, {
    get: (target, property) => {
      if (property !== "records") {
        const value = Reflect.get(target, property, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return <T extends StoredRecord>(space: Space, definition: Definition) =>
        new Proxy(target.records<T>(space, definition), {
          get: (records, name) => (...input: unknown[]) =>
            around(() => Reflect.get(records, name, records).apply(records, input)),
        });
    },
  });
}

Deno.test("find returns a collection of its exact name in its own project only", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, POSTS);
  assert.equal((await services.catalog.find(PROJECT, "posts"))?.definition.name, "posts");
  for (const name of ["Posts", "POSTS", "post", "posts2", "", "_collections", "users"]) {
    assert.equal(await services.catalog.find(PROJECT, name), null, name);
  }
  assert.equal(await services.catalog.find(OTHER_PROJECT, "posts"), null);
});

Deno.test("find returns a collection immediately after another process has created it", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const elsewhere = createCatalog(services.engine, clock);
  assert.equal(await elsewhere.find(PROJECT, "posts"), null);
  await createCollection(services, PROJECT, POSTS);
  assert.notEqual(await elsewhere.find(PROJECT, "posts"), null);
});

Deno.test("find reads a cached definition again after three seconds, and not before", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await createCollection(services, PROJECT, POSTS);
  let searches = 0;
  const catalog = createCatalog(
    interceptSearches(services.engine, (search) => {
      searches++;
      return search();
    }),
    clock,
  );
  await catalog.find(PROJECT, "posts");
  clock.advance(2999);
  await catalog.find(PROJECT, "posts");
  assert.equal(searches, 1);
  clock.advance(1);
  await catalog.find(PROJECT, "posts");
  assert.equal(searches, 2);
});

Deno.test("find returns the same compiled collection while the definition does not change", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await createCollection(services, PROJECT, POSTS);
  const first = await services.catalog.find(PROJECT, "posts");
  clock.advance(10_000);
  assert.equal(await services.catalog.find(PROJECT, "posts"), first);
});

Deno.test("a changed definition is visible immediately here, and within five seconds elsewhere", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const elsewhere = createCatalog(services.engine, clock);
  await createCollection(services, PROJECT, POSTS);
  for (const catalog of [services.catalog, elsewhere]) {
    assert.equal((await catalog.find(PROJECT, "posts"))?.definition.strict, false);
  }
  await updateCollection(services, PROJECT, LONGER);
  assert.equal((await services.catalog.find(PROJECT, "posts"))?.definition.strict, true);
  for (let seconds = 0; seconds < 5; seconds++) {
    clock.advance(1000);
    await elsewhere.find(PROJECT, "posts");
  }
  assert.equal((await elsewhere.find(PROJECT, "posts"))?.definition.strict, true);
});

Deno.test("find does not cache a definition that changes during the lookup", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await createCollection(services, PROJECT, POSTS);
  const [read, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = interceptSearches(services.engine, async (search) => {
    const found = await search();
    read.resolve();
    await resume.promise;
    return found;
  });
  const catalog = createCatalog(slow, clock);
  const early = catalog.find(PROJECT, "posts");
  await read.promise;
  await updateCollection({ ...services, catalog }, PROJECT, LONGER);
  resume.resolve();
  await early;
  assert.equal((await catalog.find(PROJECT, "posts"))?.definition.strict, true);
});

Deno.test("find returns null after a collection has been deleted", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await createCollection(services, PROJECT, POSTS);
  await services.catalog.find(PROJECT, "posts");
  await services.engine.records(PROJECT, COLLECTIONS).deleteOne(eq("name", "posts"));
  clock.advance(5000);
  assert.equal(await services.catalog.find(PROJECT, "posts"), null);
});

Deno.test("find returns a recreated collection of the same name within five seconds", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const elsewhere = createCatalog(services.engine, clock);
  await createCollection(services, PROJECT, { ...POSTS, rls: { enabled: false } });
  const first = await elsewhere.find(PROJECT, "posts");
  assert.equal(first?.definition.rls.enabled, false);
  await deleteCollection(services, PROJECT, "posts");
  // The new record has the revision of the deleted record.
  await createCollection(services, PROJECT, { ...POSTS, rls: { mode: "private" } });
  clock.advance(5000);
  const second = await elsewhere.find(PROJECT, "posts");
  assert.deepEqual(
    [second?.definition.rls.enabled, second?.definition.rls.mode],
    [true, "private"],
  );
  assert.notEqual(second?.records.name, first?.records.name, "its own table");
});
