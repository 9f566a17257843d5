import assert from "node:assert/strict";
import { engineOver } from "@/tests/support/engine_over.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import { BlobsUnavailable } from "./blobs.ts";
import { enqueue, type JobRecord, JOBS } from "../jobs/jobs.ts";
import { OBJECT_REMOVAL } from "./removals.ts";
import { newPath } from "./paths.ts";
import { requestUpload } from "./request_upload.ts";
import { INTERNAL_TARGET } from "./stores.ts";
import { findUpload, STORAGE_USAGE, type StorageUsageRecord } from "./uploads.ts";
import { UPLOAD_HOLD_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Services } from "../services.ts";
import { UniqueViolation } from "../store/errors.ts";
import { ALL, and, eq } from "../store/filter.ts";
import {
  clearStorage,
  describeStorage,
  findStorage,
  openStorageKeys,
  STORAGE_SETTINGS,
  type StorageRecord,
} from "./storage_settings.ts";
import { setStorage } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER = "66f1a0c2e4b0a1b2c3d4e5f7";

const KEY_ID = "AKIAIOSFODNN7EXAMPLE";
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const { accessKeyId, secretAccessKey, ...SETTINGS } = {
  endpoint: "https://s3.example.com",
  bucket: "photos",
  accessKeyId: KEY_ID,
  secretAccessKey: SECRET,
};
const GIVEN = { ...SETTINGS, accessKeyId, secretAccessKey };
const TARGET = "https://s3.example.com/photos";

const keysOf = async (services: Services, projectId = PROJECT) => {
  const { value } = (await findStorage(services, projectId))!;
  const { accessKeyId, secretAccessKey } = await openStorageKeys(services.keyRing, value);
  return [accessKeyId.reveal(), secretAccessKey.reveal()];
};

const usageRecords = ({ engine }: Services, projectId = PROJECT) =>
  engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE);

const usageOf = async (services: Services, projectId = PROJECT) =>
  (await usageRecords(services, projectId).get(projectId))?.value ?? null;

/** Counts an upload as a request does; false if the project's store is no longer `target`. */
const addUpload = async (services: Services, target = TARGET) =>
  await usageRecords(services).updateOne(and(eq("_id", PROJECT), eq("target", target)), {
    increment: { external: 1 },
  }) !== null;

const removeUpload = (services: Services) =>
  usageRecords(services).updateOne(eq("_id", PROJECT), { increment: { external: -1 } });

const isProblem = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === code && message.test(error.message);

/** Returns the stored settings and usage of a project, as text. */
const storedText = async (services: Services, projectId = PROJECT) =>
  [
    (await findStorage(services, projectId))?.json,
    (await usageRecords(services, projectId).get(projectId))?.json,
  ].join("\n");

Deno.test("setStorage gives a bucket to one project and to no other", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await clearStorage(services, PROJECT);
  assert.equal(await findStorage(services, PROJECT), null);
  assert.equal(await usageOf(services), null);
  const settings = await setStorage(services, PROJECT, GIVEN);
  assert.deepEqual(settings, {
    ...SETTINGS,
    target: TARGET,
    region: "us-east-1",
    pathStyle: true,
    publicUrl: null,
  });
  assert.deepEqual(await keysOf(services), [KEY_ID, SECRET]);
  assert.equal((await usageOf(services))?.target, TARGET);
  assert.equal(await findStorage(services, OTHER), null);
  assert.equal(await usageOf(services, OTHER), null);
});

Deno.test("setStorage seals keys for their project and target and never shows them", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const settings = await setStorage(services, PROJECT, GIVEN);
  const { json, value } = (await findStorage(services, PROJECT))!;
  const texts = [json, JSON.stringify(settings), JSON.stringify(describeStorage(settings))];
  for (const text of [...texts, Deno.inspect(await openStorageKeys(services.keyRing, value))]) {
    for (const key of [KEY_ID, SECRET]) assert.equal(text.includes(key), false, text);
  }
  await assert.rejects(openStorageKeys(services.keyRing, { ...value, _id: OTHER }));
  await assert.rejects(openStorageKeys(services.keyRing, { ...value, target: "elsewhere/photos" }));
});

Deno.test("describeStorage returns the bucket and that it has keys", () => {
  const settings = {
    ...SETTINGS,
    target: TARGET,
    region: "auto",
    pathStyle: true,
    publicUrl: null,
  };
  assert.deepEqual(describeStorage(settings), {
    provider: "external",
    ...SETTINGS,
    region: "auto",
    pathStyle: true,
    publicUrl: null,
    hasKeys: true,
  });
});

Deno.test("setStorage changes keys, region, publicUrl and pathStyle of a bucket with files", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await setStorage(services, PROJECT, GIVEN);
  assert.ok(await addUpload(services));
  clock.advance(1000);
  const changes = { region: "auto", pathStyle: false, publicUrl: "https://cdn.example.com" };
  const changed = await setStorage(services, PROJECT, {
    ...SETTINGS,
    ...changes,
    accessKeyId: "AKIANEW",
    secretAccessKey: "new-secret",
  });
  assert.partialDeepStrictEqual(changed, changes);
  assert.deepEqual(await keysOf(services), ["AKIANEW", "new-secret"]);
  const { value } = (await findStorage(services, PROJECT))!;
  assert.partialDeepStrictEqual(value, { ...changes, target: TARGET });
  assert.ok(value.createdAt < value.updatedAt);
  assert.partialDeepStrictEqual(await usageOf(services), { target: TARGET, external: 1 });
});

Deno.test("setStorage without keys keeps those of the same endpoint and bucket", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const missing = isProblem("INVALID_INPUT", /^accessKeyId and secretAccessKey are missing/);
  await assert.rejects(setStorage(services, PROJECT, SETTINGS), missing);
  assert.equal(await findStorage(services, PROJECT), null);
  await setStorage(services, PROJECT, GIVEN);
  await setStorage(services, PROJECT, { ...SETTINGS, publicUrl: "https://cdn.example.com" });
  assert.deepEqual(await keysOf(services), [KEY_ID, SECRET]);
  const before = await storedText(services);
  for (const place of [{ endpoint: "https://evil.example" }, { bucket: "others" }]) {
    await assert.rejects(setStorage(services, PROJECT, { ...SETTINGS, ...place }), missing);
  }
  assert.equal(await storedText(services), before, "a refusal changes nothing");
});

Deno.test("setStorage and clearStorage refuse to leave a bucket with files", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await setStorage(services, PROJECT, GIVEN);
  assert.ok(await addUpload(services));
  const before = await storedText(services);
  const one = isProblem("STORAGE_IN_USE", /^1 file or upload is /);
  await assert.rejects(setStorage(services, PROJECT, { ...GIVEN, bucket: "others" }), one);
  assert.equal(await storedText(services), before, "a refusal changes nothing");
  assert.ok(await addUpload(services));
  const two = isProblem("STORAGE_IN_USE", /^2 files and uploads are /);
  const elsewhere = { ...GIVEN, endpoint: "https://s4.example.com" };
  await assert.rejects(setStorage(services, PROJECT, elsewhere), two);
  await assert.rejects(clearStorage(services, PROJECT), two);
  assert.partialDeepStrictEqual(await usageOf(services), { target: TARGET, external: 2 });
  assert.deepEqual(await keysOf(services), [KEY_ID, SECRET]);
});

Deno.test("setStorage and clearStorage leave a bucket after its last file is removed", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await setStorage(services, PROJECT, GIVEN);
  assert.ok(await addUpload(services));
  await removeUpload(services);
  await setStorage(services, PROJECT, { ...GIVEN, bucket: "others" });
  assert.equal((await usageOf(services))?.target, "https://s3.example.com/others");
  await clearStorage(services, PROJECT);
  assert.equal(await findStorage(services, PROJECT), null);
  assert.equal((await usageOf(services))?.target, INTERNAL_TARGET);
  await clearStorage(services, PROJECT);
});

Deno.test("setStorage accepts a bucket while the internal store has files", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const sums = { used: 5, reserved: 2, held: 7, external: 0 };
  await usageRecords(services).insert({ _id: PROJECT, ...sums, target: INTERNAL_TARGET });
  await setStorage(services, PROJECT, GIVEN);
  assert.deepEqual(await usageOf(services), { _id: PROJECT, ...sums, target: TARGET });
  await clearStorage(services, PROJECT);
  assert.deepEqual(await usageOf(services), { _id: PROJECT, ...sums, target: INTERNAL_TARGET });
});

Deno.test("a concurrent change of the store leaves no upload in the former store", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  for (let round = 0; round < 10; round++) {
    await setStorage(services, PROJECT, GIVEN);
    const uploads = () => Array.from({ length: 5 }, () => addUpload(services));
    const [before, change, after] = await Promise.all([
      Promise.all(uploads()),
      (round % 2 === 0
        ? clearStorage(services, PROJECT)
        : setStorage(services, PROJECT, { ...GIVEN, bucket: "others" }))
        .then(() => true, (error) => {
          assert.ok(isProblem("STORAGE_IN_USE", /./)(error), String(error));
          return false;
        }),
      Promise.all(uploads()),
    ]);
    const added = [...before, ...after].filter(Boolean).length;
    const usage = (await usageOf(services))!;
    const settings = await findStorage(services, PROJECT);
    assert.equal(usage.external, added);
    assert.ok(!(change && added > 0), "uploads were counted for the former store");
    assert.equal(usage.target, settings?.value.target ?? INTERNAL_TARGET);
    for (let left = added; left > 0; left--) await removeUpload(services);
  }
});

Deno.test("concurrent setStorage calls store one complete bucket", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const names = Array.from({ length: 20 }, (_, index) => `bucket-${index}`);
  await Promise.all(names.map((bucket) =>
    setStorage(services, PROJECT, {
      ...GIVEN,
      bucket,
      accessKeyId: bucket,
      secretAccessKey: bucket,
    })
  ));
  const { value } = (await findStorage(services, PROJECT))!;
  assert.ok(names.includes(value.bucket));
  assert.deepEqual(await keysOf(services), [value.bucket, value.bucket]);
  assert.equal((await usageOf(services))?.target, value.target);
  const count = await services.engine.records<StorageRecord>(PROJECT, STORAGE_SETTINGS)
    .count(ALL);
  assert.equal(count, 1);
});

/** Returns services in which every removal of an object calls `remove`. */
function withBucket(services: Services, remove: () => Promise<void>) {
  const blobs = Object.assign(Object.create(services.blobStores.internal), { remove });
  const blobStores = { ...services.blobStores, blobsOf: () => Promise.resolve(blobs) };
  return { ...services, blobStores };
}

const removalRecords = ({ engine }: Services) => engine.records<JobRecord>(PROJECT, JOBS);

const enqueueRemoval = async (services: Services, target: string) =>
  void await services.engine.transaction(PROJECT, (tx) => {
    const { name: kind } = OBJECT_REMOVAL;
    return enqueue(tx, services, [{
      subject: newPath(PROJECT, crypto.randomUUID(), "x"),
      lane: target,
    }], { kind });
  });

Deno.test("clearStorage first ends expired uploads and runs pending removals", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await setStorage(services, PROJECT, GIVEN);
  const { filePath } = await requestUpload(
    withBucket(services, () => Promise.resolve()),
    PROJECT,
    { filename: "a.txt", contentType: "text/plain", bytes: 5 },
  );
  await enqueueRemoval(services, TARGET);
  let removed = 0;
  const bucket = withBucket(services, () => {
    removed++;
    return Promise.resolve();
  });
  await assert.rejects(clearStorage(bucket, PROJECT), isProblem("STORAGE_IN_USE", /^1 file/));
  assert.equal(await findUpload(services, PROJECT, filePath) !== null, true);
  clock.advance(UPLOAD_HOLD_MS + 1);
  await clearStorage(bucket, PROJECT);
  assert.equal(removed, 6, "the staged, private and stored objects of 2 paths");
  assert.equal(await removalRecords(services).count(ALL), 0);
  assert.equal(await findUpload(services, PROJECT, filePath), null);
  assert.partialDeepStrictEqual(await usageOf(services), { target: INTERNAL_TARGET, external: 0 });
});

Deno.test("clearStorage leaves an unavailable bucket and drops only its removals", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await setStorage(services, PROJECT, GIVEN);
  await enqueueRemoval(services, TARGET);
  await enqueueRemoval(services, INTERNAL_TARGET);
  let calls = 0;
  const unavailable = withBucket(services, () => {
    calls++;
    return Promise.reject(new BlobsUnavailable("unavailable"));
  });
  await setStorage(unavailable, PROJECT, { ...GIVEN, region: "auto" });
  assert.equal(calls, 0, "a bucket that does not change is not called");
  assert.equal(await removalRecords(services).count(ALL), 2);
  await clearStorage(unavailable, PROJECT);
  const left = await removalRecords(services).findOne(ALL);
  assert.equal(await removalRecords(services).count(ALL), 1);
  assert.equal(left?.value.lane, INTERNAL_TARGET);
});

Deno.test("setStorage tries again if another process creates the record first", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  let tries = 0;
  const engine = engineOver(services.engine, {
    transaction: (space, work) =>
      ++tries === 1
        ? Promise.reject(new UniqueViolation("_id"))
        : services.engine.transaction(space, work),
  });
  await setStorage({ ...services, engine }, PROJECT, GIVEN);
  assert.equal(tries, 2);
  assert.equal((await usageOf(services))?.target, TARGET);
});

Deno.test("setStorage refuses invalid settings and stores nothing", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const refused = isProblem("INVALID_INPUT", /endpoint must/);
  for (const endpoint of ["http://s3.example.com", "https://127.0.0.1", "s3.example.com"]) {
    await assert.rejects(setStorage(services, PROJECT, { ...GIVEN, endpoint }), refused);
  }
  assert.equal(await findStorage(services, PROJECT), null);
  assert.equal(await usageOf(services), null);
});

Deno.test("setStorage accepts a local endpoint if ALLOW_PRIVATE_ENDPOINTS is set", async () => {
  await using opened = await openTestServices({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const { services } = opened;
  const endpoint = "http://127.0.0.1:7480";
  const settings = await setStorage(services, PROJECT, { ...GIVEN, endpoint });
  assert.equal(settings.endpoint, endpoint);
});
