import assert from "node:assert/strict";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { USER_FILES_MAX, USER_OPEN_UPLOADS_MAX } from "@/lib/limits.ts";
import {
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
} from "@/lib/files/uploads.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { FILE, putSigned, REQUEST, type RequestedUpload } from "./files.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { confirmCall, openUploads, PICTURE } from "./user_files.ts";

const deleteCall = (path: string): Call => ({ method: "DELETE", path: FILE, body: { path } });
const readCall = (path: string): Call => ({ path: `${FILE}?${new URLSearchParams({ path })}` });
const LIST: Call = { path: "/api/storage/files" };

const callsOn = (upload: RequestedUpload): Call[] => [
  confirmCall(upload),
  readCall(upload.filePath),
  deleteCall(upload.filePath),
];

/** Returns the numbers of upload rows and of user usage records. */
const traces = async ({ services: { engine } }: TestApp, { projectId }: TestProject) => ({
  rows: await engine.records(projectId, UPLOADS).count(ALL),
  usage: (await engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE).get(projectId))?.value,
});

Deno.test("users upload only if the project allows it, and only with an access token", async () => {
  await using app = await openTestApp();
  const { project, set, upload } = await openUploads(app);
  const user = await project.user();
  const stored = await upload(user);
  const calls = [{ path: REQUEST, body: PICTURE }, LIST, ...callsOn(stored)];
  for (const call of calls) {
    refused(await project.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
    const unknown = { id: user.id, token: "x" };
    refused(await project.asPublic(call, unknown), 401, "ACCESS_TOKEN_INVALID");
  }
  ok(await set({ userUploads: "off" }));
  app.clock.advance(5_000);
  for (const call of calls) {
    refused(await project.asPublic(call, user), 403, "SECRET_KEY_REQUIRED");
  }
  const fresh = await app.project();
  const theirs = await fresh.user();
  refused(await fresh.asPublic(LIST, theirs), 403, "SECRET_KEY_REQUIRED");
  refused(await project.asPublic({ path: "/api/storage/usage" }, user), 403, "SECRET_KEY_REQUIRED");
});

Deno.test("a user uploads, lists, reads and deletes their own files", async () => {
  await using app = await openTestApp();
  const { project, upload } = await openUploads(app);
  const [ada, bob] = [await project.user(), await project.user()];
  const { filePath: path } = await upload(ada);
  const file = ok(await project.asPublic(readCall(path), ada));
  assert.deepEqual([file.path, file.ownerId, file.size], [path, ada.id, PICTURE.size]);
  assert.match(file.url, /^http/);
  assert.deepEqual(ok(await project.asPublic(LIST, ada)).items, [file]);
  assert.deepEqual(ok(await project.asPublic(LIST, bob)).items, []);
  assert.deepEqual(ok(await project.asPublic(deleteCall(file.url), ada)), { deleted: true });
  assert.deepEqual(ok(await project.asPublic(LIST, ada)).items, []);
  assert.equal((await traces(app, project)).usage!.used, 0);
});

Deno.test("for a user the files of others do not exist, at any step", async () => {
  await using app = await openTestApp();
  const { project, request, upload } = await openUploads(app);
  const [ada, eve] = [await project.user(), await project.user()];
  const open = await request(ada);
  const done = await upload(ada);
  const servers = await project.asSecret({ path: REQUEST, body: PICTURE });
  const ofServer = { ...PICTURE, ...servers.body };
  assert.equal(await putSigned(app, open), 200);
  assert.equal(await putSigned(app, ofServer), 200);
  const before = await traces(app, project);
  for (const theirs of [open, done, ofServer]) {
    for (const call of callsOn(theirs)) {
      refused(await project.asPublic(call, eve), 404, "FILE_NOT_FOUND");
    }
  }
  assert.deepEqual(await traces(app, project), before);
  // The refused calls succeed for callers who may make them.
  assert.equal((await project.asPublic(confirmCall(open), ada)).status, 200);
  refused(await project.asPublic(confirmCall(ofServer), ada), 404, "FILE_NOT_FOUND");
  assert.equal((await project.asSecret(confirmCall(ofServer))).status, 200);
  const owners = ok(await project.asSecret(LIST)).items.map(({ ownerId }: { ownerId: string }) =>
    ownerId
  );
  assert.deepEqual(owners.toSorted(), [ada.id, ada.id, null].toSorted());
});

Deno.test("users of another project have no access, with either key", async () => {
  await using app = await openTestApp();
  const [here, there] = [await openUploads(app), await openUploads(app)];
  const ada = await here.project.user();
  const stored = await here.upload(ada);
  const eve = await there.project.user();
  for (const call of callsOn(stored)) {
    refused(await there.project.asPublic(call, eve), 404, "FILE_NOT_FOUND");
    refused(await here.project.asPublic(call, eve), 401, "ACCESS_TOKEN_INVALID");
  }
});

Deno.test("the project's rules limit the size and types of users' files", async () => {
  await using app = await openTestApp();
  const types = ["image/*", "text/plain", "video/webm"];
  const { project, ask } = await openUploads(app, { userFileBytesMax: 100, userTypes: types });
  const user = await project.user();
  const before = await traces(app, project);
  for (const contentType of ["text/html", "application/pdf", "imageX/png", "text/plainer"]) {
    const answer = await ask(user, { contentType });
    refused(answer, 415, "FILE_TYPE_REFUSED", types.join(", "));
  }
  refused(await ask(user, { size: 101 }), 413, "FILE_TOO_LARGE", "100 bytes");
  assert.deepEqual(await traces(app, project), before);
  const taken = ["IMAGE/PNG", "image/svg+xml", "text/plain; charset=utf-8"];
  const recorded = ["video/webm;codecs=vp8,opus", 'video/WebM; codecs="vp8, opus"'];
  for (const contentType of [...taken, ...recorded]) {
    assert.equal((await ask(user, { contentType, size: 100 })).status, 200, contentType);
  }
  const server = { ...PICTURE, contentType: "text/html", size: 101 };
  assert.equal((await project.asSecret({ path: REQUEST, body: server })).status, 200);
});

Deno.test("of 200 concurrent requests of ten users each user gets exactly their own space", async () => {
  await using app = await openTestApp();
  const size = 100_000;
  const userBytesMax = 5 * size + 10;
  const { project, ask } = await openUploads(app, { userFileBytesMax: size, userBytesMax });
  const users = await Promise.all(times(10, () => project.user()));
  const answers = await Promise.all(times(200, (n) => ask(users[n % 10]!, { size })));
  assert.deepEqual(tally(answers), { 200: 50, 403: 150 });
  const { reserved } = ok(await project.asSecret({ path: "/api/storage/usage" }));
  assert.equal(reserved, 50 * size);
  for (const user of users) {
    refused(await ask(user, { size: 11 }), 403, "STORAGE_QUOTA_EXCEEDED", `${userBytesMax} bytes`);
    assert.equal((await ask(user, { size: 10 })).status, 200);
  }
});

Deno.test("what a user deletes, cancels or lets expire frees their space", async () => {
  await using app = await openTestApp();
  const { project, ask, request, upload } = await openUploads(app, {
    userBytesMax: 2 * PICTURE.size,
  });
  const user = await project.user();
  const [stored, open] = [await upload(user), await request(user)];
  refused(await ask(user), 403, "STORAGE_QUOTA_EXCEEDED");
  ok(await project.asPublic(deleteCall(stored.filePath), user));
  const again = await request(user);
  ok(await project.asPublic(deleteCall(open.filePath), user));
  await request(user);
  refused(await ask(user), 403, "STORAGE_QUOTA_EXCEEDED");
  app.clock.advance(20 * 60_000);
  const { services } = app;
  const token = await issueToken(services, project.projectId, { userId: user.id, seconds: 900 });
  await request({ ...user, token });
  const late = confirmCall(again);
  refused(await project.asPublic(late, { ...user, token }), 404, "FILE_NOT_FOUND");
});

Deno.test("a user has a limited number of open uploads and of files", async () => {
  await using app = await openTestApp();
  const { project, ask, request } = await openUploads(app);
  const [user, other] = [await project.user(), await project.user()];
  const answers = await Promise.all(times(USER_OPEN_UPLOADS_MAX + 5, () => ask(user)));
  assert.deepEqual(tally(answers), { 200: USER_OPEN_UPLOADS_MAX, 429: 5 });
  const refusal = await ask(user);
  refused(refusal, 429, "TOO_MANY_UPLOADS", `${USER_OPEN_UPLOADS_MAX} open uploads`);
  assert.equal(refusal.headers.get("retry-after"), "1200");
  const { filePath: path } = await request(other);
  const uploads = app.services.engine.records<UploadRecord>(project.projectId, UPLOADS);
  const { value: row } = (await uploads.findOne(eq("path", path)))!;
  const confirmed = { ...row, state: "confirmed", expiresAt: null } as const;
  await uploads.insertMany(times(USER_FILES_MAX - 2, (n) => ({
    ...confirmed,
    _id: app.services.newId(),
    path: `${path}${n}`,
  })));
  await request(other);
  refused(await ask(other), 403, "STORAGE_QUOTA_EXCEEDED", `${USER_FILES_MAX} files`);
});
