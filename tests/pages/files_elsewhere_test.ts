import assert from "node:assert/strict";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { pageOf } from "../support/pages.ts";
import { storage } from "../support/test_store.ts";
import { formBytes, sendForm } from "./file_forms.ts";
import { openFilesPage } from "./files_fixture.ts";
import { setStorage } from "@/tests/support/given.ts";

const policyOf = ({ headers }: { headers: Headers }): string =>
  headers.get("content-security-policy")!;

Deno.test("a page with remote files may show and upload them, and is not loaded in part", async () => {
  await using fixture = await openFilesPage({
    FILES_URL: "https://files.example",
    ALLOW_PRIVATE_ENDPOINTS: "true",
  });
  const { app, files, path, pages, owner } = fixture;
  await files.upload(700, "image/png", "cat.png");
  const page = await pages.get(path);
  const swapped = () => owner.send({ path: `${path}?cursor=`, headers: { "hx-request": "true" } });
  if (storage === "disk") {
    assert.match(policyOf(page), /img-src 'self' data: https:\/\/files\.example;/);
    assert.match(policyOf(page), /connect-src 'self' https:\/\/files\.example;/);
    const inPlace = await owner.send({ path, headers: { "hx-request": "true" } });
    assert.deepEqual([inPlace.status, inPlace.headers.get("hx-redirect")], [204, path]);
  }
  await setStorage(app.services, files.project.projectId, {
    endpoint: "http://127.0.0.1:9",
    bucket: "own-files",
    publicUrl: "https://cdn.example/own",
    accessKeyId: "AKID",
    secretAccessKey: "secret",
  });
  const external = await pages.get(path);
  assert.match(policyOf(external), /connect-src 'self' http:\/\/127\.0\.0\.1:9[ ;]/);
  assert.match(external.words, /up to 78.1 GB/);
  assert.equal((await swapped()).headers.get("hx-redirect"), `${path}?cursor=`);
});

Deno.test("a page with local files has the plain policy, and can be loaded in part", async () => {
  if (storage !== "disk") return; // A bucket is always remote.
  await using fixture = await openFilesPage();
  await fixture.files.upload(700, "image/png", "cat.png");
  const page = await fixture.owner.send({ path: fixture.path, headers: { "hx-request": "true" } });
  assert.match(policyOf(page), /img-src 'self' data:; connect-src 'self';/);
  assert.match(page.text, /cat\.png/);
});

const OWN_BUCKET = {
  endpoint: "http://127.0.0.1:9", // No server answers there.
  bucket: "own-files",
  publicUrl: "https://cdn.example/own",
  accessKeyId: "AKID",
  secretAccessKey: "secret",
};

Deno.test("an unavailable store is reported on the page, next to the affected part", async () => {
  await using fixture = await openFilesPage({ ALLOW_PRIVATE_ENDPOINTS: "true" });
  const { app, files, owner, path, pages } = fixture;
  const { projectId } = files.project;
  await files.upload(5, "text/plain", "before.txt");
  await setStorage(app.services, projectId, OWN_BUCKET);
  const body = formBytes({ filename: "a.txt", content: "abc" });
  const upload = pageOf(await sendForm(owner, path, body));
  assert.equal(upload.status, 503);
  assert.match(upload.document.querySelector(".card [role=alert]")!.textContent, /storage/i);
  assert.match(upload.words, /before\.txt/);
  await app.services.engine.records<UploadRecord>(projectId, UPLOADS)
    .updateOne(eq("filename", "before.txt"), { set: { target: "https://gone.example/files" } });
  const list = await pages.get(path);
  assert.equal(list.status, 503);
  assert.match(list.document.querySelector("#files [role=alert]")!.textContent, /storage/i);
  assert.doesNotMatch(list.words, /No files so far/);
  assert.ok(list.document.querySelector("file-drop"), "the page is complete");
});

Deno.test("the refusal of a form by script is shown, wherever the files are", async () => {
  await using fixture = await openFilesPage({ ALLOW_PRIVATE_ENDPOINTS: "true" });
  const { app, files, owner, path } = fixture;
  await setStorage(app.services, files.project.projectId, OWN_BUCKET);
  const refused = await owner.send({
    method: "POST",
    path: `${path}/delete`,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "hx-request": "true",
    },
    body: "path=nothing",
  });
  assert.equal(refused.status, 404);
  assert.match(refused.text, /role="alert"/);
  assert.match(policyOf(refused), /https:\/\/cdn\.example|http:\/\/127\.0\.0\.1:9/);
});

Deno.test("a page without files only allows the store of the next upload", async () => {
  await using fixture = await openFilesPage({ ALLOW_PRIVATE_ENDPOINTS: "true" });
  const { app, files, path, pages } = fixture;
  await setStorage(app.services, files.project.projectId, OWN_BUCKET);
  const origins = "http://127.0.0.1:9 https://cdn.example";
  assert.equal(
    policyOf(await pages.get(path)),
    `default-src 'self'; img-src 'self' data: ${origins}; connect-src 'self' ${origins}; ` +
      "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  const elsewhere = await pages.get(`${path}/storage`);
  assert.match(policyOf(elsewhere), /img-src 'self' data:; connect-src 'self';/);
});

Deno.test("the address of a bucket cannot add anything else to a policy", async () => {
  for (const host of ["*", "*.example", "cdn.example;sandbox", "cdn.example,sandbox", "'none'"]) {
    await using fixture = await openFilesPage({ ALLOW_PRIVATE_ENDPOINTS: "true" });
    const { app, files, path, pages } = fixture;
    const { projectId } = files.project;
    await setStorage(app.services, projectId, { ...OWN_BUCKET, publicUrl: `https://${host}/own` });
    await files.request(5, "image/png", "cat.png");
    await app.services.engine.records<UploadRecord>(projectId, UPLOADS)
      .updateOne(ALL, { set: { state: "confirmed" } });
    const page = await pages.get(path);
    assert.ok(page.words.includes("cat.png"));
    assert.equal(
      policyOf(page).replaceAll(" http://127.0.0.1:9", ""),
      "default-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
  }
});
