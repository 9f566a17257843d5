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
import { confirmedBy, openUploads, PICTURE } from "./user_files.ts";

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
    /** A confirmed file: a user's own, or the server's. */
    file: (user: TestUser | null = null, input: object = {}) =>
      confirmedBy(uploads, { user, ...input }),
    create: (body: object, user: TestUser) => posts.asPublic({ body: { ...body } }, user),
    patch: (id: string, body: object, user?: TestUser) =>
      user === undefined
        ? posts.asSecret({ method: "PATCH", path: `/${id}`, body })
        : posts.asPublic({ method: "PATCH", path: `/${id}`, body }, user),
    erase: async (id: string) =>
      ok(await posts.asSecret({ method: "DELETE", path: `/${id}?permanent=true` })),
    /** The paths that are files still, after all that is due was done. */
    async left(): Promise<string[]> {
      app.clock.advance(LOOK_AGAIN_MS);
      await services.jobRunner.runDue();
      const rows = services.engine.records<UploadRecord>(project.projectId, UPLOADS);
      return (await Array.fromAsync(rows.find({ filter: { op: "and", of: [] } })))
        .map(({ path }) => path);
    },
  };
}

/** How long the queue may wait before it looks for jobs that nothing has begun. */
const LOOK_AGAIN_MS = 5_000;

const MUST = "must name a confirmed file of this project by its path";

Deno.test("a file field holds paths of confirmed files of its project, and nothing else", async () => {
  await using app = await openTestApp();
  const { posts, file, request, project } = await openFields(app);
  const other = await openFields(app);
  const user = await project.user();
  const [path, second] = [await file(), await file(null, { visibility: "private" })];
  const unconfirmed = (await request(user)).filePath;
  const foreign = await other.file();
  const shown = await posts.insertOne({
    photo: path,
    photos: [second, path],
    look: { cover: path },
  });
  assert.deepEqual([shown.photo, shown.photos], [path, [second, path]]);
  const gone = path.replace(/_.*/, "_other.png");
  const address = ok(await project.asSecret({ path: `/api/storage/file?path=${path}` })).url;
  await posts.untouched(async () => {
    for (const wrong of ["", "x", gone, unconfirmed, foreign, address, path.repeat(1000)]) {
      const bodies = [{ photo: wrong }, { photos: [path, wrong] }, { look: { cover: wrong } }];
      for (const body of bodies) {
        const [name] = Object.keys(body);
        const says = new RegExp(`"${name}[a-z.]*" ${MUST}`);
        refused(await posts.asSecret({ body }), 400, "INVALID_DOCUMENT", says);
        const at = `/${shown._id}`;
        for (const method of ["PATCH", "PUT"]) {
          refused(await posts.asSecret({ method, path: at, body }), 400, "INVALID_DOCUMENT");
        }
      }
      const push = { photos: { $push: [wrong] } };
      const changed = { method: "PATCH", path: `/${shown._id}`, body: push };
      assert.equal((await posts.asSecret(changed)).status, 400);
    }
    refused(await posts.asSecret({ body: { photo: 7 } }), 400, "INVALID_DOCUMENT");
  });
});

Deno.test("file fields are looked at in every way that documents are written in", async () => {
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
    const says = `documents[1]: The field "photo" ${MUST}`;
    refused(await posts.asSecret(bulk), 400, "INVALID_DOCUMENT", says);
    for (const action of ["create", "upsert"]) {
      const operation = { action, document: wrong, ...(action === "upsert" && { id }) };
      const answer = await batch(operation);
      refused(answer, 400, "INVALID_DOCUMENT", MUST);
      assert.equal(answer.body.operation, 0);
    }
    const once = { body: wrong, headers: { "idempotency-key": "one" } };
    for (let i = 0; i < 2; i++) refused(await posts.asSecret(once), 400, "INVALID_DOCUMENT");
  });
  ok(await posts.asSecret({ path: "/bulk", body: { documents: [{ photo: path }] } }), 201);
  ok(await batch({ action: "upsert", id, document: { photo: path } }));
  ok(await posts.asSecret({ body: { photo: path }, headers: { "idempotency-key": "two" } }), 201);
});

Deno.test("a user's document takes files of their own, and keeps what it holds", async () => {
  await using app = await openTestApp();
  const { posts, file, create, patch, project } = await openFields(app);
  const [ada, eve] = [await project.user(), await project.user()];
  const [hers, theirs, servers] = [await file(ada), await file(eve), await file()];
  const mine = ok(await create({ photo: hers }, ada), 201);
  await posts.untouched(async () => {
    for (const photo of [theirs, servers]) {
      for (const answer of [await create({ photo }, ada), await patch(mine._id, { photo }, ada)]) {
        refused(answer, 400, "INVALID_DOCUMENT", /must name a confirmed file of yours by its path/);
      }
    }
  });
  // What a server has put there may be sent back, and moved within the document.
  ok(await patch(mine._id, { photo: servers }));
  ok(await patch(mine._id, { n: 1, photo: servers }, ada));
  const whole = { photo: null, photos: [hers, servers] };
  ok(await posts.asPublic({ method: "PUT", path: `/${mine._id}`, body: whole }, ada));
  ok(await patch(mine._id, { photos: [] }, ada));
  refused(await patch(mine._id, { photo: servers }, ada), 400, "INVALID_DOCUMENT");
});

Deno.test("a document holds up to a hundred files", async () => {
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

Deno.test("populate shows files in the place of their paths, with an address that is signed where they are private", async () => {
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
  // What it holds is no picture that could be read.
  assert.equal(await statusOf(app, `${sizesUrl}?w=64`), 422);
  const [secret, again] = shown.photos;
  assert.deepEqual(again, shown.photo);
  assert.deepEqual([secret.path, secret.visibility], [hidden, "private"]);
  assert.deepEqual(shown.look.cover, secret);
  assert.equal(await statusOf(app, secret.url), 200);
  assert.equal(await statusOf(app, `${secret.sizesUrl}&w=64`), 422);
  const one = ok(await posts.asSecret({ path: `/${id}?${query}&fields=photo.url,photo.size` }));
  assert.deepEqual([one.photo, one.photos], [{ url, size: PICTURE.size }, undefined]);
  if (storage === "disk") { // A bucket has a clock of its own.
    app.clock.advance(3_601_000);
    assert.equal(await statusOf(app, secret.url), 403);
  }
  ok(await project.asSecret({ method: "DELETE", path: FILE, body: { path: hidden } }));
  const [left] = ok(await posts.asPublic({ path: `?${query}` })).items;
  assert.deepEqual([left.photos[0], left.photo.path], [hidden, open]);
  refused(await posts.asPublic({ path: "?populate=photo.owner" }), 400, "INVALID_QUERY");
});

Deno.test("an answer shows a thousand files at most", async () => {
  await using app = await openTestApp();
  const { posts, file } = await openFields(app);
  const path = await file();
  // Paths that are files no more count too: they are looked for.
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

Deno.test("a file goes with the last document that holds it, and with its replacement", async () => {
  await using app = await openTestApp();
  const { posts, file, patch, erase, left } = await openFields(app, REMOVED);
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
  const has = async (...gone: string[]) =>
    assert.deepEqual((await left()).toSorted(), files.filter((one) => !gone.includes(one)).sort());
  ok(await patch(first._id, { n: 1 }));
  await has();
  ok(await patch(first._id, { photo: null, photos: [c] }));
  await has(a);
  ok(await posts.asSecret({ method: "DELETE", path: `/${second._id}` }));
  await has(a);
  // The trash holds what was in it.
  ok(await posts.asSecret({ method: "PUT", path: `/${first._id}`, body: { kept: lasting } }));
  await has(a, c);
  await erase(second._id);
  await has(a, c, b, d);
  ok(await patch(fourth._id, { photo: null }));
  await has(a, c, b, d);
  await erase(third._id);
  await has(a, c, b, d, e);
  await erase(first._id);
  await has(a, c, b, d, e);
});

Deno.test("files go with the trash when it is emptied, and with their collection", async () => {
  await using app = await openTestApp();
  const { posts, file, left } = await openFields(app, REMOVED);
  const [old, inUse, kept] = [await file(), await file(), await file()];
  const thrown = await posts.insertOne({ photo: old, kept });
  const photos = [];
  for (let i = 0; i < 30; i++) photos.push(await file());
  await posts.insertOne({ photo: inUse, photos });
  await posts.insertOne({ photo: inUse });
  await posts.remove(thrown._id);
  app.clock.advance(TRASH_MS + 1);
  assert.equal((await maintain(app.services)).documents, 1);
  assert.deepEqual((await left()).toSorted(), [inUse, kept, ...photos].sort());
  await deleteCollection(app.services, posts.project.projectId, "posts");
  await app.services.jobRunner.idle();
  assert.deepEqual(await left(), [kept]);
  await reap(app.services);
  assert.equal(await app.services.blobStores.internal.stat("stored", inUse), null);
});

Deno.test("a file that is taken up again while it is being removed is there, or is refused", async () => {
  await using app = await openTestApp();
  const { posts, file, patch, left } = await openFields(app, REMOVED);
  let [held, removed] = [0, 0];
  for (let round = 0; round < 30; round++) {
    const path = await file();
    const { _id: id } = await posts.insertOne({ photo: path });
    ok(await patch(id, { photo: null }));
    app.clock.advance(LOOK_AGAIN_MS);
    const [answer] = await Promise.all([
      round % 2 === 0 ? posts.asSecret({ body: { kept: path } }) : patch(id, { photos: [path] }),
      app.services.jobRunner.runDue(),
    ]);
    const isThere = (await left()).includes(path);
    const isHeld = answer.status < 300;
    assert.equal(isHeld, isThere, `${round}: ${answer.text}`);
    if (isHeld) held++;
    else removed++;
  }
  assert.equal(held + removed, 30);
});

Deno.test("definitions of file fields say what they cannot be", async () => {
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
    [{ ...PHOTO, default: "x" }, /holds files, so it can have no default/],
    [{ ...PHOTO, file: false, onDelete: "remove" }, /has "onDelete", so it needs "file": true/],
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
  // What was stored without being looked at may be a path that its writer may not read.
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

/** Sizes of pictures are ours wherever files are. */
async function statusOf(app: TestApp, address: string): Promise<number> {
  const { origin, pathname, search } = new URL(address);
  const response = origin === app.services.config.publicUrl
    ? await app.open({ path: pathname + search })
    : await fetch(address);
  await response.body?.cancel();
  return response.status;
}
