import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { PROJECT_TRASH_MS } from "@/lib/limits.ts";
import { AUTH_DEFAULTS } from "@/lib/projects/auth_settings.ts";
import { FILE_DEFAULTS } from "@/lib/projects/file_settings.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { removeExpiredTrash } from "@/lib/operations/project_trash.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { database } from "../support/test_store.ts";
import { openAccount, signInAgain, type TestAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const PATH = "/api/projects";
const create = (account: TestAccount, body: unknown) => account.send({ path: PATH, body });

const count = ({ services: { engine } }: TestApp) =>
  engine.records<ProjectRecord>("control", PROJECTS).count(ALL);

Deno.test("createProject returns keys that work at once, and makes the caller the owner", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const answer = await create(owner, { name: " Blog " });
  const { projectId, ...created } = ok(answer, 201);
  assert.match(projectId, /^[0-9a-f]{24}$/);
  assert.deepEqual(Object.keys(created), ["name", "publishableKey", "secretKey"]);
  assert.equal(created.name, "Blog");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  for (const key of [created.publishableKey, created.secretKey]) {
    const headers = { "x-api-key": key };
    refused(await app.send({ path: "/api/data/none", headers }), 404, "COLLECTION_NOT_FOUND");
  }
  assert.deepEqual(ok(await owner.send({ path: `${PATH}/${projectId}` })), {
    projectId,
    name: "Blog",
    publishableKey: created.publishableKey,
    siteUrl: null,
    allowedOrigins: [],
    auth: AUTH_DEFAULTS,
    files: FILE_DEFAULTS,
    hasAiKey: false,
    plan: "free",
    role: "owner",
    createdAt: "2026-01-31T12:00:00.000Z",
  });
});

Deno.test("createProject stores the site and the allowed addresses as unique origins", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const { projectId } = ok(
    await create(owner, {
      name: "Blog",
      siteUrl: "https://Blog.example.com/",
      allowedOrigins: ["https://a.example", "http://[::1]:3000", "https://a.example:443/"],
    }),
    201,
  );
  const read = ok(await owner.send({ path: `${PATH}/${projectId}` }));
  assert.equal(read.siteUrl, "https://blog.example.com");
  assert.deepEqual(read.allowedOrigins, ["https://a.example", "http://[::1]:3000"]);
});

Deno.test("createProject refuses malformed bodies and creates nothing", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const bodies = [
    {},
    [],
    null,
    "Blog",
    { siteUrl: "https://a.example" },
    { name: null },
    { name: 7 },
    { name: ["Blog"] },
    { name: "Blog", siteUrl: 7 },
    { name: "Blog", allowedOrigins: "https://a.example" },
    { name: "Blog", allowedOrigins: [null] },
    { name: "Blog", plan: "pro" },
    { name: "Blog", ownerId: owner.accountId },
    '{"name":"Blog","__proto__":{"siteUrl":"https://a.example"}}',
  ];
  for (const body of bodies) {
    const sent = typeof body === "string" && !body.startsWith("{") ? JSON.stringify(body) : body;
    const answer = await create(owner, sent === null ? "null" : sent);
    refused(answer, 400, "INVALID_BODY");
  }
  assert.equal(await count(app), 0);
});

Deno.test("createProject refuses invalid values and creates nothing", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const inputs = [
    { name: "" },
    { name: " \t " },
    { name: "x".repeat(101) },
    { name: "a\u0000b" },
    { name: "a\nb" },
    ...[
      "",
      "blog.example.com",
      "http://blog.example.com",
      "ftp://a.example",
      "javascript:alert(1)",
      "https://",
      "https://*.example.com",
      `https://a.example/${"x".repeat(2048)}`,
      "http://localhost.evil.example",
    ].flatMap((address) => [
      { name: "Blog", siteUrl: address },
      { name: "Blog", allowedOrigins: ["https://a.example", address] },
    ]),
    { name: "Blog", allowedOrigins: times(21, (n) => `https://${n}.example`) },
  ];
  for (const input of inputs) refused(await create(owner, input), 400, "INVALID_INPUT");
  assert.equal(await count(app), 0);
});

Deno.test("createProject refuses an address that is more than an origin, and says what to send", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const origin = "https://ada.example";
  const more = [
    `${origin}/notes`,
    `${origin}//`,
    `${origin}/#`,
    `${origin}?`,
    `${origin}/?page=1`,
    `${origin}#top`,
    "https://user@ada.example",
    "https://user:secret@ada.example/",
    "https://@ada.example",
  ];
  for (const address of more) {
    const site = await create(owner, { name: "Blog", siteUrl: address });
    refused(site, 400, "INVALID_INPUT", `send "${origin}"`);
    assert.ok(!site.text.includes("secret"));
    const list = await create(owner, { name: "Blog", allowedOrigins: [address] });
    refused(list, 400, "INVALID_INPUT", `send "${origin}"`);
  }
  assert.equal(await count(app), 0);
  ok(await create(owner, { name: "Blog", siteUrl: `${origin}/` }), 201);
});

Deno.test("createProject refuses a lone surrogate in a name", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  refused(await create(owner, '{"name":"a\\ud800"}'), 400, "INVALID_INPUT");
});

Deno.test("createProject applies the plan's limit to the account's projects, including deleted ones", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const other = await openAccount(app);
  ok(await create(other, { name: "Other" }), 201);
  const created = [];
  for (const name of ["a", "b", "c"]) created.push(ok(await create(owner, { name }), 201));
  const message = /^The free plan allows 3 projects of an account, those in the trash included:/;
  refused(await create(owner, { name: "d" }), 403, "PLAN_LIMIT_REACHED", message);
  assert.equal(await count(app), 4);
  const path = `${PATH}/${created[0].projectId}`;
  ok(await owner.send({ method: "DELETE", path, body: { name: "a" } }));
  refused(await create(owner, { name: "d" }), 403, "PLAN_LIMIT_REACHED", message);
  app.clock.advance(PROJECT_TRASH_MS);
  await removeExpiredTrash(app.services);
  const again = await signInAgain(owner);
  ok(await create(again, { name: "d" }), 201);
  refused(await create(again, { name: "e" }), 403, "PLAN_LIMIT_REACHED", message);
});

Deno.test("createProject allows more projects on a larger plan", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app, { plan: "pro" });
  for (const name of ["a", "b", "c", "d"]) ok(await create(owner, { name }), 201);
});

Deno.test("createProject applies the plan's limit exactly to 20 concurrent requests", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const answers = await Promise.all(times(20, (n) => create(owner, { name: `${n}` })));
  assert.deepEqual(tally(answers), { 201: 3, 403: 17 });
  const projects = app.services.engine.records<ProjectRecord>("control", PROJECTS);
  assert.equal(await projects.count(eq("ownerId", owner.accountId)), 3);
  for (const answer of answers.filter(({ status }) => status === 201)) {
    ok(await owner.send({ path: `${PATH}/${answer.body.data.projectId}` }));
  }
  if (database !== "sqlite") return;
  const files = [...Deno.readDirSync(`${app.store.folder}/projects`)].map(({ name }) => name);
  assert.equal(files.filter((name) => name.endsWith(".db")).length, 3);
});

const HOUR = 3_600_000;

Deno.test("createProject limits an account to ten projects in any hour, in all processes", async () => {
  await using app = await openTestApp();
  await using other = await openTestApp({ store: app.store, clock: app.clock });
  const owner = await openAccount(app, { plan: "pro" });
  ok(await create(owner, { name: "first" }), 201);
  app.clock.advance(HOUR / 2);
  const headers = { cookie: owner.cookie };
  const answers = await Promise.all(times(20, (n) => {
    const body = { name: `${n}` };
    return n % 2 === 0 ? create(owner, body) : other.send({ path: PATH, headers, body });
  }));
  assert.deepEqual(tally(answers), { 201: 9, 429: 11 });
  for (const answer of answers.filter(({ status }) => status === 429)) {
    refused(answer, 429, "RATE_LIMITED", "10 projects within an hour");
    assert.equal(answer.headers.get("retry-after"), String(HOUR / 2000));
  }
  assert.equal(await count(app), 10);
  ok(await create(await openAccount(app), { name: "of another account" }), 201);
  const { accountId: ownerId } = owner;
  const input = { name: "by command", siteUrl: null, ownerId, isByOperator: true };
  await createProject(app.services, input);
  app.clock.advance(HOUR / 2 - 1);
  refused(await create(owner, { name: "early" }), 429, "RATE_LIMITED");
  app.clock.advance(1);
  ok(await create(owner, { name: "after the first one's hour" }), 201);
  refused(await create(owner, { name: "and no more" }), 429, "RATE_LIMITED");
});

Deno.test("createProject does not count requests that are refused for other reasons", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  for (const name of ["a", "b", "c"]) ok(await create(owner, { name }), 201);
  for (const _ of times(12, () => 0)) {
    refused(await create(owner, { name: "d" }), 403, "PLAN_LIMIT_REACHED");
    refused(await create(owner, { name: "" }), 400, "INVALID_INPUT");
  }
  const accounts = app.services.engine.records<AccountRecord>("control", ACCOUNTS);
  await accounts.updateOne(eq("_id", owner.accountId), { set: { plan: "pro" } });
  for (const n of times(7, (n) => n)) ok(await create(owner, { name: `${n}` }), 201);
  refused(await create(owner, { name: "eleventh" }), 429, "RATE_LIMITED");
});
