import assert from "node:assert/strict";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

const DEFAULTS = {
  userUploads: "off",
  userFileBytesMax: 10_485_760,
  userBytesMax: 104_857_600,
  userTypes: ["image/*"],
};

async function openUserUploads(app: TestApp) {
  const pages = await openProjectPages(app);
  const { project } = pages;
  const owner = await project.owner();
  return {
    ...pages,
    path: `${pages.home}/files/uploads`,
    async files() {
      const answer = await owner.send({ path: `/api/projects/${project.projectId}` });
      return answer.body.data.files;
    },
  };
}

Deno.test("uploads by users are enabled by a form with sizes in MB, and allowed immediately", async () => {
  await using app = await openTestApp();
  const { dashboard, home, path, files, project } = await openUserUploads(app);
  assert.deepEqual(await files(), DEFAULTS);
  const page = await dashboard.get(path);
  assert.ok(page.document.querySelector(`a[href="${path}"]`));
  const saved = await dashboard.fill(page, "Save uploads", {
    userUploads: "signed-in",
    fileMb: "0.5",
    types: "image/*, application/pdf",
  });
  assert.equal(saved.location, `${path}?done=saved`);
  const expected = {
    ...DEFAULTS,
    userUploads: "signed-in",
    userFileBytesMax: 524_288,
    userTypes: ["image/*", "application/pdf"],
  };
  assert.deepEqual(await files(), expected);
  const again = await dashboard.follow(saved);
  assert.match(again.words, /Saved\./);
  await dashboard.fill(again, "Save uploads");
  assert.deepEqual(await files(), expected, "an untouched form changes nothing");
  const user = await project.user();
  const body = { filename: "cat.png", contentType: "image/png", size: 16 };
  const asked = await project.asPublic({ path: "/api/storage/upload-request", body }, user);
  assert.equal(asked.status, 200);
  assert.equal((await dashboard.get(`${home}/files`)).status, 200);
});

Deno.test("invalid values are reported next to the entries, and change nothing", async () => {
  await using app = await openTestApp();
  const { dashboard, path, files } = await openUserUploads(app);
  const page = await dashboard.get(path);
  const wrong = [
    [{ fileMb: "much" }, /"files.userFileBytesMax" must be a whole number/],
    [{ fileMb: "0" }, /"files.userFileBytesMax" must be a whole number/],
    [{ fileMb: "80001" }, /from 1 to 83886080000/],
    [{ allMb: "-1" }, /"files.userBytesMax" must be a whole number/],
    [{ types: "picture" }, /"files.userTypes" must be a list/],
    ...HOSTILE_TEXTS.map((types) => [{ types }, /"files.userTypes" must be a list/] as const),
  ] as const;
  for (const [change, says] of wrong) {
    const refused = await dashboard.fill(page, "Save uploads", { ...change });
    assert.equal(refused.status, 400);
    assert.match(refused.words, says);
    const [[name, value]] = Object.entries(change) as [[string, string]];
    const field = refused.document.querySelector(`input[name=${name}]`)!;
    assert.equal(field.getAttribute("value"), value);
    assertHarmless(refused);
  }
  assert.deepEqual(await files(), DEFAULTS);
});

Deno.test("viewers see how users upload, and cannot change it", async () => {
  await using app = await openTestApp();
  const { path, project, files } = await openUserUploads(app);
  const account = await openAccount(app);
  await joinProject(app.services, project.projectId, account.accountId, "viewer");
  const viewer = openDashboard(app, account);
  const page = await viewer.get(path);
  assert.match(page.words, /Servers and members/);
  assert.equal(page.document.querySelector("main form"), null);
  assert.equal((await viewer.submit(path, { userUploads: "signed-in" })).status, 403);
  assert.deepEqual(await files(), DEFAULTS);
});
