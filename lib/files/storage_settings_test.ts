import assert from "node:assert/strict";
import { engineOver } from "@/tests/support/engine_over.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import { BlobsUnavailable } from "./blobs.ts";
import { enqueue, type JobRecord, JOBS } from "../jobs/jobs.ts";
import { OBJECT_REMOVAL } from "./removals.ts";
import { newPath } from "./paths.ts";
import { requestUpload } from "./request_upload.ts";
import { INTERNAL } from "./stores.ts";
import { findUpload, STORAGE_USAGE, type StorageUsageRecord } from "./uploads.ts";
import { UPLOAD_HOLD_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Services } from "../services.ts";
import { UniqueViolation } from "../store/errors.ts";
import { ALL, and, eq } from "../store/filter.ts";
import {
  clearStorage,
  findStorage,
  openStorageKeys,
  shownStorage,
  STORAGE_SETTINGS,
  type StorageRecord,
} from "./storage_settings.ts";
import { setStorage } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER = "66f1a0c2e4b0a1b2c3d4e5f7";

const KEY_ID = "AKIAIOSFODNN7EXAMPLE";
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const { accessKeyId, secretAccessKey, ...PLACE } = {
  endpoint: "https://s3.example.com",
  bucket: "photos",
  accessKeyId: KEY_ID,
  secretAccessKey: SECRET,
};
const GIVEN = { ...PLACE, accessKeyId, secretAccessKey };
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

/** What requesting an upload to a project's own store does to the sums; false if it was too late. */
const addUpload = async (services: Services, target = TARGET) =>
  await usageRecords(services).updateOne(and(eq("_id", PROJECT), eq("target", target)), {
    increment: { external: 1 },
  }) !== null;

const removeUpload = (services: Services) =>
  usageRecords(services).updateOne(eq("_id", PROJECT), { increment: { external: -1 } });

const isProblem = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === code && message.test(error.message);

/** All that is stored of a project's storage, as text. */
const storedText = async (services: Services, projectId = PROJECT) =>
  [
    (await findStorage(services, projectId))?.json,
    (await usageRecords(services, projectId).get(projectId))?.json,
  ].join("\n");

Deno.test("a project has our storage until it is given a bucket, and no other has it then", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await clearStorage(services, PROJECT);
  assert.equal(await findStorage(services, PROJECT), null);
  assert.equal(await usageOf(services), null);
  const settings = await setStorage(services, PROJECT, GIVEN);
  assert.deepEqual(settings, {
    ...PLACE,
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

Deno.test("keys are sealed for their project and target, and shown nowhere", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const settings = await setStorage(services, PROJECT, GIVEN);
  const { json, value } = (await findStorage(services, PROJECT))!;
  const shown = [json, JSON.stringify(settings), JSON.stringify(shownStorage(settings))];
  for (const text of [...shown, Deno.inspect(await openStorageKeys(services.keyRing, value))]) {
    for (const key of [KEY_ID, SECRET]) assert.equal(text.includes(key), false, text);
  }
  await assert.rejects(openStorageKeys(services.keyRing, { ...value, _id: OTHER }));
  await assert.rejects(openStorageKeys(services.keyRing, { ...value, target: "elsewhere/photos" }));
});

Deno.test("what is shown says that there are keys, and where the bucket is", () => {
  const settings = { ...PLACE, target: TARGET, region: "auto", pathStyle: true, publicUrl: null };
  assert.deepEqual(shownStorage(settings), {
    provider: "external",
    ...PLACE,
    region: "auto",
    pathStyle: true,
    publicUrl: null,
    hasKeys: true,
  });
});

Deno.test("while files are in the bucket its keys, region, publicUrl and pathStyle may change", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await setStorage(services, PROJECT, GIVEN);
  assert.ok(await addUpload(services));
  clock.advance(1000);
  const changes = { region: "auto", pathStyle: false, publicUrl: "https://cdn.example.com" };
  const changed = await setStorage(services, PROJECT, {
    ...PLACE,
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

Deno.test("without keys the stored ones of the same endpoint and bucket are kept", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const missing = isProblem("INVALID_INPUT", /^accessKeyId and secretAccessKey are missing/);
  await assert.rejects(setStorage(services, PROJECT, PLACE), missing);
  assert.equal(await findStorage(services, PROJECT), null);
  await setStorage(services, PROJECT, GIVEN);
  await setStorage(services, PROJECT, { ...PLACE, publicUrl: "https://cdn.example.com" });
  assert.deepEqual(await keysOf(services), [KEY_ID, SECRET]);
  const before = await storedText(services);
  for (const place of [{ endpoint: "https://evil.example" }, { bucket: "others" }]) {
    await assert.rejects(setStorage(services, PROJECT, { ...PLACE, ...place }), missing);
  }
  assert.equal(await storedText(services), before, "a refusal leaves no trace");
});

Deno.test("another bucket or endpoint, and none, are refused with the number of files in this one", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await setStorage(services, PROJECT, GIVEN);
  assert.ok(await addUpload(services));
  const before = await storedText(services);
  const one = isProblem("STORAGE_IN_USE", /^1 file or upload is /);
  await assert.rejects(setStorage(services, PROJECT, { ...GIVEN, bucket: "others" }), one);
  assert.equal(await storedText(services), before, "a refusal leaves no trace");
  assert.ok(await addUpload(services));
  const two = isProblem("STORAGE_IN_USE", /^2 files and uploads are /);
  const elsewhere = { ...GIVEN, endpoint: "https://s4.example.com" };
  await assert.rejects(setStorage(services, PROJECT, elsewhere), two);
  await assert.rejects(clearStorage(services, PROJECT), two);
  assert.partialDeepStrictEqual(await usageOf(services), { target: TARGET, external: 2 });
  assert.deepEqual(await keysOf(services), [KEY_ID, SECRET]);
});

Deno.test("once the last file is gone, the bucket can be changed and disconnected", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await setStorage(services, PROJECT, GIVEN);
  assert.ok(await addUpload(services));
  await removeUpload(services);
  await setStorage(services, PROJECT, { ...GIVEN, bucket: "others" });
  assert.equal((await usageOf(services))?.target, "https://s3.example.com/others");
  await clearStorage(services, PROJECT);
  assert.equal(await findStorage(services, PROJECT), null);
  assert.equal((await usageOf(services))?.target, INTERNAL);
  await clearStorage(services, PROJECT);
});

Deno.test("files in our own store do not keep a project from bringing a bucket", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const sums = { used: 5, reserved: 2, held: 7, external: 0 };
  await usageRecords(services).insert({ _id: PROJECT, ...sums, target: INTERNAL });
  await setStorage(services, PROJECT, GIVEN);
  assert.deepEqual(await usageOf(services), { _id: PROJECT, ...sums, target: TARGET });
  await clearStorage(services, PROJECT);
  assert.deepEqual(await usageOf(services), { _id: PROJECT, ...sums, target: INTERNAL });
});

Deno.test("of a change and uploads in the same moment, no upload ends in a store that is gone", async () => {
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
    assert.ok(!(change && added > 0), "uploads were counted for a store that is gone");
    assert.equal(usage.target, settings?.value.target ?? INTERNAL);
    for (let left = added; left > 0; left--) await removeUpload(services);
  }
});

Deno.test("of many that set a bucket at once one is stored whole", async () => {
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

/** Keeps count of what is asked of the project's bucket. */
function withBucket(services: Services, remove: () => Promise<void>) {
  const blobs = Object.assign(Object.create(services.blobStores.internal), { remove });
  const blobStores = { ...services.blobStores, named: () => Promise.resolve(blobs) };
  return { ...services, blobStores };
}

const removalRecords = ({ engine }: Services) => engine.records<JobRecord>(PROJECT, JOBS);

const noteRemoval = async (services: Services, target: string) =>
  void await services.engine.transaction(PROJECT, (tx) => {
    const { name: kind } = OBJECT_REMOVAL;
    return enqueue(tx, services, [{
      subject: newPath(PROJECT, crypto.randomUUID(), "x"),
      lane: target,
    }], { kind });
  });

Deno.test("before a bucket is given up, what is over is ended and what is to be removed is removed", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  await setStorage(services, PROJECT, GIVEN);
  const { filePath } = await requestUpload(
    withBucket(services, () => Promise.resolve()),
    PROJECT,
    { filename: "a.txt", contentType: "text/plain", bytes: 5 },
  );
  await noteRemoval(services, TARGET);
  let removed = 0;
  const bucket = withBucket(services, () => {
    removed++;
    return Promise.resolve();
  });
  await assert.rejects(clearStorage(bucket, PROJECT), isProblem("STORAGE_IN_USE", /^1 file/));
  assert.equal(await findUpload(services, PROJECT, filePath) !== null, true);
  clock.advance(UPLOAD_HOLD_MS + 1);
  await clearStorage(bucket, PROJECT);
  assert.equal(removed, 6, "the staged, the private and the stored object of both");
  assert.equal(await removalRecords(services).count(ALL), 0);
  assert.equal(await findUpload(services, PROJECT, filePath), null);
  assert.partialDeepStrictEqual(await usageOf(services), { target: INTERNAL, external: 0 });
});

Deno.test("a bucket that is away can be given up: only its own removals are forgotten", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await setStorage(services, PROJECT, GIVEN);
  await noteRemoval(services, TARGET);
  await noteRemoval(services, INTERNAL);
  let asked = 0;
  const away = withBucket(services, () => {
    asked++;
    return Promise.reject(new BlobsUnavailable("away"));
  });
  await setStorage(away, PROJECT, { ...GIVEN, region: "auto" });
  assert.equal(asked, 0, "a bucket that stays is not asked");
  assert.equal(await removalRecords(services).count(ALL), 2);
  await clearStorage(away, PROJECT);
  const left = await removalRecords(services).findOne(ALL);
  assert.equal(await removalRecords(services).count(ALL), 1);
  assert.equal(left?.value.lane, INTERNAL);
});

Deno.test("an update that loses the race to create the record is tried again", async () => {
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

Deno.test("settings that cannot be used are refused, and nothing is stored", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const refused = isProblem("INVALID_INPUT", /endpoint must/);
  for (const endpoint of ["http://s3.example.com", "https://127.0.0.1", "s3.example.com"]) {
    await assert.rejects(setStorage(services, PROJECT, { ...GIVEN, endpoint }), refused);
  }
  assert.equal(await findStorage(services, PROJECT), null);
  assert.equal(await usageOf(services), null);
});

Deno.test("ALLOW_PRIVATE_ENDPOINTS lets a bucket be on this machine", async () => {
  await using opened = await openTestServices({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const { services } = opened;
  const endpoint = "http://127.0.0.1:7480";
  const settings = await setStorage(services, PROJECT, { ...GIVEN, endpoint });
  assert.equal(settings.endpoint, endpoint);
});
