import assert from "node:assert/strict";
import { findStorage, openStorageKeys } from "@/lib/files/storage_settings.ts";
import { openFiles } from "../api/files.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { createTestBucket, hasS3, settingsOf } from "../support/s3.ts";
import { openTestApp } from "../support/test_app.ts";

const SECRET = "a-bucket-secret-that-stays-inside";
const KEY_ID = "AKIDBLOG";
const GIVEN = {
  endpoint: "https://s3.example.com",
  bucket: "blog-files",
  accessKeyId: KEY_ID,
  secretAccessKey: SECRET,
};

async function openStoragePage(env: Record<string, string> = {}) {
  const app = await openTestApp({ env });
  const project = await app.project();
  const { projectId } = project;
  return {
    app,
    project,
    projectId,
    path: `/dashboard/projects/${projectId}/files/storage`,
    pages: openDashboard(app, await project.owner()),
    stored: async () => (await findStorage(app.services, projectId))?.value ?? null,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

Deno.test("a bucket is set and changed by its form, and its keys are kept and never sent back", async () => {
  await using fixture = await openStoragePage();
  const { pages, path, app } = fixture;
  const empty = await pages.get(path);
  assert.match(empty.words, /Own bucket off/);
  assert.equal(empty.document.querySelector(`form[action="${path}/clear"]`), null);
  const saved = await pages.fill(empty, "Save", GIVEN);
  assert.equal(saved.location, `${path}?done=saved`);
  const page = await pages.follow(saved);
  assert.match(page.words, /Own bucket on.*New files go to this bucket/);
  for (const key of [SECRET, KEY_ID]) assert.ok(!page.text.includes(key));
  const valueOf = (name: string) =>
    page.document.querySelector(`[name=${name}]`)!.getAttribute("value");
  assert.deepEqual(["endpoint", "region", "bucket", "secretAccessKey"].map(valueOf), [
    "https://s3.example.com",
    "us-east-1",
    "blog-files",
    null,
  ]);
  const changed = await pages.fill(page, "Save", { publicUrl: "https://files.example.com" });
  assert.equal(changed.status, 303);
  const now = (await fixture.stored())!;
  assert.deepEqual([now.publicUrl, now.pathStyle], ["https://files.example.com", true]);
  const keys = await openStorageKeys(app.services.keyRing, now);
  assert.equal(keys.secretAccessKey.reveal(), SECRET);
});

Deno.test("an invalid bucket is refused next to its form, which keeps all but the keys", async () => {
  await using fixture = await openStoragePage();
  const { pages, path } = fixture;
  for (const text of HOSTILE_TEXTS) {
    const refused = await pages.submit(path, {
      ...GIVEN,
      endpoint: text,
      bucket: text,
      publicUrl: text,
    });
    assert.equal(refused.status, 400);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, /endpoint.*bucket/s);
    for (const name of ["endpoint", "bucket", "publicUrl"]) {
      const field = refused.document.querySelector(`[name=${name}]`)!;
      assert.equal(field.getAttribute("value"), text, name);
    }
    for (const key of [SECRET, KEY_ID]) assert.ok(!refused.text.includes(key));
    assertHarmless(refused);
  }
  assert.equal(await fixture.stored(), null);
});

Deno.test("the check is shown step by step, with the settings that the bucket needs", async () => {
  await using fixture = await openStoragePage({ ALLOW_PRIVATE_ENDPOINTS: "true" });
  const { pages, path } = fixture;
  await pages.submit(path, { ...GIVEN, endpoint: "http://127.0.0.1:1" });
  const page = await pages.fill(await pages.get(path), "Check the bucket");
  assert.equal(page.status, 200);
  const steps = [...page.document.querySelectorAll(".steps li")];
  assert.ok(steps.length > 5);
  assert.match(steps[0]!.textContent, /failed\s*reach/);
  assert.match(steps[2]!.textContent, /skipped/);
  assert.match(page.words, /does not work yet/);
  assert.match(page.words, /AllowedMethods/);
  assert.match(page.words, /s3:GetObject/);
  assert.ok(!page.text.includes(SECRET));
  assert.equal((await pages.get(`${path}/check`)).location, path, "a reload shows the page");
});

Deno.test("without a bucket the page says that there is nothing to check", async () => {
  await using fixture = await openStoragePage();
  const { pages, path } = fixture;
  const refused = await pages.submit(`${path}/check`);
  assert.equal(refused.status, 400);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /set it first/);
});

Deno.test("disconnecting a bucket asks first, and is refused while it has files", async () => {
  await using fixture = await openStoragePage({ ALLOW_PRIVATE_ENDPOINTS: "true" });
  const { pages, path, app, project } = fixture;
  await pages.submit(path, { ...GIVEN, endpoint: "http://127.0.0.1:1" });
  const files = await openFiles(app, project);
  await files.request();
  const page = await pages.get(path);
  const ask = page.document.querySelector(`form[action="${path}/clear"]`)!.closest("details");
  assert.match(ask!.textContent, /keys are forgotten/);
  const refused = await pages.fill(page, "Disconnect the bucket");
  assert.equal(refused.status, 409);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /delete them first/);
  const moved = await pages.submit(path, { ...GIVEN, endpoint: "http://127.0.0.1:2" });
  assert.equal(moved.status, 409);
  assert.equal((await fixture.stored())!.endpoint, "http://127.0.0.1:1");

  await using other = await openStoragePage();
  await other.pages.submit(other.path, GIVEN);
  const cleared = await other.pages.submit(`${other.path}/clear`);
  assert.equal(cleared.location, `${other.path}?done=cleared`);
  assert.equal(await other.stored(), null);
});

Deno.test("a viewer sees the bucket without its form, and strangers find nothing", async () => {
  await using fixture = await openStoragePage();
  const { app, projectId, path } = fixture;
  await fixture.pages.submit(path, GIVEN);
  const viewer = await openAccount(app);
  await joinProject(app.services, projectId, viewer.accountId, "viewer");
  const pages = openDashboard(app, viewer);
  const page = await pages.get(path);
  assert.match(page.words, /blog-files/);
  assert.equal([...page.document.querySelectorAll("main form")].length, 0);
  for (const key of [SECRET, KEY_ID]) assert.ok(!page.text.includes(key));
  for (const at of [path, `${path}/check`, `${path}/clear`]) {
    assert.equal((await pages.submit(at, GIVEN)).status, 403, at);
  }
  const stranger = openDashboard(app, await openAccount(app));
  assert.equal((await stranger.get(path)).status, 404);
  assert.ok(await fixture.stored());
});

Deno.test({
  name: "a correct bucket passes every step",
  ignore: !hasS3(),
  async fn() {
    await using bucket = await createTestBucket();
    await using fixture = await openStoragePage({ ALLOW_PRIVATE_ENDPOINTS: "true" });
    const { pages, path } = fixture;
    const saved = await pages.submit(path, settingsOf(bucket));
    assert.equal(saved.status, 303, saved.words);
    const page = await pages.submit(`${path}/check`);
    assert.match(page.words, /The bucket works/);
    assert.equal([...page.document.querySelectorAll(".steps .badge.bad")].length, 0);
  },
});
