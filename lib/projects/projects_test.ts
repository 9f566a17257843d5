import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createKeyDirectory } from "./api_keys.ts";
import { createProject } from "./create_project.ts";
import { eachProject, findProject, parseKeyKind } from "./projects.ts";
import { endFormerKey, parseGraceHours, rotateKey } from "./rotate_key.ts";
import { listKeys } from "./list_keys.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

const UNKNOWN = "66f1a0c2e4b0a1b2c3d4e5f6";
const INPUT = { name: "Test", siteUrl: null };

Deno.test("findProject returns a project by its id", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, INPUT);
  assert.equal((await findProject(services, projectId))._id, projectId);
});

Deno.test("findProject throws PROJECT_NOT_FOUND for an unknown id", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createProject(services, INPUT);
  await assert.rejects(findProject(services, UNKNOWN), {
    code: "PROJECT_NOT_FOUND",
    status: 404,
    message: "Project not found or access denied",
  });
});

Deno.test("eachProject yields every project once, ordered by id, across pages", async () => {
  await using opened = await openTestServices();
  const { engine } = opened.services;
  const ids = Array.from({ length: 1203 }, (_, n) => (n + 1).toString(16).padStart(24, "0"));
  await engine.records<ProjectRecord>("control", PROJECTS).insertMany(ids.map((_id) => ({
    _id,
    name: "Test",
    siteUrl: null,
    allowedOrigins: [],
    ownerId: null,
    sealedAiKey: null,
    deletedAt: null,
    createdAt: "2026-01-31T12:00:00.000Z",
  })));
  const met: string[] = [];
  for await (const { _id } of eachProject({ engine })) met.push(_id);
  assert.deepEqual(met, ids);
});

Deno.test("eachProject yields nothing if there are no projects", async () => {
  await using opened = await openTestServices();
  for await (const project of eachProject(opened.services)) assert.fail(JSON.stringify(project));
  assert.equal((await Array.fromAsync(eachProject(opened.services))).length, 0);
});

Deno.test("rotateKey returns a new key of the same kind and invalidates the old one at once", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, publishableKey, secretKey } = await createProject(services, INPUT);
  await services.keys.find(publishableKey);
  const { key: fresh } = await rotateKey(services, projectId, { kind: "publishable" });
  assert.match(fresh, /^pk_live_/);
  assert.equal(await services.keys.find(publishableKey), null);
  assert.equal((await services.keys.find(fresh))?.projectId, projectId);
  assert.equal((await services.keys.find(secretKey))?.kind, "secret");
});

Deno.test("rotateKey leaves one valid key after 20 concurrent rotations", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, INPUT);
  const rotated = await Promise.all(
    Array.from({ length: 20 }, () => rotateKey(services, projectId, { kind: "secret" })),
  );
  const holders = await Promise.all(rotated.map(({ key }) => services.keys.find(key)));
  assert.equal(holders.filter((holder) => holder !== null).length, 1);
});

Deno.test("rotateKey throws PROJECT_NOT_FOUND for an unknown project", async () => {
  await using opened = await openTestServices();
  await assert.rejects(rotateKey(opened.services, UNKNOWN, { kind: "secret" }), {
    code: "PROJECT_NOT_FOUND",
  });
});

Deno.test("listKeys returns the publishable key, the start of the secret key, and their times", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, publishableKey } = await createProject(services, INPUT);
  const madeAt = new Date(clock.now()).toISOString();
  clock.advance(60_000);
  const { key } = await rotateKey(services, projectId, { kind: parseKeyKind("secret") });
  const rotatedAt = new Date(clock.now()).toISOString();
  const formerValidUntil = null;
  assert.deepEqual(await listKeys(services, projectId), [
    { kind: "publishable", key: publishableKey, start: null, createdAt: madeAt, formerValidUntil },
    { kind: "secret", key: null, start: key.slice(0, 12), createdAt: rotatedAt, formerValidUntil },
  ]);
  assert.deepEqual(await listKeys(services, UNKNOWN), []);
  assert.throws(() => parseKeyKind("Secret"), { code: "INVALID_INPUT" });
});

const HOUR_MS = 3_600_000;

Deno.test("rotateKey keeps the old key valid until its grace ends, in all processes", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  for (const kind of ["publishable", "secret"] as const) {
    const created = await createProject(services, INPUT);
    const { projectId } = created;
    const old = kind === "secret" ? created.secretKey : created.publishableKey;
    const elsewhere = createKeyDirectory(services.engine, clock);
    const rotated = await rotateKey(services, projectId, { kind, graceHours: 2 });
    const end = new Date(clock.now() + 2 * HOUR_MS).toISOString();
    assert.equal(rotated.formerValidUntil, end);
    const details = (await listKeys(services, projectId)).find((one) => one.kind === kind)!;
    assert.equal(details.formerValidUntil, end);
    clock.advance(2 * HOUR_MS - 1);
    for (const key of [old, rotated.key]) {
      const holder = await services.keys.find(key);
      assert.deepEqual([holder?.projectId, holder?.kind], [projectId, kind]);
      assert.deepEqual(await elsewhere.find(key), holder);
    }
    clock.advance(5000);
    for (const keys of [services.keys, elsewhere]) {
      assert.equal(await keys.find(old), null);
      assert.notEqual(await keys.find(rotated.key), null);
    }
    assert.ok((await listKeys(services, projectId)).every((one) => one.formerValidUntil === null));
    assert.equal(await endFormerKey(services, projectId, kind), false, "it has already expired");
  }
});

Deno.test("rotateKey invalidates the key that an earlier rotation replaced", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, secretKey } = await createProject(services, INPUT);
  const rotate = async (graceHours: number) =>
    (await rotateKey(services, projectId, { kind: "secret", graceHours })).key;
  const working = async (keys: string[]) => {
    const holders = await Promise.all(keys.map((key) => services.keys.find(key)));
    return holders.map((holder) => holder !== null);
  };
  const second = await rotate(24);
  const third = await rotate(24);
  assert.deepEqual(await working([secretKey, second, third]), [false, true, true]);
  const fourth = await rotate(0);
  assert.deepEqual(await working([second, third, fourth]), [false, false, true]);
});

Deno.test("rotateKey leaves two valid keys after 20 concurrent rotations with a grace", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, INPUT);
  const rotated = await Promise.all(
    Array.from(
      { length: 20 },
      () => rotateKey(services, projectId, { kind: "secret", graceHours: 24 }),
    ),
  );
  const holders = await Promise.all(rotated.map(({ key }) => services.keys.find(key)));
  assert.equal(holders.filter((holder) => holder !== null).length, 2);
});

Deno.test("endFormerKey invalidates only the former key of the kind and project, at once", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [one, other] = [
    await createProject(services, INPUT),
    await createProject(services, INPUT),
  ];
  for (const { projectId } of [one, other]) {
    for (const kind of ["publishable", "secret"] as const) {
      await rotateKey(services, projectId, { kind, graceHours: 1 });
    }
  }
  assert.notEqual(await services.keys.find(one.secretKey), null);
  assert.equal(await endFormerKey(services, one.projectId, "secret"), true);
  assert.equal(await services.keys.find(one.secretKey), null);
  for (const key of [one.publishableKey, other.secretKey, other.publishableKey]) {
    assert.notEqual(await services.keys.find(key), null);
  }
  assert.equal(await endFormerKey(services, one.projectId, "secret"), false);
});

Deno.test("parseGraceHours accepts integers up to 72 hours", () => {
  for (const hours of [0, 1, 72]) assert.equal(parseGraceHours(String(hours)), hours);
  for (const text of ["", "-1", "73", "1.5", "1e1", "x", "100"]) {
    assert.throws(() => parseGraceHours(text), { code: "INVALID_INPUT" }, text);
  }
});
