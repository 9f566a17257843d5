import assert from "node:assert/strict";
import { createProject } from "@/lib/projects/create_project.ts";
import { reseal } from "@/lib/operations/reseal.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createTestStore, database, type TestStore } from "@/tests/support/test_store.ts";
import { KNOWN_KEYS, readKnownKeys } from "./known_keys.ts";
import { ALL } from "../store/filter.ts";

const key = (id: string, letter = id[0]!) => `${id}:${btoa(letter.repeat(32))}`;
const open = (store: TestStore, ...keys: string[]) =>
  openTestServices({ store, env: { SECRET_KEYS: keys.join(",") } });

/** Opens and closes a store. */
async function start(store: TestStore, ...keys: string[]): Promise<void> {
  await using _ = await open(store, ...keys);
}

const STORE = { name: "StoreMismatch" };

Deno.test("a store opens only with all keys that it needs", async () => {
  await using store = await createTestStore();
  await start(store, key("one"));
  await start(store, key("one"));
  await start(store, key("two"), key("one"));
  for (const keys of [[key("one")], [key("two")], [key("three")]]) {
    await assert.rejects(() => start(store, ...keys), STORE);
  }
  await start(store, key("one"), key("two"));
});

Deno.test("a different key under a known id is refused, also if that key is retired", async () => {
  await using store = await createTestStore();
  await start(store, key("one"));
  const isDifferent = { ...STORE, message: /^The key "one" of the key ring is not the one/ };
  await assert.rejects(() => start(store, key("one", "x")), isDifferent);
  {
    await using opened = await open(store, key("two"), key("one"));
    assert.equal((await reseal(opened.services)).ok, true);
  }
  await start(store, key("two"));
  await assert.rejects(() => start(store, key("two"), key("one", "x")), isDifferent);
  await start(store, key("one"), key("two"));
  await assert.rejects(() => start(store, key("two")), STORE, "the key seals again");
});

Deno.test("concurrent processes register a key once, with a fingerprint that does not reveal it", async () => {
  await using store = await createTestStore();
  const opened = await Promise.all([1, 2, 3].map(() => open(store, key("one"))));
  const known = await readKnownKeys(opened[0]!.services.engine);
  assert.equal(known.length, 1);
  assert.match(known[0]!.fingerprint, /^[\w-]{43}$/);
  assert.ok(!JSON.stringify(known).includes(btoa("o".repeat(32)).slice(0, 8)));
  for (const one of opened) await one[Symbol.asyncDispose]();
});

Deno.test("at most one of two processes with different keys starts concurrently", async () => {
  await using store = await createTestStore();
  const ends = await Promise.allSettled([start(store, key("one")), start(store, key("two"))]);
  const started = ends.filter(({ status }) => status === "fulfilled").length;
  assert.ok(started <= 1, "two rings that do not know each other do not share a store");
});

Deno.test("reseal names values that no key can open, and retires no key", async () => {
  await using store = await createTestStore();
  {
    await using first = await open(store, key("one"));
    await createProject(first.services, { name: "Sealed", siteUrl: null });
    // Earlier versions did not register keys.
    await first.services.engine.records("control", KNOWN_KEYS).deleteMany(ALL, 10);
  }
  await using wrong = await open(store, key("one", "x"), key("old"));
  const { ok, unopened } = await reseal(wrong.services);
  assert.deepEqual([ok, unopened.length], [false, 1]);
  assert.ok(
    (await readKnownKeys(wrong.services.engine)).every(({ retiredAt }) => retiredAt === null),
  );
});

Deno.test({
  name: "a data folder without its key ring is not opened with a new one",
  ignore: database !== "sqlite", // On MongoDB the ring is always given.
  async fn() {
    await using store = await createTestStore();
    const path = `${store.folder}/secret-keys`;
    {
      await using opened = await openTestServices({ store });
      await createProject(opened.services, { name: "Sealed", siteUrl: null });
    }
    const keyRing = await Deno.readTextFile(path);
    const missing = { ...STORE, message: /secret-keys" is missing.*put back its copy/s };
    const isMissing = async () => {
      await Deno.remove(path);
      await assert.rejects(() => openTestServices({ store }), missing);
      await assert.rejects(() => Deno.stat(path), Deno.errors.NotFound);
      await Deno.writeTextFile(path, keyRing);
    };
    await isMissing();
    {
      await using opened = await openTestServices({ store });
      await opened.services.engine.records("control", KNOWN_KEYS).deleteMany(ALL, 10);
    }
    await isMissing(); // Also in a store of an earlier version.
    await using _ = await openTestServices({ store });
  },
});
