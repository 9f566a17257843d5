import assert from "node:assert/strict";
import { DOCUMENT_FILES_MAX, POPULATED_FILES_MAX, TRASH_MS } from "@/lib/limits.ts";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import { reap } from "@/lib/files/reaper.ts";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { maintain } from "@/routes/maintenance.ts";
import { BY_KEY } from "../support/authorship.ts";
import { updateCollection } from "../support/given.ts";
import { openTestApp, type TestApp, type TestUser } from "../support/test_app.ts";
import { ok, refused, testCollectionOf } from "./test_collection.ts";
import { storage } from "../support/test_store.ts";
import { FILE } from "./files.ts";
import { openUploads, PICTURE, uploadConfirmed } from "./user_files.ts";

const PHOTO = { key: "photo", type: "String", file: true };
const PHOTOS = { key: "photos", type: "Array", items: { type: "String" }, file: true };
const COVER = {
  key: "look",
  type: "Object",
  fields: [{ key: "cover", type: "String", file: true }],
};
const REMOVED = [
  { ...PHOTO, onDelete: "remove" },
  { ...PHOTOS, onDelete: "remove" },
  { key: "kept", type: "String", file: true },
];

async function openFields(app: TestApp, fields: readonly object[] = [PHOTO, PHOTOS, COVER]) {
  const uploads = await openUploads(app);
  const { project } = uploads;
  await project.collection({ name: "posts", rls: { mode: "public-read" }, fields, strict: false });
  const posts = testCollectionOf(app, project, "posts");
  const { services } = app;
  return {
    ...uploads,
    posts,
    /** Uploads a file as a user or, by default, as the server, and returns its path. */
    file: (user: TestUser | null = null, input: object = {}) =>
      uploadConfirmed(uploads, { user, ...input }),
    create: (body: object, user: TestUser) => posts.asPublic({ body: { ...body } }, user),
    patch: (id: string, body: object, user?: TestUser) =>
      user === undefined
        ? posts.asSecret({ method: "PATCH", path: `/${id}`, body })
        : posts.asPublic({ method: "PATCH", path: `/${id}`, body }, user),
    erase: async (id: string) =>
      ok(await posts.asSecret({ method: "DELETE", path: `/${id}?permanent=true` })),
    /** Runs the jobs that are due, and returns the paths of the remaining files. */
    async remainingFiles(): Promise<string[]> {
      app.clock.advance(QUEUE_PAUSE_MS);
      await services.jobRunner.runDue();
      const rows = services.engine.records<UploadRecord>(project.projectId, UPLOADS);
      return (await Array.fromAsync(rows.find({ filter: { op: "and", of: [] } })))
        .map(({ path }) => path);
    },
  };
}

/** Pause of the queue before it looks for jobs that no process has started. */
const QUEUE_PAUSE_MS = 5_000;

const REFUSAL = "must name a confirmed file of this project by its path";

Deno.test("file fields accept only paths of confirmed files of their project", async () => {
  await using app = await openTestApp();
  const { posts, file, request, project } = await openFields(app);
  const other = await openFields(app);
  const user = await project.user();
  const [path, second] = [await file(), await file(null, { visibility: "private" })];
  const unconfirmed = (await request(user)).filePath;
  const foreign = await other.file();
  const created = await posts.insertOne({
    photo: path,
    photos: [second, path],
    look: { cover: path },
  });
  assert.deepEqual([created.photo, created.photos], [path, [second, path]]);
  const unknownPath = path.replace(/_.*/, "_other.png");
  const address = ok(await project.asSecret({ path: `/api/storage/file?path=${path}` })).url;
  await posts.untouched(async () => {
    for (const wrong of ["", "x", unknownPath, unconfirmed, foreign, address, path.repeat(1000)]) {
      const bodies = [{ photo: wrong }, { photos: [path, wrong] }, { look: { cover: wrong } }];
      for (const body of bodies) {
        const [name] = Object.keys(body);
        const says = new RegExp(`"${name}[a-z.]*" ${REFUSAL}`);
        refused(await posts.asSecret({ body }), 400, "INVALID_DOCUMENT", says);
        const at = `/${created._id}`;
        for (const method of ["PATCH", "PUT"]) {
          refused(await posts.asSecret({ method, path: at, body }), 400, "INVALID_DOCUMENT");
        }
      }
      const push = { photos: { $push: [wrong] } };
      const changed = { method: "PATCH", path: `/${created._id}`, body: push };
      assert.equal((await posts.asSecret(changed)).status, 400);
    }
    refused(await posts.asSecret({ body: { photo: 7 } }), 400, "INVALID_DOCUMENT");
  });
});

Deno.test("every operation that writes documents checks file fields", async () => {
  await using app = await openTestApp();
  const { posts, file, project } = await openFields(app);
  const path = await file();
  const id = "66f1a0c2e4b0a1b2c3d4e5f6";
  const wrong = { photo: "x" };
  const batch = (operation: object) =>
    project.asSecret({
      path: "/api/batch",
      body: { operations: [{ collection: "posts", ...operation }] },
    });
  await posts.untouched(async () => {
    const bulk = { path: "/bulk", body: { documents: [{ photo: path }, wrong] } };
    const says = `documents[1]: The field "photo" ${REFUSAL}`;
    refused(await posts.asSecret(bulk), 400, "INVALID_DOCUMENT", says);
    for (const action of ["create", "upsert"]) {
      const operation = { action, document: wrong, ...(action === "upsert" && { id }) };
      const answer = await batch(operation);
      refused(answer, 400, "INVALID_DOCUMENT", REFUSAL);
      assert.equal(answer.body.operation, 0);
    }
    const once = { body: wrong, headers: { "idempotency-key": "one" } };
    for (let i = 0; i < 2; i++) refused(await posts.asSecret(once), 400, "INVALID_DOCUMENT");
  });
  ok(await posts.asSecret({ path: "/bulk", body: { documents: [{ photo: path }] } }), 201);
  ok(await batch({ action: "upsert", id, document: { photo: path } }));
  ok(await posts.asSecret({ body: { photo: path }, headers: { "idempotency-key": "two" } }), 201);
});

Deno.test("a user may add only their own files to a document, and keep files in it", async () => {
  await using app = await openTestApp();
  const { posts, file, create, patch, project } = await openFields(app);
  const [ada, eve] = [await project.user(), await project.user()];
  const [hers, theirs, servers] = [await file(ada), await file(eve), await file()];
  const post = ok(await create({ photo: hers }, ada), 201);
  await posts.untouched(async () => {
    for (const photo of [theirs, servers]) {
      for (const answer of [await create({ photo }, ada), await patch(post._id, { photo }, ada)]) {
        refused(answer, 400, "INVALID_DOCUMENT", /must name a confirmed file of yours by its path/);
      }
    }
  });
  // A user may send back a file that the server added, and move it within the document.
  ok(await patch(post._id, { photo: servers }));
  ok(await patch(post._id, { n: 1, photo: servers }, ada));
  const replacement = { photo: null, photos: [hers, servers] };
  ok(await posts.asPublic({ method: "PUT", path: `/${post._id}`, body: replacement }, ada));
  ok(await patch(post._id, { photos: [] }, ada));
  refused(await patch(post._id, { photo: servers }, ada), 400, "INVALID_DOCUMENT");
});

Deno.test("a document may refer to at most a hundred files", async () => {
  await using app = await openTestApp();
  const { posts, file, patch } = await openFields(app);
  const paths = [];
  for (let i = 0; i <= DOCUMENT_FILES_MAX; i++) paths.push(await file());
  const [last, ...photos] = paths;
  const { _id: id } = await posts.insertOne({ photos });
  refused(
    await patch(id, { photo: last }),
    400,
    "INVALID_DOCUMENT",
    /is one file too many: a document holds up to 100/,
  );
  ok(await patch(id, { photos: photos.slice(1) }));
  ok(await patch(id, { photo: last }));
});

Deno.test("populate replaces paths with files, whose address is signed if they are private", async () => {
  await using app = await openTestApp();
  const { posts, file, create, project } = await openFields(app);
  const ada = await project.user();
  const [open, hidden] = [await file(ada), await file(ada, { visibility: "private" })];
  const { _id: id } = ok(
    await create({ photo: open, photos: [hidden, open], look: { cover: hidden } }, ada),
    201,
  );
  const query = "populate=photo,photos,look.cover";
  const [shown] = ok(await posts.asPublic({ path: `?${query}` })).items;
  const { url, sizesUrl, ...rest } = shown.photo;
  assert.deepEqual(rest, {
    path: open,
    filename: PICTURE.filename,
    contentType: PICTURE.contentType,
    size: PICTURE.size,
    createdAt: rest.createdAt,
    visibility: "public",
  });
  assert.equal(await statusOf(app, url), 200);
  // The content is not a readable picture.
  assert.equal(await statusOf(app, `${sizesUrl}?w=64`), 422);
  const [secret, again] = shown.photos;
  assert.deepEqual(again, shown.photo);
  assert.deepEqual([secret.path, secret.visibility], [hidden, "private"]);
  assert.deepEqual(shown.look.cover, secret);
  assert.equal(await statusOf(app, secret.url), 200);
  assert.equal(await statusOf(app, `${secret.sizesUrl}&w=64`), 422);
  const one = ok(await posts.asSecret({ path: `/${id}?${query}&fields=photo.url,photo.size` }));
  assert.deepEqual([one.photo, one.photos], [{ url, size: PICTURE.size }, undefined]);
  if (storage === "disk") { // A bucket uses its own clock.
    app.clock.advance(3_601_000);
    assert.equal(await statusOf(app, secret.url), 403);
  }
  ok(await project.asSecret({ method: "DELETE", path: FILE, body: { path: hidden } }));
  const [left] = ok(await posts.asPublic({ path: `?${query}` })).items;
  assert.deepEqual([left.photos[0], left.photo.path], [hidden, open]);
  refused(await posts.asPublic({ path: "?populate=photo.owner" }), 400, "INVALID_QUERY");
});

Deno.test("a response contains at most a thousand files", async () => {
  await using app = await openTestApp();
  const { posts, file } = await openFields(app);
  const path = await file();
  // Paths of removed files count too, because they are looked up.
  const { services: { engine, catalog } } = app;
  const { records } = (await catalog.find(posts.project.projectId, "posts"))!;
  const stored = await posts.insertOne({ photo: path });
  const photos = Array.from({ length: POPULATED_FILES_MAX }, (_, i) => `${path}${i}`);
  await engine.records(posts.project.projectId, records, BY_KEY)
    .updateOne({ op: "eq", path: "_id", value: stored._id }, { set: { photos } });
  ok(await posts.asSecret({ path: "?populate=photos" }));
  refused(
    await posts.asSecret({ path: "?populate=photos,photo" }),
    413,
    "ANSWER_TOO_LARGE",
    /more than 1000 files/,
  );
});

Deno.test("a file is removed with the last document that refers to it, or when it is replaced", async () => {
  await using app = await openTestApp();
  const { posts, file, patch, erase, remainingFiles } = await openFields(app, REMOVED);
  const files: string[] = [];
  for (let i = 0; i < 7; i++) files.push(await file());
  const [a, b, c, d, e, f, lasting] = files as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const first = await posts.insertOne({ photo: a, photos: [b, c], kept: lasting });
  const second = await posts.insertOne({ photos: [b, d] });
  const third = await posts.insertOne({ photo: e, kept: f });
  const fourth = await posts.insertOne({ photo: f });
  const assertGone = async (...gone: string[]) =>
    assert.deepEqual(
      (await remainingFiles()).toSorted(),
      files.filter((one) => !gone.includes(one)).sort(),
    );
  ok(await patch(first._id, { n: 1 }));
  await assertGone();
  ok(await patch(first._id, { photo: null, photos: [c] }));
  await assertGone(a);
  ok(await posts.asSecret({ method: "DELETE", path: `/${second._id}` }));
  await assertGone(a);
  // A document in the trash still refers to its files.
  ok(await posts.asSecret({ method: "PUT", path: `/${first._id}`, body: { kept: lasting } }));
  await assertGone(a, c);
  await erase(second._id);
  await assertGone(a, c, b, d);
  ok(await patch(fourth._id, { photo: null }));
  await assertGone(a, c, b, d);
  await erase(third._id);
  await assertGone(a, c, b, d, e);
  await erase(first._id);
  await assertGone(a, c, b, d, e);
});

Deno.test("files are removed when the trash is emptied, and with their collection", async () => {
  await using app = await openTestApp();
  const { posts, file, remainingFiles } = await openFields(app, REMOVED);
  const [old, inUse, kept] = [await file(), await file(), await file()];
  const thrown = await posts.insertOne({ photo: old, kept });
  const photos = [];
  for (let i = 0; i < 30; i++) photos.push(await file());
  await posts.insertOne({ photo: inUse, photos });
  await posts.insertOne({ photo: inUse });
  await posts.remove(thrown._id);
  app.clock.advance(TRASH_MS + 1);
  assert.equal((await maintain(app.services)).documents, 1);
  assert.deepEqual((await remainingFiles()).toSorted(), [inUse, kept, ...photos].sort());
  await deleteCollection(app.services, posts.project.projectId, "posts");
  await app.services.jobRunner.idle();
  assert.deepEqual(await remainingFiles(), [kept]);
  await reap(app.services);
  assert.equal(await app.services.blobStores.internal.stat("stored", inUse), null);
});

Deno.test("a file that is referenced again during its removal exists, or the write is refused", async () => {
  await using app = await openTestApp();
  const { posts, file, patch, remainingFiles } = await openFields(app, REMOVED);
  let [referenced, removed] = [0, 0];
  for (let round = 0; round < 30; round++) {
    const path = await file();
    const { _id: id } = await posts.insertOne({ photo: path });
    ok(await patch(id, { photo: null }));
    app.clock.advance(QUEUE_PAUSE_MS);
    const [answer] = await Promise.all([
      round % 2 === 0 ? posts.asSecret({ body: { kept: path } }) : patch(id, { photos: [path] }),
      app.services.jobRunner.runDue(),
    ]);
    const isThere = (await remainingFiles()).includes(path);
    const isReferenced = answer.status < 300;
    assert.equal(isReferenced, isThere, `${round}: ${answer.text}`);
    if (isReferenced) referenced++;
    else removed++;
  }
  assert.equal(referenced + removed, 30);
});

Deno.test("updateCollection refuses invalid definitions of file fields", async () => {
  await using app = await openTestApp();
  const { owner, project, posts, file } = await openFields(app, [
    { key: "photo", type: "String" },
    { key: "other", type: "String" },
  ]);
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ ...PHOTO, type: "Number" }, /"photo" cannot hold files: only String and Array of String/],
    [{ ...PHOTOS, items: { type: "Array" } }, /cannot hold files/],
    [
      { key: "list", type: "Array", items: { type: "Object", fields: [PHOTO] } },
      /cannot hold files/,
    ],
    [{ ...PHOTO, default: "x" }, /holds files, so it cannot have a default/],
    [
      { ...PHOTO, file: false, onDelete: "remove" },
      /has "onDelete", so it needs "file": true/,
    ],
    [{ ...PHOTO, onDelete: "burn" }, /onDelete/],
  ];
  for (const [field, why] of wrong) {
    const call = { path: "/collections", body: { name: "more", fields: [field] } };
    refused(await owner.asOwner(call), 400, "INVALID_DEFINITION", why);
    const users = { method: "PUT", path: "/users/fields", body: { fields: [{ ...PHOTO }] } };
    refused(
      await owner.asOwner(users),
      400,
      "INVALID_DEFINITION",
      /cannot have unique, index, search or file/,
    );
  }
  // A path that was stored without a check may belong to a file that its writer may not read.
  const { _id: id } = await posts.insertOne({ photo: await file(), other: null });
  const redefine = (fields: readonly object[]) =>
    updateCollection(app.services, project.projectId, {
      name: "posts",
      rls: { mode: "public-read" },
      strict: false,
      fields,
    });
  await assert.rejects(redefine([PHOTO]), { code: "DEFINITION_CONFLICT", message: /photo/ });
  await redefine([{ key: "photo", type: "String" }, { ...PHOTO, key: "other" }]);
  ok(await posts.asSecret({ method: "PATCH", path: `/${id}`, body: { other: await file() } }));
  await redefine([{ key: "photo", type: "String" }, {
    ...PHOTO,
    key: "other",
    onDelete: "remove",
  }]);
});

/** Returns the status of an address, which may be served by the app or by a bucket. */
async function statusOf(app: TestApp, address: string): Promise<number> {
  const { origin, pathname, search } = new URL(address);
  const response = origin === app.services.config.publicUrl
    ? await app.open({ path: pathname + search })
    : await fetch(address);
  await response.body?.cancel();
  return response.status;
}
