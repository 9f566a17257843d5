import assert from "node:assert/strict";
import { IMPORT_BYTES_MAX } from "@/lib/limits.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, times } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const PATH = "/collections/posts/import";
const FIELDS = [
  { key: "title", type: "String", required: true },
  { key: "views", type: "Number" },
  { key: "slug", type: "String", unique: true },
];

async function openPosts(app: TestApp) {
  const collection = await createTestCollection(app, { fields: FIELDS });
  const owner = await createTestOwner(app, collection.project);
  const importing = (body: unknown, key?: string) =>
    owner.asOwner({ path: PATH, body, ...(key && { headers: { "idempotency-key": key } }) });
  const titles = async () =>
    ok(await collection.asSecret({ path: "?sort=title&limit=1000" })).items
      .map(({ title }: { title: string }) => title);
  return { collection, owner, importing, titles };
}

const slugs = (count: number) => times(count, (n) => ({ title: `T${n}`, slug: `s${n}` }));

Deno.test("importDocuments converts CSV by the declared types and stores JSON unchanged", async () => {
  await using app = await openTestApp();
  const { collection, importing } = await openPosts(app);
  const csv = ok(await importing({ text: "_id;title;views\r\nx;'=1;12\r\ny;B;\r\n" }), 201);
  assert.deepEqual(csv, { rows: 2, stored: 2, failed: [], leftOut: ["_id"] });
  const json = ok(await importing({ text: '[{"title":"C","slug":"c"}]' }), 201);
  assert.equal(json.stored, 1);
  const { items } = ok(await collection.asSecret({ path: "?sort=title&meta=false" }));
  const plain = items.map(({ _id, ...rest }: { _id: string }) => rest);
  assert.deepEqual(plain, [
    { title: "=1", views: 12 },
    { title: "B" },
    { title: "C", slug: "c" },
  ]);
});

Deno.test("importDocuments accepts a byte order mark and refuses UTF-16 with an explanation", async () => {
  await using app = await openTestApp();
  const { collection, importing, titles } = await openPosts(app);
  ok(await importing({ text: '\ufeff[{"title":"A"}]' }), 201);
  ok(await importing({ text: '\ufeff\n {"documents":[{"title":"B"}]}' }), 201);
  ok(await importing({ text: "\ufefftitle\nC" }), 201);
  assert.deepEqual(await titles(), ["A", "B", "C"]);
  await collection.untouched(async () => {
    for (const text of ["t\0i\0t\0l\0e\0", "\0t\0i", "\ufffd\ufffdt\0", "[\0{\0"]) {
      refused(await importing({ text }), 400, "INVALID_INPUT", /UTF-16.*save the file as UTF-8/);
    }
  });
});

/** Returns the names that every object inherits and that a document's member may have. */
const inheritedNames = () =>
  Object.getOwnPropertyNames(Object.prototype)
    .filter((name) => name !== "__proto__" && name !== "constructor");

Deno.test("importDocuments accepts columns named like inherited members of objects", async () => {
  await using app = await openTestApp();
  const { collection, importing } = await openPosts(app);
  const [plain, ...nested] = inheritedNames();
  const membersOf = (name: string) => Object.keys(Object.prototype[name as "toString"]);
  const before = nested.map(membersOf);
  const columns = ["title", plain!, ...nested.map((name) => `${name}.call`)];
  ok(await importing({ text: `${columns}\n${columns.map(() => "x")}` }), 201);
  assert.deepEqual(nested.map(membersOf), before);
  const { items: [stored] } = ok(await collection.asSecret({ path: "?meta=false" }));
  assert.equal(stored[plain!], "x");
  for (const name of nested) assert.deepEqual(stored[name], { call: "x" });
  refused(await importing({ text: "title,__proto__\nA,x" }), 400, "INVALID_DOCUMENT", /__proto__/);
});

Deno.test("importDocuments stores nothing if rows are invalid, and skipInvalid stores the others", async () => {
  await using app = await openTestApp();
  const { collection, importing, titles } = await openPosts(app);
  const text = ["title,views", ...times(12, () => "A,many"), "B,1"].join("\n");
  await collection.untouched(async () => {
    const answer = await importing({ text });
    refused(answer, 400, "INVALID_DOCUMENT", /^12 of 13 rows cannot be stored.* Row 1: .*"views"/);
    assert.deepEqual(
      answer.body.faults.map(({ path }: { path: string }) => path),
      times(10, (n) => `row ${n + 1}`),
    );
  });
  const skipped = ok(await importing({ text, skipInvalid: true }), 201);
  assert.deepEqual([skipped.rows, skipped.stored, skipped.failed.length], [13, 1, 12]);
  assert.deepEqual([skipped.failed[0].row, skipped.failed[0].code], [1, "INVALID_DOCUMENT"]);
  assert.deepEqual(await titles(), ["B"]);
});

Deno.test("importDocuments refuses an integer that is not exact as a Number, but not as a String", async () => {
  await using app = await openTestApp();
  const fields = [...FIELDS, { key: "meta", type: "Object" }, { key: "list", type: "Array" }];
  const collection = await createTestCollection(app, { fields, strict: false });
  const owner = await createTestOwner(app, collection.project);
  const importing = (body: unknown) => owner.asOwner({ path: PATH, body });
  const inexact = "9007199254740993";
  const text = [
    "title;views;meta;list;free",
    `A;${inexact};;;`,
    `B;;"{""n"":${inexact}}";;`,
    `C;;;[1,${inexact}];`,
    `D;9007199254740992;"{""n"":""${inexact}""}";"[""${inexact}""]";${inexact}`,
  ].join("\n");
  const { stored, failed } = ok(await importing({ text, skipInvalid: true }), 201);
  assert.equal(stored, 1);
  const messages = failed.map(({ message }: { message: string }) => message);
  for (const [i, name] of ["views", "meta", "list"].entries()) {
    assert.match(
      messages[i],
      new RegExp(`^The field "${name}" has the integer ${inexact}, .*String`),
    );
  }
  const [only] = ok(await collection.asSecret({ path: "?meta=false" })).items;
  const { title, views, meta, list, free } = only;
  assert.deepEqual({ title, views, meta, list, free }, {
    title: "D",
    views: 2 ** 53,
    meta: { n: inexact },
    list: [inexact],
    free: inexact,
  });
  await collection.untouched(async () => {
    const json = await importing({ text: `[{"title":"E","views":${inexact}}]` });
    refused(json, 400, "INVALID_INPUT", /This has the integer 9007199254740993, .* as a String/);
  });
});

Deno.test("importDocuments reports rows that the store refuses, and fails if it refuses all", async () => {
  await using app = await openTestApp();
  const { collection, importing, titles } = await openPosts(app);
  await collection.insertOne({ title: "there", slug: "s5" });
  const text = JSON.stringify(slugs(150));
  const outcome = ok(await importing({ text }), 201);
  assert.equal(outcome.stored, 149);
  const [{ row, code, message }, ...others] = outcome.failed;
  assert.deepEqual([row, code, others], [6, "DUPLICATE_VALUE", []]);
  assert.match(message, /"slug"/);
  assert.equal((await titles()).length, 150);
  await collection.untouched(async () => {
    refused(await importing({ text }), 409, "DUPLICATE_VALUE", /^150 of 150 rows cannot be stored/);
  });
});

Deno.test("importDocuments as a dry run reports the result and stores nothing", async () => {
  await using app = await openTestApp();
  const { collection, importing } = await openPosts(app);
  await collection.untouched(async () => {
    const outcome = ok(await importing({ text: "title,views\nA,1\nB,x\n", dryRun: true }));
    assert.deepEqual([outcome.rows, outcome.stored, outcome.failed[0].row], [2, 1, 2]);
  });
});

Deno.test("importDocuments stores no row twice if it is repeated with its key, also concurrently", async () => {
  await using app = await openTestApp();
  const { collection, importing, titles } = await openPosts(app);
  const text = JSON.stringify(times(250, (n) => ({ title: `T${n}` })));
  const answers = await Promise.all(times(4, () => importing({ text }, "once")));
  for (const answer of answers) assert.equal(ok(answer, 201).stored, 250);
  assert.equal((await titles()).length, 250);
  refused(await importing({ text: '[{"title":"other"}]' }, "once"), 422, "IDEMPOTENCY_KEY_REUSED");

  const { _id } = await collection.insertOne({ title: "there", slug: "taken" });
  const mixed = JSON.stringify([{ title: "M1" }, { title: "M2", slug: "taken" }]);
  assert.equal(ok(await importing({ text: mixed }, "split"), 201).stored, 1);
  await collection.asSecret({ method: "DELETE", path: `/${_id}?permanent=true` });
  const again = await Promise.all(times(4, () => importing({ text: mixed }, "split")));
  for (const answer of again) assert.equal(ok(answer, 201).stored, 2);
  const imported = (await titles()).filter((title: string) => title.startsWith("M"));
  assert.deepEqual(imported, ["M1", "M2"]);
});

Deno.test("importDocuments stores nothing if the document quota is exceeded", async () => {
  await using app = await openTestApp();
  const { collection, owner } = await openPosts(app);
  const { services } = app;
  const plan = { ...PLANS.free, documentBytes: 0 };
  const full = createApp({
    ...services,
    plans: { ...services.plans, ofProject: () => Promise.resolve(plan) },
  });
  const headers = { cookie: owner.account.cookie };
  const path = `/api/projects/${owner.projectId}${PATH}`;
  const body = { text: '[{"title":"A"},{"title":"B"}]' };
  await collection.untouched(async () => {
    for (const key of [{}, { "idempotency-key": "full" }]) {
      const answer = await send(full, { path, body, headers: { ...headers, ...key } });
      refused(answer, 403, "DOCUMENT_QUOTA_EXCEEDED");
    }
  });
});

Deno.test("importDocuments refuses an invalid body with an explanation, and requires an admin", async () => {
  await using app = await openTestApp();
  const { collection, importing, owner } = await openPosts(app);
  await collection.untouched(async () => {
    for (
      const [body, says] of [
        [{}, /"text" must be/],
        [{ text: "" }, /"text" must be/],
        [{ text: "title\nA", dryRun: "yes" }, /"dryRun" must be/],
        [{ text: "title\nA", skipInvalid: 1 }, /"skipInvalid" must be/],
        [{ text: "é".repeat(IMPORT_BYTES_MAX / 2 + 1) }, /"text" must be/],
        [{ text: "title\nA", rows: 1 }, /may have only text, dryRun, skipInvalid/],
      ] as const
    ) refused(await importing(body), 400, "INVALID_BODY", says);
    refused(await importing({ text: "title\n" }), 400, "INVALID_INPUT", /no rows/);
    refused(await importing({ text: "[1," }), 400, "INVALID_INPUT", /begins like JSON/);
    refused(await importing({ text: "title,title\nA,B" }), 400, "INVALID_INPUT", /twice/);
    await owner.isForAdmins({ path: PATH, body: { text: "title\nA" } });
  });
  const none = await owner.asOwner({ path: PATH.replace("posts", "none"), body: { text: "a\nb" } });
  refused(none, 404, "COLLECTION_NOT_FOUND");
});
