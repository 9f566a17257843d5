import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { clearStorage } from "./storage_settings.ts";
import type { Services } from "../services.ts";
import { BlobsUnavailable } from "./blobs.ts";
import {
  createBlobStores,
  createExternalStores,
  type ExternalStores,
  type OpenedStorage,
} from "./external_stores.ts";
import { INTERNAL_TARGET } from "./stores.ts";
import { setStorage } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER = "66f1a0c2e4b0a1b2c3d4e5f7";
const GIVEN = {
  endpoint: "https://s3.example.com",
  bucket: "photos",
  accessKeyId: "key-1",
  secretAccessKey: "secret-1",
};
const TARGET = "https://s3.example.com/photos";

/**
 * Creates external stores without connections, and records the settings that each was opened with.
 */
function createStores({ engine, keyRing, blobStores }: Services, max?: number) {
  const opened: OpenedStorage[] = [];
  let failures = 0;
  const external = createExternalStores({
    engine,
    keyRing,
    open(storage) {
      if (failures-- > 0) return Promise.reject(new Error("no memory"));
      opened.push(storage);
      // A new object for each call, so that tests can compare identities.
      return Promise.resolve(Object.create(blobStores.internal));
    },
  }, max);
  return { external, opened, failNext: () => void (failures = 1) };
}

const storesOf = (services: Services, external: ExternalStores) =>
  createBlobStores(services.blobStores.internal, external, { ...services.config, ...services });

Deno.test("a project without its own store uses the internal store", async () => {
  await using fixture = await openTestServices();
  const { services } = fixture;
  const { external } = createStores(services);
  const { internal } = services.blobStores;
  const stores = storesOf(services, external);
  assert.equal(await external.find(PROJECT), null);
  assert.deepEqual(await stores.currentTarget(PROJECT), { name: INTERNAL_TARGET, blobs: internal });
  assert.equal(await stores.blobsOf(PROJECT, INTERNAL_TARGET), internal);
  await assert.rejects(stores.blobsOf(PROJECT, TARGET), BlobsUnavailable);
});

Deno.test("a project's store is opened once and cached until its settings change", async () => {
  await using fixture = await openTestServices();
  const { services } = fixture;
  const { external, opened } = createStores(services);
  const stores = storesOf(services, external);
  await setStorage(services, PROJECT, GIVEN);
  const first = await stores.currentTarget(PROJECT);
  assert.equal(first.name, TARGET);
  assert.equal((await stores.currentTarget(PROJECT)).blobs, first.blobs);
  assert.equal(await stores.blobsOf(PROJECT, TARGET), first.blobs);
  assert.equal(opened.length, 1);
  const [{ endpoint, bucket, accessKeyId, secretAccessKey }] = opened as [OpenedStorage];
  assert.deepEqual(
    {
      endpoint,
      bucket,
      accessKeyId: accessKeyId.reveal(),
      secretAccessKey: secretAccessKey.reveal(),
    },
    GIVEN,
  );
  assert.equal(await external.find(OTHER), null);
});

Deno.test("blobsOf finds the internal store for a project with its own store", async () => {
  await using fixture = await openTestServices();
  const { services } = fixture;
  const { internal } = services.blobStores;
  const stores = storesOf(services, createStores(services).external);
  await setStorage(services, PROJECT, GIVEN);
  assert.equal(await stores.blobsOf(PROJECT, INTERNAL_TARGET), internal);
  const elsewhere = stores.blobsOf(PROJECT, "https://s3.example.com/others");
  await assert.rejects(
    elsewhere,
    (error) => error instanceof BlobsUnavailable && error.message.includes("no longer"),
  );
});

Deno.test("settings changed by another process take effect with the next call", async () => {
  await using fixture = await openTestServices();
  await using another = await openTestServices({ store: fixture.store });
  const { external, opened } = createStores(fixture.services);
  const set = (changes: object) => setStorage(another.services, PROJECT, { ...GIVEN, ...changes });
  await set({});
  const first = await external.find(PROJECT);
  await set({ secretAccessKey: "secret-2" });
  const second = await external.find(PROJECT);
  assert.notEqual(second?.blobs, first?.blobs);
  assert.equal(opened.at(-1)?.secretAccessKey.reveal(), "secret-2");
  await set({ publicUrl: "https://cdn.example.com" });
  await external.find(PROJECT);
  assert.equal(opened.at(-1)?.publicUrl, "https://cdn.example.com");
  await set({ bucket: "others" });
  assert.equal((await external.find(PROJECT))?.name, "https://s3.example.com/others");
  await clearStorage(another.services, PROJECT);
  assert.equal(await external.find(PROJECT), null);
  await set({});
  assert.equal((await external.find(PROJECT))?.name, TARGET);
});

Deno.test("a store that failed to open is opened again with the next call", async () => {
  await using fixture = await openTestServices();
  const { services } = fixture;
  const { external, opened, failNext } = createStores(services);
  await setStorage(services, PROJECT, GIVEN);
  failNext();
  await assert.rejects(external.find(PROJECT), /no memory/);
  assert.equal((await external.find(PROJECT))?.name, TARGET);
  assert.equal(opened.length, 1);
});

Deno.test("concurrent calls share a store, and the number of cached stores is limited", async () => {
  await using fixture = await openTestServices();
  const { services } = fixture;
  const { external, opened } = createStores(services, 2);
  const projects = Array.from({ length: 3 }, () => services.newId());
  for (const project of projects) await setStorage(services, project, GIVEN);
  const found = await Promise.all(Array.from({ length: 20 }, () => external.find(projects[0]!)));
  assert.equal(new Set(found.map((target) => target?.blobs)).size, 1);
  assert.equal(opened.length, 1);
  for (const project of projects) await external.find(project);
  assert.equal(opened.length, 3);
  await external.find(projects[2]!);
  assert.equal(opened.length, 3, "the most recently used store is cached");
  await external.find(projects[0]!);
  assert.equal(opened.length, 4, "the least recently used store was dropped");
});
