import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { API_KEYS, type ApiKeyRecord } from "./api_keys.ts";
import { ALL, eq } from "../store/filter.ts";
import { createProject } from "./create_project.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

Deno.test("createProject creates two API keys and a signing key", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const created = await createProject(services, { name: "  Blog ", siteUrl: null });
  assert.equal(created.name, "Blog");
  assert.match(created.publishableKey, /^pk_live_/);
  assert.match(created.secretKey, /^sk_live_/);
  assert.notEqual(await services.signingKeys.find(created.projectId), null);
  const stored = await services.engine.records<ProjectRecord>("control", PROJECTS)
    .get(created.projectId);
  assert.deepEqual(stored?.value, {
    _id: created.projectId,
    name: "Blog",
    siteUrl: null,
    allowedOrigins: [],
    ownerId: null,
    sealedAiKey: null,
    deletedAt: null,
    createdAt: "2026-01-31T12:00:00.000Z",
  });
});

Deno.test("createProject accepts names of 1 to 100 characters", async () => {
  await using opened = await openTestServices();
  for (const name of ["x", "x".repeat(100)]) {
    const created = await createProject(opened.services, { name, siteUrl: null });
    assert.equal(created.name, name);
  }
});

Deno.test("createProject generates different keys for each project", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const all = [];
  for (let n = 0; n < 3; n++) {
    all.push(await createProject(services, { name: "Same", siteUrl: null }));
  }
  const keys = all.flatMap(({ publishableKey, secretKey }) => [publishableKey, secretKey]);
  assert.equal(new Set(keys).size, 6);
  assert.equal(new Set(all.map(({ projectId }) => projectId)).size, 3);
  const stored = services.engine.records<ApiKeyRecord>("control", API_KEYS);
  assert.equal(await stored.count(eq("projectId", all[0]!.projectId)), 2);
});

Deno.test("createProject stores the origin of an https or local Site URL", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const table: readonly (readonly [string, string])[] = [
    ["https://app.example.com", "https://app.example.com"],
    ["https://App.Example.com:443/", "https://app.example.com"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://127.0.0.1:3000/", "http://127.0.0.1:3000"],
    ["http://[::1]", "http://[::1]"],
  ];
  for (const [siteUrl, origin] of table) {
    const { publishableKey } = await createProject(services, { name: "Test", siteUrl });
    assert.equal((await services.keys.find(publishableKey))?.siteUrl, origin);
  }
});

Deno.test("createProject refuses invalid Site URLs and names and stores nothing", async () => {
  await using opened = await openTestServices();
  const { services, folder } = opened;
  const sites = ["", "app.example.com", "http://app.example.com", "ftp://x", "javascript:alert(1)"];
  for (const siteUrl of sites) {
    await assert.rejects(createProject(services, { name: "Test", siteUrl }), {
      code: "INVALID_INPUT",
      message: /^The Site URL must be https, or http on localhost/,
    });
  }
  for (const part of ["/some/page", "?x", "#y"]) {
    const siteUrl = `https://app.example.com${part}`;
    await assert.rejects(createProject(services, { name: "Test", siteUrl }), {
      code: "INVALID_INPUT",
      message: /^The Site URL must be a scheme, a host and a port, without a path/,
    });
  }
  for (const name of ["", "   ", "x".repeat(101)]) {
    await assert.rejects(createProject(services, { name, siteUrl: null }), {
      code: "INVALID_INPUT",
      message: "A project's name must have 1 to 100 characters.",
    });
  }
  const projects = services.engine.records<ProjectRecord>("control", PROJECTS);
  assert.equal(await projects.count(ALL), 0);
  assert.deepEqual([...Deno.readDirSync(`${folder}/projects`)], []);
});

Deno.test("createProject creates 20 complete projects concurrently", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) => createProject(services, { name: `${n}`, siteUrl: null })),
  );
  for (const { projectId, publishableKey, secretKey } of all) {
    assert.equal((await services.keys.find(publishableKey))?.projectId, projectId);
    assert.equal((await services.keys.find(secretKey))?.projectId, projectId);
    assert.notEqual(await services.signingKeys.find(projectId), null);
  }
});
