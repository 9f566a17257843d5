import assert from "node:assert/strict";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { API_KEYS } from "@/lib/projects/api_keys.ts";
import { walkBlobs } from "@/lib/files/walk.ts";
import { countMails, MAIL_USAGE } from "@/lib/mail/usage.ts";
import { MEMBERS } from "@/lib/projects/members.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import {
  removeExpiredTrash,
  restoreProject,
  trashProject,
} from "@/lib/operations/project_trash.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { maintain } from "@/routes/maintenance.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { databaseNames } from "../support/mongodb.ts";
import { database } from "../support/test_store.ts";
import { put, textBytes } from "./blobs.ts";
import { openFiles } from "./files.ts";
import { accept, offer } from "./invitations.ts";
import { get, TEXT } from "./served.ts";
import { createTestCollection, ok, refused, times, UNKNOWN_ID } from "./test_collection.ts";
import { locationOf, openSignInFixture, SITE } from "./sign_in_fixture.ts";
import { deleteCall, openTeam } from "./team.ts";

const DAY_MS = 86_400_000;

async function trash(project: TestProject, name = "Test") {
  const owner = await project.owner();
  return owner.send(deleteCall(`/api/projects/${project.projectId}`, { name }));
}

async function controlRecords({ services: { engine } }: TestApp, projectId: string) {
  const of = (definition: Definition) =>
    engine.records("control", definition).count(eq("projectId", projectId));
  const projects = engine.records("control", PROJECTS);
  return {
    projects: await projects.count(eq("_id", projectId)),
    members: await of(MEMBERS),
    keys: await of(API_KEYS),
    months: await of(MAIL_USAGE),
  };
}

const NO_RECORDS = { projects: 0, members: 0, keys: 0, months: 0 };

async function objects({ services: { blobStores } }: TestApp, projectId: string) {
  const paths = [];
  for (const place of ["partial", "staged", "stored"] as const) {
    for await (const { path } of walkBlobs(blobStores.internal, place, `${projectId}/`)) {
      paths.push(path);
    }
  }
  return paths;
}

Deno.test("deleteProject ends keys, files, uploads and the key set at once, and elsewhere in 5 s", async () => {
  await using app = await openTestApp();
  await using other = await openTestApp({ store: app.store, clock: app.clock });
  const files = await openFiles(app);
  const { project } = files;
  const user = await project.user();
  const upload = await files.request(TEXT.length);
  await put(app, upload, { body: textBytes(TEXT) });
  assertOk(await files.confirm(upload));
  const open = await files.request(TEXT.length);
  const headers = { "x-api-key": project.secretKey };
  const calls = (one: TestApp) =>
    [
      [() => one.send({ path: "/api/data/none", headers }), 404, "API_KEY_INVALID", 401],
      [
        () =>
          one.send({ path: "/api/data/none", headers: { "x-api-key": project.publishableKey } }),
        404,
        "API_KEY_INVALID",
        401,
      ],
      [() => get(one, upload.filePath), 200, "FILE_NOT_FOUND", 404],
      [
        () => one.send({ path: `/api/projects/${project.projectId}/jwks.json` }),
        200,
        "PROJECT_NOT_FOUND",
        404,
      ],
    ] as const;
  for (const one of [app, other]) {
    for (const [send, before] of calls(one)) assert.equal((await send()).status, before);
  }
  const data = ok(await trash(project));
  assert.deepEqual(data, {
    projectId: project.projectId,
    restorableUntil: "2026-02-07T12:00:00.000Z",
  });
  for (const [send, , code, status] of calls(app)) refused(await send(), status, code);
  refused(await put(app, open, { body: textBytes(TEXT) }), 409, "UPLOAD_FINISHED");
  refused(await project.asPublic({ path: "/api/userAuth/me" }, user), 401, "API_KEY_INVALID");
  app.clock.advance(5000);
  for (const [send, , code, status] of calls(other)) refused(await send(), status, code);
});

const assertOk = ({ status, text }: { status: number; text: string }) =>
  assert.equal(status, 200, text);

Deno.test("deleteProject refuses a sign-in that was started before", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project({ siteUrl: SITE });
  const browser = fixture.browser();
  const start = await browser.start(project, "github");
  const back = await fixture.github.approve(locationOf(start), "ann");
  ok(await trash(project));
  const answer = await browser.comeBack(back);
  refused(answer, 400, "INVALID_STATE");
  refused(await browser.start(project, "github"), 401, "API_KEY_INVALID");
});

Deno.test("deleteProject requires the project's exact name", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const name of ["", "test", "Test ", "Other"]) {
    refused(await team.owner.send(deleteCall(team.path(), { name })), 400, "PROJECT_NAME_MISMATCH");
  }
  for (const body of [{}, { name: null }, [], { name: "Test", more: 1 }]) {
    refused(await team.owner.send(deleteCall(team.path(), body)), 400, "INVALID_BODY");
  }
  ok(await team.read());
});

Deno.test("deleteProject refuses an owner who loses the project during the request", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { value: project } =
    (await app.services.engine.records<ProjectRecord>("control", PROJECTS).get(team.projectId))!;
  const account = { ...team.owner, sessionId: UNKNOWN_ID, plan: "free" as const };
  ok(await accept(team.admin, (await offer(team, team.admin)).token));
  const late = trashProject(app.services, { project, account }, project.name);
  await assert.rejects(late, { code: "PROJECT_NOT_FOUND" });
  ok(await team.admin.send({ path: team.path() }));
});

Deno.test("exactly one of ten concurrent deleteProject requests succeeds", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const call = deleteCall(team.path(), { name: "Test" });
  const answers = await Promise.all(times(10, () => team.owner.send(call)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    refused(answer, 404, "PROJECT_NOT_FOUND");
  }
});

Deno.test("a deleted project is removed completely after seven days, and no other project is", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [project, kept] = [files.project, await openFiles(app)];
  const collection = await createTestCollection(app, {}, kept.project);
  const document = await collection.insertOne({ n: 1 });
  for (const one of [files, kept]) {
    await one.upload(10);
    await one.put(await one.request(10));
    await countMails(app.services, one.project.projectId, { count: 1, limit: 1 });
  }
  ok(await trash(project));
  app.clock.advance(7 * DAY_MS - 1);
  assert.equal((await maintain(app.services)).projects, 0);
  assert.deepEqual(await controlRecords(app, project.projectId), {
    projects: 1,
    members: 1,
    keys: 2,
    months: 1,
  });
  assert.equal((await objects(app, project.projectId)).length, 2);
  app.clock.advance(1);
  const passes = await Promise.all([maintain(app.services), maintain(app.services)]);
  assert.ok(passes.some(({ projects }) => projects === 1));
  assert.deepEqual(await controlRecords(app, project.projectId), NO_RECORDS);
  assert.deepEqual(await objects(app, project.projectId), []);
  assert.equal(await spaceExists(app, project.projectId), false);
  assert.equal((await objects(app, kept.project.projectId)).length, 2);
  assert.equal((await controlRecords(app, kept.project.projectId)).months, 1);
  assert.equal((await collection.read(document._id)).status, 200);
  assert.equal((await maintain(app.services)).projects, 0);
});

async function spaceExists(app: TestApp, projectId: string): Promise<boolean> {
  if (database === "sqlite") {
    const names = [...Deno.readDirSync(`${app.store.folder}/projects`)].map(({ name }) => name);
    return names.some((name) => name.startsWith(projectId));
  }
  const prefix = new URL(app.store.settings.DATABASE_URL!).pathname.slice(1);
  return (await databaseNames(prefix)).some((name) => name.endsWith(projectId));
}

Deno.test("the next pass finishes the removal of a project that an earlier pass left unfinished", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { project } = files;
  for (const _ of times(3, () => null)) await files.upload(10);
  ok(await trash(project));
  app.clock.advance(7 * DAY_MS);
  let calls = 0;
  assert.equal(await removeExpiredTrash(app.services, () => ++calls > 3), 0);
  assert.equal((await objects(app, project.projectId)).length, 1);
  assert.equal((await controlRecords(app, project.projectId)).projects, 1);
  assert.equal(await removeExpiredTrash(app.services), 1);
  assert.deepEqual(await objects(app, project.projectId), []);
  assert.deepEqual(await controlRecords(app, project.projectId), NO_RECORDS);
});

Deno.test("restoreProject within seven days restores keys, files, documents and members", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { project } = files;
  const collection = await createTestCollection(app, {}, project);
  const document = await collection.insertOne({ n: 1 });
  const { filePath } = await files.upload(10);
  ok(await trash(project));
  app.clock.advance(7 * DAY_MS - 1);
  await maintain(app.services);
  await restoreProject(app.services, project.projectId);
  assert.equal((await collection.read(document._id)).status, 200);
  assert.equal((await get(app, filePath)).status, 200);
  const owner = await project.owner();
  assert.equal(ok(await owner.send({ path: "/api/projects" })).items.length, 1);
  assert.equal((await controlRecords(app, project.projectId)).members, 1);
  app.clock.advance(7 * DAY_MS);
  assert.equal((await maintain(app.services)).projects, 0);
});

Deno.test("restoreProject refuses projects that are not deleted, expired or being removed", async () => {
  await using app = await openTestApp();
  const [one, two] = [await app.project(), await app.project()];
  await (await openFiles(app, one)).upload(10);
  const restore = (id: string) => restoreProject(app.services, id);
  await assert.rejects(restore(one.projectId), { code: "PROJECT_NOT_FOUND" });
  ok(await trash(one));
  ok(await trash(two));
  await restore(two.projectId);
  app.clock.advance(7 * DAY_MS);
  await assert.rejects(restore(one.projectId), { code: "PROJECT_NOT_FOUND" });
  // A process whose clock is ahead begins the removal.
  assert.equal(await removeExpiredTrash(app.services, stopAfter(1)), 0);
  app.clock.advance(-DAY_MS);
  await assert.rejects(restore(one.projectId), { code: "PROJECT_NOT_FOUND" });
  app.clock.advance(DAY_MS);
  await maintain(app.services);
  assert.equal(await app.services.engine.records("control", PROJECTS).count(ALL), 1);
});

const stopAfter = (calls: number) => {
  let asked = 0;
  return () => ++asked > calls;
};

Deno.test("restoreProject leaves a project without an owner if the account is gone", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  ok(await trash(project));
  const { accountId } = await project.owner();
  const { engine } = app.services;
  await engine.records("control", ACCOUNTS)
    .deleteOne(eq("_id", accountId));
  await restoreProject(app.services, project.projectId);
  const stored = await engine.records("control", PROJECTS).get(project.projectId);
  assert.equal(stored?.value.ownerId, null);
});
