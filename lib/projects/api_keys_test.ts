import assert from "node:assert/strict";
import { AUTH_DEFAULTS } from "./auth_settings.ts";
import { FILE_DEFAULTS } from "./file_settings.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createProject } from "./create_project.ts";
import { rotateKey } from "./rotate_key.ts";
import { publishableKeyOf } from "./list_keys.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";
import { sha256 } from "../crypto/hashes.ts";
import { and, eq } from "../store/filter.ts";
import type { Definition, Engine, Space, StoredRecord } from "../store/port.ts";
import { API_KEYS, type ApiKeyRecord, createKeyDirectory, generateApiKey } from "./api_keys.ts";

/** Wraps an engine so that `before` runs before each call of its records. */
function watched(engine: Engine, before: (name: string) => void | Promise<void>): Engine {
  return new Proxy(engine, {
    get: (target, property) => {
      if (property !== "records") return Reflect.get(target, property, target);
      return <T extends StoredRecord>(space: Space, definition: Definition) =>
        new Proxy(target.records<T>(space, definition), {
          get: (records, name) => async (...input: unknown[]) => {
            await before(definition.name);
            return await Reflect.get(records, name, records).apply(records, input);
          },
        });
    },
  });
}

const makeProject = (services: Parameters<typeof createProject>[0]) =>
  createProject(services, { name: "Test", siteUrl: "https://app.example.com" });

Deno.test("generateApiKey returns a prefix for the kind and 32 random bytes", () => {
  assert.match(generateApiKey("publishable"), /^pk_live_[A-Za-z0-9_-]{43}$/);
  assert.match(generateApiKey("secret"), /^sk_live_[A-Za-z0-9_-]{43}$/);
  const keys = Array.from({ length: 1000 }, () => generateApiKey("secret"));
  assert.equal(new Set(keys).size, 1000);
});

Deno.test("find returns the kind, the project and the settings of a key", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [one, other] = [await makeProject(services), await makeProject(services)];
  assert.deepEqual(await services.keys.find(one.publishableKey), {
    kind: "publishable",
    projectId: one.projectId,
    siteUrl: "https://app.example.com",
    allowedOrigins: [],
    auth: AUTH_DEFAULTS,
    files: FILE_DEFAULTS,
    recordsUntil: null,
  });
  const secret = await services.keys.find(other.secretKey);
  assert.equal(secret?.kind, "secret");
  assert.equal(secret?.projectId, other.projectId);
});

Deno.test("find returns null for unknown keys and for keys with the other kind's prefix", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { publishableKey, secretKey } = await makeProject(services);
  const wrong = [
    generateApiKey("publishable"),
    generateApiKey("secret"),
    publishableKey.replace("pk_", "sk_"),
    secretKey.replace("sk_", "pk_"),
  ];
  for (const key of wrong) assert.equal(await services.keys.find(key), null);
});

Deno.test("find refuses malformed keys without a read of the store", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { publishableKey: key } = await makeProject(services);
  const asked: string[] = [];
  const keys = createKeyDirectory(watched(services.engine, (name) => void asked.push(name)), clock);
  const malformed = [
    "",
    "pk_live_",
    key.slice(0, -1),
    `${key}A`,
    `${key}\n`,
    ` ${key}`,
    `${key}, ${key}`,
    key.replace("pk_", "PK_"),
    key.replace("live", "test"),
    key.slice(0, -1) + "=",
    "x".repeat(100_000),
  ];
  for (const one of malformed) assert.equal(await keys.find(one), null);
  assert.deepEqual(asked, []);
  assert.notEqual(await keys.find(key), null);
  assert.notDeepEqual(asked, []);
});

Deno.test("find reads a key again only after its cache entry expires", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { publishableKey } = await makeProject(services);
  let asked = 0;
  const keys = createKeyDirectory(watched(services.engine, () => void asked++), clock);
  const first = await keys.find(publishableKey);
  const cost = asked;
  assert.ok(cost > 0);
  clock.advance(2999);
  assert.deepEqual(await keys.find(publishableKey), first);
  assert.equal(asked, cost);
  clock.advance(1);
  assert.deepEqual(await keys.find(publishableKey), first);
  assert.equal(asked, 2 * cost);
});

Deno.test("find notices a rotation by another process within five seconds, even for a busy key", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, publishableKey } = await makeProject(services);
  const elsewhere = createKeyDirectory(services.engine, clock);
  assert.notEqual(await elsewhere.find(publishableKey), null);
  await rotateKey(services, projectId, { kind: "publishable" });
  for (let seconds = 0; seconds < 5; seconds++) {
    clock.advance(1000);
    await elsewhere.find(publishableKey);
  }
  assert.equal(await elsewhere.find(publishableKey), null);
});

Deno.test("find notices a rotation by another process after the clock was set back by an hour", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, publishableKey } = await makeProject(services);
  const elsewhere = createKeyDirectory(services.engine, clock);
  assert.notEqual(await elsewhere.find(publishableKey), null);
  await rotateKey(services, projectId, { kind: "publishable" });
  clock.setBack(3_600_000);
  clock.advance(5000);
  assert.equal(await elsewhere.find(publishableKey), null);
});

Deno.test("find notices changed settings of a project within five seconds", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, publishableKey } = await makeProject(services);
  await services.keys.find(publishableKey);
  await services.engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(eq("_id", projectId), { set: { allowedOrigins: ["https://shop.example.com"] } });
  clock.advance(5000);
  const holder = await services.keys.find(publishableKey);
  assert.deepEqual(holder?.allowedOrigins, ["https://shop.example.com"]);
});

Deno.test("rotateKey replaces a key at once and leaves the key of the other kind valid", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, publishableKey, secretKey } = await makeProject(services);
  for (const key of [publishableKey, secretKey]) {
    assert.notEqual(await services.keys.find(key), null);
  }
  const fresh = (await rotateKey(services, projectId, { kind: "secret" })).key;
  assert.equal(await services.keys.find(secretKey), null);
  assert.equal((await services.keys.find(fresh))?.kind, "secret");
  assert.equal((await services.keys.find(publishableKey))?.projectId, projectId);
});

Deno.test("find refuses a key that is rotated during its lookup", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, publishableKey } = await makeProject(services);
  const [reading, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const engine = watched(services.engine, async (name) => {
    if (name !== "projects") return;
    reading.resolve();
    await goOn.promise;
  });
  const keys = createKeyDirectory(engine, clock);
  const early = keys.find(publishableKey);
  await reading.promise;
  await rotateKey({ engine: services.engine, keys, clock }, projectId, { kind: "publishable" });
  goOn.resolve();
  await early;
  assert.equal(await keys.find(publishableKey), null);
});

Deno.test("forget keeps the cache entries of other projects", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const [one, other] = [await makeProject(services), await makeProject(services)];
  let asked = 0;
  const keys = createKeyDirectory(watched(services.engine, () => void asked++), clock);
  for (const key of [one.publishableKey, one.secretKey, other.publishableKey]) await keys.find(key);
  asked = 0;
  keys.forget(one.projectId);
  await keys.find(other.publishableKey);
  assert.equal(asked, 0);
  await keys.find(one.publishableKey);
  const cost = asked;
  assert.ok(cost > 0);
  await keys.find(one.secretKey);
  assert.equal(asked, 2 * cost);
});

Deno.test("find accepts a new key that was not cached before", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, secretKey } = await makeProject(services);
  const keys = createKeyDirectory(services.engine, clock);
  const other = { forget() {}, find: () => Promise.resolve(null) };
  const fresh = (await rotateKey({ ...services, keys: other }, projectId, { kind: "secret" })).key;
  const back = createKeyDirectory(services.engine, clock);
  assert.equal(await keys.find(secretKey), null);
  assert.equal((await back.find(fresh))?.projectId, projectId);
  assert.equal((await keys.find(fresh))?.projectId, projectId);
});

Deno.test("find refuses the keys of a deleted project within five seconds", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, publishableKey } = await makeProject(services);
  await services.keys.find(publishableKey);
  await services.engine.records<ProjectRecord>("control", PROJECTS).deleteOne(eq("_id", projectId));
  clock.advance(5000);
  assert.equal(await services.keys.find(publishableKey), null);
});

Deno.test("createProject and rotateKey store only the hash of a secret key", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, secretKey } = await makeProject(services);
  const rotated = (await rotateKey(services, projectId, { kind: "secret" })).key;
  for (const { name } of Deno.readDirSync(opened.folder)) {
    if (!name.startsWith("control.db")) continue;
    const bytes = new TextDecoder("latin1").decode(await Deno.readFile(`${opened.folder}/${name}`));
    for (const key of [secretKey, rotated]) {
      assert.equal(bytes.includes(key.slice(8)), false, name);
    }
  }
});

Deno.test("publishableKeyOf returns the valid key, or null if only its hash is stored", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, publishableKey } = await makeProject(services);
  assert.equal(await publishableKeyOf(services, projectId), publishableKey);
  const rotated = (await rotateKey(services, projectId, { kind: "publishable" })).key;
  assert.equal(await publishableKeyOf(services, projectId), rotated);
  await rotateKey(services, projectId, { kind: "secret" });
  assert.equal(await publishableKeyOf(services, projectId), rotated);
  const other = await makeProject(services);
  assert.equal(await publishableKeyOf(services, other.projectId), other.publishableKey);
  // Simulates an import, which brings the hash of a key without its text.
  await services.engine.records<ApiKeyRecord>("control", API_KEYS).updateOne(
    and(eq("projectId", projectId), eq("kind", "publishable")),
    { set: { hash: sha256("another") } },
  );
  assert.equal(await publishableKeyOf(services, projectId), null);
  assert.equal(await publishableKeyOf(services, "0123456789abcdef01234567"), null);
});
