import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { CONFIRM, FILE, putSigned, REQUEST } from "./files.ts";
import {
  fetchText,
  NOTE,
  openPrivate,
  publicAddress,
  readCall,
  signCall,
} from "./private_files.ts";
import { ok, refused } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const DAY_SECONDS = 86_400;

Deno.test("a private file has only signed addresses, which expire", async () => {
  await using app = await openTestApp();
  const { project, upload, confirm } = await openPrivate(app);
  const requested = await upload();
  const confirmed = await confirm(requested);
  assert.deepEqual([confirmed.body.url, confirmed.body.visibility], [null, "private"]);
  assert.equal(confirmed.body.warning, undefined);
  const { filePath: path } = requested;
  const info = ok(await project.asSecret(readCall(path)));
  assert.deepEqual([info.url, info.visibility], [null, "private"]);
  const { url, expiresAt } = ok(await project.asSecret(signCall(path)));
  assert.equal(Date.parse(expiresAt) - app.clock.now(), 3_600_000);
  const read = await fetchText(app, url);
  assert.deepEqual([read.status, read.text], [200, "x".repeat(10)]);
  assert.match(read.headers.get("cache-control")!, /private/);
  const part = await fetchText(app, url, { range: "bytes=2-4" });
  assert.deepEqual([part.status, part.text], [206, "xxx"]);
  assert.ok((await fetchText(app, publicAddress(app, path))).status >= 400);
  if (app.services.localFiles === null) return; // A bucket expires addresses by its own clock.
  app.clock.advance(3_599_999);
  assert.equal((await fetchText(app, url)).status, 200);
  app.clock.advance(1);
  assert.equal((await fetchText(app, url)).status, 403);
});

Deno.test("an altered address of a private file, or one of another file, is refused", async () => {
  await using app = await openTestApp();
  const { project, stored } = await openPrivate(app);
  const [path, other] = [await stored(), await stored()];
  const { url } = ok(await project.asSecret(signCall(path, { expiresIn: 60 })));
  const elsewhere = url.replace(path, other);
  assert.notEqual(elsewhere, url);
  const longer = new URL(url);
  const expiry = longer.searchParams.has("expires") ? "expires" : "X-Amz-Expires";
  longer.searchParams.set(expiry, `${Number(longer.searchParams.get(expiry)) + 1}`);
  const unsigned = new URL(url);
  unsigned.search = "";
  for (const address of [elsewhere, longer.href, unsigned.href, `${url}x`]) {
    assert.ok((await fetchText(app, address)).status >= 400, address);
  }
  assert.equal((await fetchText(app, url)).status, 200);
});

Deno.test("addresses are signed for up to seven days, and only for the caller's confirmed files", async () => {
  await using app = await openTestApp();
  const { project, upload, stored } = await openPrivate(app);
  const [path, open] = [await stored(), await upload()];
  const week = ok(await project.asSecret(signCall(path, { expiresIn: 7 * DAY_SECONDS })));
  assert.equal(Date.parse(week.expiresAt) - app.clock.now(), 7 * DAY_SECONDS * 1000);
  for (const expiresIn of [0, -1, 1.5, "60", 7 * DAY_SECONDS + 1]) {
    refused(
      await project.asSecret(signCall(path, { expiresIn })),
      400,
      "INVALID_BODY",
      "expiresIn",
    );
  }
  refused(await project.asSecret(signCall(open.filePath)), 404, "FILE_NOT_FOUND");
  const eve = await project.user();
  refused(await project.asPublic(signCall(path), eve), 404, "FILE_NOT_FOUND");
  refused(await project.asPublic(signCall(path)), 401, "ACCESS_TOKEN_REQUIRED");
  const foreign = await createTestOwner(app);
  refused(await foreign.project.asSecret(signCall(path)), 404, "FILE_NOT_FOUND");
});

Deno.test("anyone with the signed address can read a user's private file", async () => {
  await using app = await openTestApp();
  const { project } = await openPrivate(app);
  const ada = await project.user();
  const asked = await project.asPublic({ path: REQUEST, body: NOTE }, ada);
  const requested = { ...NOTE, ...asked.body };
  assert.equal(await putSigned(app, requested), 200);
  const { filePath, size } = requested;
  const confirmed = await project.asPublic({ path: CONFIRM, body: { filePath, size } }, ada);
  assert.deepEqual([confirmed.body.url, confirmed.body.visibility], [null, "private"]);
  const { url } = ok(await project.asPublic(signCall(filePath), ada));
  assert.equal((await fetchText(app, url)).status, 200);
  ok(await project.asPublic({ method: "DELETE", path: FILE, body: { path: filePath } }, ada));
  assert.ok((await fetchText(app, url)).status >= 400);
});
