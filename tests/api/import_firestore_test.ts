import assert from "node:assert/strict";
import { USERS } from "@/lib/auth/users.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { assertTraceless } from "./archives.ts";
import {
  assertNoted,
  importFrom,
  listImportFolders,
  projectOf,
  type TemporaryFolder,
  temporaryFolder,
} from "./foreign_sources.ts";
import { ok, refused } from "./test_collection.ts";
import { ADA, logIn, PASSWORD, storedUsers, userOf } from "./user_email.ts";

const DATABASE = "projects/shop-1/databases/(default)";
const BCRYPT = "$2a$04$PS0cH9PdGgmn6DSknloRt.Q.b6Ppinv4tfBxLDcS93faIN772lOCC";
const TIMES = { createTime: "2024-05-01T10:00:00.123456Z", updateTime: "2024-06-01T10:00:00Z" };

const nameOf = (path: string) => `${DATABASE}/documents/${path}`;
const document = (path: string, fields: object = {}) => ({ name: nameOf(path), fields, ...TIMES });
const text = (stringValue: string) => ({ stringValue });

/** Writes an export with these lines. */
async function writeExport(
  ...lines: readonly (object | string)[]
): Promise<TemporaryFolder & { source: string }> {
  const folder = await temporaryFolder();
  const texts = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line));
  await Deno.writeTextFile(
    `${folder.path}/export.jsonl`,
    texts.map((line) => `${line}\n`).join(""),
  );
  return { ...folder, source: `firestore:${folder.path}/export.jsonl` };
}

async function documentsBySource(project: TestProject, name: string, query = "") {
  const answer = await project.asSecret({ path: `/api/data/${name}?limit=100${query}` });
  // deno-lint-ignore no-explicit-any -- Documents of several shapes.
  return new Map<string, any>(ok(answer).items.map((one: any) => [one.sourceId, one]));
}

async function usersBySource(app: TestApp, project: TestProject) {
  const users = await storedUsers(app, project);
  return new Map(users.map((user) => [String(user.fields!.sourceId), user]));
}

const USER_LINES = [
  {
    localId: "uid-ada",
    email: ADA,
    emailVerified: true,
    displayName: "Ada",
    photoUrl: "https://example.com/ada.png",
    passwordHash: btoa(BCRYPT),
    createdAt: "1714557600000",
    lastSignedInAt: "1717236000000",
    customAttributes: '{"plan":"pro"}',
    phoneNumber: "+4912345",
    providerUserInfo: [
      { providerId: "google.com", rawId: "g-1", email: ADA },
      { providerId: "apple.com", rawId: "a-1" },
    ],
  },
  { localId: "uid-bob", email: "bob@example.com", passwordHash: "c2NyeXB0", salt: "c2FsdA==" },
  { localId: "uid-eve", email: "ADA@example.com", disabled: true },
];

Deno.test("an import from Firestore converts documents with values of every type", async () => {
  await using source = await writeExport(
    document("posts/full", {
      nothing: { nullValue: null },
      yes: { booleanValue: true },
      whole: { integerValue: "42" },
      half: { doubleValue: 0.5 },
      at: { timestampValue: "2026-01-31T12:00:00.123456Z" },
      title: text("Hello"),
      bytes: { bytesValue: "AAEC" },
      tag: { referenceValue: nameOf("tags/red") },
      lost: { referenceValue: nameOf("nowhere/x") },
      place: { geoPointValue: { latitude: 52.5, longitude: 13.4 } },
      words: { arrayValue: { values: [text("a"), text("b")] } },
      tags: { arrayValue: { values: [{ referenceValue: nameOf("tags/red") }] } },
      none: { arrayValue: {} },
      map: { mapValue: { fields: { "a.b": { integerValue: "1" }, a_b: text("x") } } },
    }),
    document("posts/half", { mixed: text("x"), whole: { integerValue: "7" } }),
    document("posts/other", { mixed: { booleanValue: false }, createdAt: text("then") }),
    document("posts/full/comments/c1", { body: text("Nice") }),
    document("tags/red", { label: text("Red") }),
  );
  await using app = await openTestApp();
  const report = await importFrom(app, source.source);
  assert.deepEqual(report.imported, {
    users: 0,
    identities: 0,
    "collections/posts": 3,
    "collections/posts_comments": 1,
    "collections/tags": 1,
    files: 0,
  });
  assert.equal(report.name, "shop-1");
  const project = projectOf(app, report);
  const posts = await documentsBySource(project, "posts");
  const red = (await documentsBySource(project, "tags")).get("red");
  const { _id, isDeleted: _isDeleted, deletedAt: _deletedAt, ...post } = posts.get("full");
  assert.deepEqual(post, {
    sourceId: "full",
    nothing: null,
    yes: true,
    whole: 42,
    half: 0.5,
    at: "2026-01-31T12:00:00.123Z",
    title: "Hello",
    bytes: "AAEC",
    tag: red._id,
    lost: "nowhere/x",
    place: { latitude: 52.5, longitude: 13.4 },
    words: ["a", "b"],
    tags: [red._id],
    none: [],
    map: { a_b_: 1, a_b: "x" },
    createdAt: "2024-05-01T10:00:00.123Z",
    updatedAt: "2024-06-01T10:00:00.000Z",
  });
  assert.deepEqual(
    [posts.get("half").mixed, posts.get("other").mixed, posts.get("other").source_createdAt],
    ["x", false, "then"],
  );
  const comments = await documentsBySource(project, "posts_comments", "&populate=parent");
  assert.equal(comments.get("posts/full/comments/c1").parent.title, "Hello");
  const populated = await documentsBySource(project, "posts", "&populate=tag,tags");
  assert.equal(populated.get("full").tags[0].label, "Red");
  assertNoted(
    report,
    /^posts\/comments is called posts_comments/,
    /^posts\.createdAt is called source_createdAt/,
    /^posts: not declared.*mixed/,
    /^posts\.map: names within it that were changed \("a\.b" is called "a_b_"\): 1$/,
    /^posts: security rules were not carried over.*have no owner/,
  );
});

Deno.test("an import from Firestore keeps password hashes and sign-ins that Corbel supports", async () => {
  await using source = await writeExport(...USER_LINES);
  await using app = await openTestApp();
  const report = await importFrom(app, source.source);
  assert.deepEqual(report.imported, { users: 3, identities: 1, files: 0 });
  const project = projectOf(app, report);
  const users = await usersBySource(app, project);
  const ada = users.get("uid-ada")!;
  assert.deepEqual(
    [ada.email, ada.emailVerified, ada.name, ada.avatarUrl, ada.claims, ada.fields, ada.createdAt],
    [
      ADA,
      true,
      "Ada",
      "https://example.com/ada.png",
      { plan: "pro" },
      { sourceId: "uid-ada", phoneNumber: "+4912345" },
      "2024-05-01T10:00:00.000Z",
    ],
  );
  assert.deepEqual(
    ada.providers.map(({ provider, providerUserId }) => [provider, providerUserId]),
    [
      ["google", "g-1"],
    ],
  );
  assert.equal(userOf(await logIn(project, ADA, PASSWORD)).id, ada._id);
  assert.match((await usersBySource(app, project)).get("uid-ada")!.passwordHash!, /^\$argon2id\$/);
  assert.equal(users.get("uid-bob")!.passwordHash, null);
  refused(await logIn(project, "bob@example.com", PASSWORD), 401, "INVALID_CREDENTIALS");
  const eve = users.get("uid-eve")!;
  assert.deepEqual([eve.email, eve.disabled], [null, true]);
  assertNoted(
    report,
    /passwords left out.*ask for a code: 1$/,
    /emails left out, because another user has the same one: 1$/,
    /sign-ins by apple\.com left out.*: 1$/,
  );
});

Deno.test("an import from Firestore turns texts with ids of users into references and owners", async () => {
  await using source = await writeExport(
    ...USER_LINES,
    document("notes/n1", { owner: text("uid-ada"), body: text("mine") }),
    document("notes/n2", { owner: text("uid-bob"), body: text("uid-bob") }),
    document("users/uid-ada", { nick: text("A") }),
    document("mixed/m1", { who: text("uid-ada") }),
    document("mixed/m2", { who: text("another person") }),
  );
  await using app = await openTestApp();
  const report = await importFrom(app, source.source);
  const project = projectOf(app, report);
  const ada = userOf(await logIn(project, ADA, PASSWORD));
  const notes = ok(await project.asPublic({ path: "/api/data/notes?populate=owner" }, ada)).items;
  assert.deepEqual(notes.map((one: { body: string }) => one.body), ["mine"]);
  assert.equal(notes[0].owner.name, "Ada");
  const profiles = ok(await project.asPublic({ path: "/api/data/app_users" }, ada)).items;
  assert.deepEqual(profiles.map((one: { nick: string }) => one.nick), ["A"]);
  assert.equal((await documentsBySource(project, "mixed")).get("m1").who, "uid-ada");
  assertNoted(
    report,
    /^users is called app_users/,
    /^notes\.owner refers to users/,
    /^notes: security rules were not carried over.*"owner" names/,
    /^users: security rules were not carried over.*"ownerId" names/,
  );
});

Deno.test("an import from Firestore never takes values other than strings for ids of users", async () => {
  const big = "1254071346418286654";
  const elsewhere = "projects/other/databases/(default)/documents/users/uid-ada";
  const owner = text("uid-ada");
  const reference = { referenceValue: elsewhere };
  await using source = await writeExport(
    ...USER_LINES,
    document("files/f1", {
      owner,
      thumb: { bytesValue: "AAEC" },
      number: { integerValue: big },
      other: reference,
      list: { arrayValue: { values: [text("uid-ada")] } },
      mixed: { bytesValue: "AAEC" },
      none: { nullValue: null },
    }),
    document("files/f2", { owner: { nullValue: null }, mixed: text("uid-ada") }),
    document("blobs/b1", { data: { bytesValue: "AAEC" }, id: { integerValue: big } }),
  );
  await using app = await openTestApp();
  const report = await importFrom(app, source.source);
  const project = projectOf(app, report);
  const ada = (await usersBySource(app, project)).get("uid-ada")!._id;
  const files = await documentsBySource(project, "files");
  const { thumb, number, other, list, mixed, owner: ownerId } = files.get("f1");
  assert.deepEqual(
    { thumb, number, other, list, mixed, ownerId },
    {
      thumb: "AAEC",
      number: big,
      other: elsewhere,
      list: ["uid-ada"],
      mixed: "AAEC",
      ownerId: ada,
    },
  );
  assert.deepEqual([files.get("f2").mixed, files.get("f2").owner], ["uid-ada", null]);
  const path = `/api/projects/${project.projectId}/collections`;
  const { items } = ok(await (await project.owner()).send({ path }));
  const [definition, blobs] = ["files", "blobs"].map((name) =>
    items.find((one: { name: string }) => one.name === name)
  );
  const typeOf = (key: string) =>
    definition.fields.find((field: { key: string }) => field.key === key)?.type;
  const types = ["owner", "thumb", "number", "other", "mixed"].map(typeOf);
  assert.deepEqual(types, ["Ref", "String", "String", "String", "String"]);
  assert.equal(definition.rls.ownerField, "owner");
  assert.equal(blobs.rls.ownerField, "ownerId");
  assertNoted(
    report,
    /^files\.thumb: bytes kept as text, in base64: 1$/,
    /^files\.number: integers beyond 2\^53 kept as text: 1$/,
    /^files\.other: references kept as text.*: 1$/,
  );
  assert.equal(report.notes.filter((line) => /refers to users/.test(line)).length, 1);
});

Deno.test("an import from Firestore keeps ids of users in undeclared fields unchanged", async () => {
  const named = { "the owner": text("uid-ada"), constructor: text("uid-ada") };
  const many = Object.fromEntries(
    Array.from({ length: 160 }, (_, n) => [`f${n}`, text("uid-ada")]),
  );
  await using source = await writeExport(
    ...USER_LINES,
    document("named/n", named),
    document("many/m", many),
  );
  await using app = await openTestApp();
  const project = projectOf(app, await importFrom(app, source.source));
  const ada = (await usersBySource(app, project)).get("uid-ada")!._id;
  const stored = (await documentsBySource(project, "named")).get("n");
  assert.deepEqual([stored["the owner"], stored.source_constructor], ["uid-ada", ada]);
  const { f0, f159 } = (await documentsBySource(project, "many")).get("m");
  assert.deepEqual([f0, f159], [ada, "uid-ada"]);
});

Deno.test("an import from Firestore keeps every field of a document with 1,200 fields", async () => {
  const fields = Object.fromEntries(
    ["x", "y"].flatMap((part) =>
      Array.from({ length: 600 }, (_, n) => [`k.${n}.${part}`, text(`${n}${part}`)])
    ),
  );
  const last = { "z.1": text("dot"), z$1: text("dollar"), sourceId: text("own"), _id: text("id") };
  await using source = await writeExport(document("maps/m", { ...fields, ...last }));
  await using app = await openTestApp();
  const project = projectOf(app, await importFrom(app, source.source));
  const stored = (await documentsBySource(project, "maps")).get("m");
  const values = new Set(Object.values(stored));
  for (const { stringValue } of Object.values({ ...fields, ...last })) {
    assert.ok(values.has(stringValue), stringValue);
  }
});

Deno.test("an import from Firestore reports values that cannot be stored exactly", async () => {
  await using source = await writeExport(
    document("things/a", {
      big: { integerValue: "9007199254740993" },
      infinite: { doubleValue: "Infinity" },
      rich: { doubleValue: 1.5 },
      "first name": text("Ada"),
      $where: text("x"),
    }),
    document("things/b", { big: { integerValue: "1" } }),
    { name: nameOf("things/c") },
  );
  await using app = await openTestApp();
  const report = await importFrom(app, source.source);
  const things = await documentsBySource(projectOf(app, report), "things");
  const thing = things.get("a");
  assert.deepEqual(
    [thing.big, thing.infinite, thing.rich, thing["first name"], thing.where],
    ["9007199254740993", null, 1.5, "Ada", "x"],
  );
  assert.equal(things.get("b").big, 1);
  assert.match(things.get("c").createdAt, /^20\d\d-/);
  assertNoted(report, /things\.infinite: numbers left out.*: 1$/, /^things: not declared.*big/);
});

Deno.test("an import from Firestore is refused if the export was imported, except with --copy", async () => {
  await using source = await writeExport(document("a/1"), document("a/2"), ...USER_LINES);
  await using app = await openTestApp();
  const first = await importFrom(app, source.source);
  await assertTraceless(app.services, () => importFrom(app, source.source), /already.*--copy/s);
  const copy = await importFrom(app, source.source, "--copy");
  assert.deepEqual(copy.hashes, first.hashes);
  assert.deepEqual(await listImportFolders(app), []);
});

Deno.test("an import from Firestore refuses an invalid line by its number and leaves no trace", async () => {
  const good = document("posts/a", { title: text("x") });
  let deep: object = text("x");
  for (let n = 0; n < 50; n++) deep = { arrayValue: { values: [deep] } };
  const cases: [(object | string)[], RegExp][] = [
    [[], /export is empty/],
    [["", "  "], /export is empty/],
    [[good, "{"], /Line 2 is not valid JSON \(column 2: the text/],
    [[good, "[1]"], /Line 2 is not a JSON object/],
    [[good, { id: 1 }], /Line 2 is neither a document/],
    [[good, good], /Line 2: "posts\/a" comes twice/],
    [[USER_LINES[0]!, USER_LINES[0]!], /Line 2: the user "uid-ada" comes twice/],
    [[{ name: "posts/a" }], /Line 1: "posts\/a" is not the name of a document/],
    [[document("posts")], /not the name of a document/],
    [[document("posts//comments/c")], /not the name of a document/],
    [[good, { ...good, name: good.name.replace("shop-1", "other") }], /Line 2 belongs to .*other/],
    [[document("posts/a", { title: "x" })], /Line 1: the field "title" has no type/],
    [[document("posts/a", { title: { fancyValue: 1 } })], /has an unknown type/],
    [
      [document("posts/a", { title: { stringValue: "x", nullValue: null } })],
      /has an unknown type/,
    ],
    [[document("posts/a", { list: { arrayValue: { values: {} } } })], /has no valid arrayValue/],
    [[document("posts/a", { deep })], /nested too deeply/],
    [[{ ...good, createTime: 5 }], /Line 1: createTime/],
    [[{ localId: "x", providerUserInfo: {} }], /Line 1: providerUserInfo/],
    [[document("posts/a", { title: text("x".repeat(17_000_000)) })], /Line 1 is longer than/],
  ];
  await using app = await openTestApp();
  for (const [lines, refusal] of cases) {
    await using source = await writeExport(...lines);
    await assertTraceless(app.services, () => importFrom(app, source.source), refusal);
    assert.deepEqual(await listImportFolders(app), []);
  }
  await using source = await writeExport("");
  await Deno.writeFile(`${source.path}/export.jsonl`, Uint8Array.of(0x7b, 0xff, 0xfe, 0x0a));
  await assertTraceless(app.services, () => importFrom(app, source.source), /not UTF-8/);
  const missing = `firestore:${source.path}/none`;
  await assertTraceless(app.services, () => importFrom(app, missing), /Cannot read the file/);
});

Deno.test("an import from Firestore refuses too large documents, or skips them with --continue", async () => {
  const large = document("posts/large", {
    list: { arrayValue: { values: [text("x".repeat(900_000)), text("y".repeat(300_000))] } },
  });
  await using source = await writeExport(large, document("posts/small", { title: text("x") }));
  await using app = await openTestApp();
  await assertTraceless(
    app.services,
    () => importFrom(app, source.source),
    /too large.*--continue/s,
  );
  const report = await importFrom(app, source.source, "--continue");
  assert.deepEqual(report.leftOut, { "collections/posts": 1 });
  assert.deepEqual([...(await documentsBySource(projectOf(app, report), "posts")).keys()], [
    "small",
  ]);
  assert.equal(
    await app.services.engine.records(report.projectId, USERS).count({ op: "and", of: [] }),
    0,
  );
});
