import assert from "node:assert/strict";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { importProject } from "@/lib/operations/archive/import_project.ts";
import { NO_PROGRESS, type Progress } from "@/lib/operations/archive/progress.ts";
import { ALL } from "@/lib/store/filter.ts";
import { parseArguments } from "@/routes/admin/arguments.ts";
import { configurationOf } from "@/routes/admin/file_schemas.ts";
import { archiveFrom } from "@/routes/admin/foreign_archives.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { assertTraceless } from "./archives.ts";
import { openFiles } from "./files.ts";
import {
  assertNoted,
  contentsOf,
  importFrom,
  listImportFolders,
  POCKETBASE,
  pocketbaseCopy,
  projectOf,
  sourceId,
  temporaryFolder,
} from "./foreign_sources.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { ADA, logIn, PASSWORD, storedUsers, userOf } from "./user_email.ts";

const SOURCE = `pocketbase:${POCKETBASE}`;
const IMPORT = {
  readConfiguration: configurationOf,
  name: null,
  ownerId: null,
  isCopy: false,
  skipInvalid: false,
  passphrase: null,
  progress: NO_PROGRESS,
};
const BOB = "bob@example.com";
const HASH = "$2a$04$PS0cH9PdGgmn6DSknloRt.Q.b6Ppinv4tfBxLDcS93faIN772lOCC";

async function usersBySource(app: TestApp, project: TestProject): Promise<Map<string, UserRecord>> {
  const users = await storedUsers(app, project);
  return new Map(users.map((user) => [String(user.fields!.sourceId), user]));
}

/** Returns documents by their ids in the source. */
async function documentsBySource(project: TestProject, name: string, query = "") {
  const answer = await project.asSecret({ path: `/api/data/${name}?limit=100${query}` });
  // deno-lint-ignore no-explicit-any -- Documents of several shapes.
  return new Map<string, any>(ok(answer).items.map((one: any) => [one.sourceId, one]));
}

Deno.test("an import from PocketBase converts fields of every type", async () => {
  await using app = await openTestApp();
  const report = await importFrom(app, SOURCE);
  assert.deepEqual(report.imported, {
    users: 2,
    identities: 1,
    "collections/staff": 1,
    "collections/tags": 2,
    "collections/posts": 3,
    "collections/app_users_notes": 1,
    files: 4,
  });
  assert.deepEqual([report.name, report.leftOut], ["Fixture", {}]);
  const project = projectOf(app, report);
  const posts = await documentsBySource(project, "posts");
  const tags = await documentsBySource(project, "tags");
  const users = await usersBySource(app, project);
  const idOfTag = (name: string) => tags.get(sourceId(name))._id;
  const { _id, createdAt, updatedAt, touchedAt, cover, papers, ...post } = posts.get(
    sourceId("full"),
  );
  assert.deepEqual(post, {
    sourceId: sourceId("full"),
    title: "Of every type",
    slug: "every-type",
    body: "<p>Hello</p>",
    views: 12.5,
    isDraft: true,
    contact: "press@example.com",
    link: "https://example.com/a",
    publishedAt: "2026-01-31T12:00:00.123Z",
    status: "live",
    moods: ["calm", "glad"],
    author: users.get(sourceId("ada"))!._id,
    main: idOfTag("red"),
    tags: [idOfTag("red"), idOfTag("green")],
    extra: { deep: { list: [1, null, "x"] } },
    anything: [1, 2],
    place: { lon: 13.4, lat: 52.5 },
    isDeleted: false,
    deletedAt: null,
  });
  assert.match(_id, /^[0-9a-f]{24}$/);
  for (const time of [createdAt, updatedAt, touchedAt]) assert.match(time, /^20\d\d-.*\.\d{3}Z$/);
  assert.match(cover, new RegExp(`^${report.projectId}/[0-9a-f-]{36}_k_ln_1_\\w+\\.png$`));
  assert.equal(papers.length, 2);
  const empty = posts.get(sourceId("empty"));
  const nothing = ["slug", "link", "publishedAt", "status", "cover", "author", "main", "extra"];
  for (const key of nothing) assert.equal(empty[key], null, key);
  assert.deepEqual([empty.views, empty.isDraft, empty.tags, empty.papers], [0, false, [], []]);
  assert.equal(posts.get(sourceId("words")).anything, "a text");
  const [note] = (await documentsBySource(project, "app_users_notes")).values();
  assert.deepEqual([note.text, note.source_createdAt], ["Hi", "2020-02-29T00:00:00.000Z"]);
  assert.notEqual(note.createdAt, note.source_createdAt);
  assert.ok(!("secret" in note));
});

Deno.test("users from PocketBase sign in with their password, whose hash is then replaced", async () => {
  await using app = await openTestApp();
  const project = projectOf(app, await importFrom(app, SOURCE));
  const before = (await usersBySource(app, project)).get(sourceId("ada"))!;
  assert.match(before.passwordHash!, /^\$2[aby]\$10\$/);
  refused(await logIn(project, ADA, "another stone 42"), 401, "INVALID_CREDENTIALS");
  const user = userOf(await logIn(project, ADA, PASSWORD));
  assert.equal(user.id, before._id);
  const after = (await usersBySource(app, project)).get(sourceId("ada"))!;
  assert.match(after.passwordHash!, /^\$argon2id\$/);
  ok(await logIn(project, ADA, PASSWORD));
  const me = ok(await project.asPublic({ path: "/api/userAuth/me" }, user));
  const { email, emailVerified, name, username, age } = me.user ?? me;
  assert.deepEqual([email, emailVerified, name, username, age], [ADA, true, "Ada", "ada_l", 36]);
  const bob = (await usersBySource(app, project)).get(sourceId("bob"))!;
  assert.deepEqual([bob.emailVerified, bob.username, bob.fields!.source_roles], [false, null, [
    "reader",
  ]]);
  assert.deepEqual(
    before.providers.map(({ provider, providerUserId }) => [provider, providerUserId]),
    [
      ["github", "4711"],
    ],
  );
});

Deno.test("an import from PocketBase keeps relations, unique indexes and owners", async () => {
  await using app = await openTestApp();
  const project = projectOf(app, await importFrom(app, SOURCE));
  const post = (await documentsBySource(project, "posts", "&populate=author,main,tags,cover"))
    .get(sourceId("full"));
  assert.deepEqual([post.author.name, post.main.label], ["Ada", "red"]);
  assert.deepEqual(post.tags.map(({ label }: { label: string }) => label), ["red", "green"]);
  const body = { sourceId: "another", title: "Another", slug: "every-type" };
  refused(await project.asSecret({ path: "/api/data/posts", body }), 409, "DUPLICATE_VALUE");
  const [ada, bob] = [await logIn(project, ADA, PASSWORD), await logIn(project, BOB, PASSWORD)];
  const seen = async (answer: typeof ada) =>
    ok(await project.asPublic({ path: "/api/data/posts" }, userOf(answer))).items
      .map(({ title }: { title: string }) => title);
  assert.deepEqual([await seen(ada), await seen(bob)], [["Of every type"], ["Words"]]);
  refused(await project.asPublic({ path: "/api/data/posts" }), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asPublic({ path: "/api/data/tags" }), 401, "ACCESS_TOKEN_REQUIRED");
});

Deno.test("an import from PocketBase keeps files and makes protected ones private", async () => {
  await using app = await openTestApp();
  const project = projectOf(app, await importFrom(app, SOURCE));
  const files = await openFiles(app, project);
  const { cover, papers } = (await documentsBySource(project, "posts")).get(sourceId("full"));
  const info = ok(await files.info(cover));
  assert.deepEqual(
    [info.filename, info.contentType, info.visibility, info.size],
    ["Köln 1.png", "image/png", "public", 69],
  );
  const blobs = await app.services.blobStores.blobsOf(project.projectId, "internal");
  const original = [...Deno.readDirSync(POCKETBASE + "/storage")].flatMap(({ name }) =>
    [...Deno.readDirSync(`${POCKETBASE}/storage/${name}`)].map((one) => `${name}/${one.name}`)
  ).find((path) => path.endsWith(sourceId("full")))!;
  const [png] = [...Deno.readDirSync(`${POCKETBASE}/storage/${original}`)]
    .filter(({ name }) => name.endsWith(".png"));
  assert.deepEqual(
    await new Response(await blobs.read("stored", cover)).bytes(),
    await Deno.readFile(`${POCKETBASE}/storage/${original}/${png!.name}`),
  );
  const paper = ok(await files.info(papers[0]));
  assert.deepEqual([paper.visibility, paper.filename], ["private", "one.txt"]);
  const avatar = (await usersBySource(app, project)).get(sourceId("ada"))!.fields!.avatar;
  assert.equal(ok(await files.info(`${project.projectId}/${avatar}`)).filename, "ada.png");
});

Deno.test("an import from PocketBase reports what was mapped and what was left out", async () => {
  await using app = await openTestApp();
  const report = await importFrom(app, SOURCE);
  assertNoted(
    report,
    /^staff became a collection like any other/,
    /^titles was left out: it is a view/,
    /^users_notes is called app_users_notes/,
    /^users_notes\.createdAt is called source_createdAt/,
    /^users_notes\.secret was left out: it has hashes/,
    /^users\.roles is called source_roles/,
    /^posts\.anything is not declared/,
    /index was left out, because it is of an expression: .*idx_lower/,
    /unique regardless of case: .*idx_contact/,
    /^posts: its rules were not carried over, .*"author" names.*listRule "isDraft = false/,
    /^tags: its rules were not carried over, .*have no owner/,
    /sign-ins by discord left out.*: 1$/,
    /usernames left out.*: 1$/,
  );
  assert.deepEqual(report.todo, ["Sign-in with github is off: set its client secret."]);
});

Deno.test("an import from PocketBase is refused if repeated, and a copy has its own files", async () => {
  await using app = await openTestApp();
  const first = await importFrom(app, SOURCE);
  await assertTraceless(app.services, () => importFrom(app, SOURCE), /already.*--copy/s);
  const copy = await importFrom(app, SOURCE, "--copy", "--name", "Second");
  assert.notEqual(copy.projectId, first.projectId);
  assert.equal(copy.name, "Second");
  assert.equal(copy.hashes.users, first.hashes.users);
  assert.equal(copy.hashes.files, first.hashes.files);
  const project = projectOf(app, copy);
  const post = (await documentsBySource(project, "posts")).get(sourceId("full"));
  assert.ok(post.cover.startsWith(`${copy.projectId}/`));
  ok(await (await openFiles(app, project)).info(post.cover));
});

Deno.test("an import from PocketBase that was interrupted resumes if it is run again", async () => {
  await using app = await openTestApp();
  const cutOff: Progress = {
    forPart: (what) => () => {
      if (what === "files") throw new Error("the process ended");
    },
  };
  const { config } = app.services;
  {
    const args = parseArguments(["--from", SOURCE], { values: ["from"] });
    await using archive = await archiveFrom(args, { config, progress: cutOff });
    const work = importProject(app.services, archive.open, { ...IMPORT, progress: cutOff });
    await assert.rejects(work, /the process ended/);
  }
  const projectIds = (await app.services.engine.spaces()).sort();
  assert.equal(projectIds.length, 1);
  const report = await importFrom(app, SOURCE);
  assert.deepEqual([report.projectId], projectIds);
  assert.equal(report.imported.files, 4);
});

Deno.test("an import from PocketBase leaves the folder unchanged and no temporary files", async () => {
  await using folder = await pocketbaseCopy();
  await using app = await openTestApp();
  const before = await contentsOf(folder.path);
  await importFrom(app, `pocketbase:${folder.path}`);
  assert.deepEqual(await contentsOf(folder.path), before);
  assert.deepEqual(await listImportFolders(app), []);
});

Deno.test("an import from PocketBase includes the write-ahead log of a running server", async () => {
  await using folder = await pocketbaseCopy();
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(`${folder.path}/data.db`);
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    db.exec("INSERT INTO tags (id, label) VALUES ('blue00000000000', 'blue')");
    await using app = await openTestApp();
    const project = projectOf(app, await importFrom(app, `pocketbase:${folder.path}`));
    assert.equal((await documentsBySource(project, "tags")).get(sourceId("blue")).label, "blue");
  } finally {
    db.close();
  }
});

Deno.test("an import from PocketBase refuses an invalid folder with its reason and leaves no trace", async () => {
  await using none = await temporaryFolder();
  await using text = await pocketbaseCopy();
  await Deno.writeTextFile(`${text.path}/data.db`, "no database at all");
  await using cut = await pocketbaseCopy();
  await Deno.truncate(`${cut.path}/data.db`, 100_000);
  await using other = await pocketbaseCopy((db) => db.exec("DROP TABLE _collections"));
  await using auths = await pocketbaseCopy((db) => db.exec("DROP TABLE _externalAuths"));
  await using old = await pocketbaseCopy((db) =>
    db.exec("ALTER TABLE _collections RENAME COLUMN fields TO schema")
  );
  await using broken = await pocketbaseCopy((db) =>
    db.exec("UPDATE _collections SET fields = '{' WHERE name = 'posts'")
  );
  await using foreign = await pocketbaseCopy((db) =>
    db.exec("UPDATE _collections SET type = 'graph' WHERE name = 'posts'")
  );
  await using tables = await pocketbaseCopy((db) => db.exec("DROP TABLE posts"));
  await using app = await openTestApp();
  const refusals: [string, RegExp][] = [
    [none.path, /is not a folder of PocketBase: it has no data\.db/],
    [`${none.path}/missing`, /There is no folder ".*missing"/],
    [text.path, /data\.db is damaged or is not a database/],
    [cut.path, /data\.db is damaged/],
    [other.path, /not a database of PocketBase/],
    [auths.path, /not a database of PocketBase: it must have .*_externalAuths/],
    [old.path, /before 0\.23/],
    [broken.path, /fields of "posts"/],
    [foreign.path, /"posts" has an unknown type/],
    [tables.path, /the table "posts" has no column/],
  ];
  for (const [path, refusal] of refusals) {
    await assertTraceless(app.services, () => importFrom(app, `pocketbase:${path}`), refusal);
    assert.deepEqual(await listImportFolders(app), []);
  }
});

Deno.test("an import from PocketBase reads no files outside the folder's storage", async () => {
  await using secret = await temporaryFolder();
  await Deno.writeTextFile(`${secret.path}/secret.txt`, "secret");
  await using folder = await pocketbaseCopy((db) => {
    const set = db.prepare("UPDATE posts SET cover = ?, papers = ? WHERE id = ?");
    set.run("link.txt", JSON.stringify(["..", "../../../data.db", "gone.txt"]), sourceId("empty"));
    set.run(`../../../../../../../../..${secret.path}/secret.txt`, "[]", sourceId("words"));
  });
  const storage = `${folder.path}/storage`;
  const posts = [...Deno.readDirSync(storage)].find(({ name }) => name.startsWith("pbc_"))!.name;
  await Deno.mkdir(`${storage}/${posts}/${sourceId("empty")}`);
  await Deno.symlink(
    `${secret.path}/secret.txt`,
    `${storage}/${posts}/${sourceId("empty")}/link.txt`,
  );
  await using app = await openTestApp();
  const report = await importFrom(app, `pocketbase:${folder.path}`);
  assert.equal(report.imported.files, 4);
  assertNoted(report, /posts\.cover: files left out.*: 2$/, /posts\.papers: files left out.*: 3$/);
  const documents = await documentsBySource(projectOf(app, report), "posts");
  for (const name of ["empty", "words"]) assert.equal(documents.get(sourceId(name)).cover, null);
});

Deno.test("an import from PocketBase gives a shared e-mail to the user who has verified it", async () => {
  await using folder = await pocketbaseCopy((db) => {
    const insert = db.prepare(
      "INSERT INTO users (id, email, verified, password, tokenKey, name) VALUES (?, ?, ?, ?, ?, ?)",
    );
    insert.run(sourceId("aaa"), "ADA@example.com", 0, HASH, "k1", "Not Ada");
    insert.run(sourceId("costly"), "costly@example.com", 1, HASH.replace("$04$", "$11$"), "k2", "");
    insert.run(sourceId("broken"), "no address", 1, "$2a$10$cut", "k3", "x\ny");
    insert.run(sourceId("cheap"), "cheap@example.com", 0, HASH, "k4", "Cheap");
  });
  await using app = await openTestApp();
  const report = await importFrom(app, `pocketbase:${folder.path}`);
  const project = projectOf(app, report);
  const users = await usersBySource(app, project);
  assert.equal(users.get(sourceId("ada"))!.email, ADA);
  assert.deepEqual([users.get(sourceId("aaa"))!.email, users.get(sourceId("aaa"))!.name], [
    null,
    "Not Ada",
  ]);
  assert.equal(users.get(sourceId("costly"))!.passwordHash, null);
  assert.deepEqual(
    [users.get(sourceId("broken"))!.email, users.get(sourceId("broken"))!.passwordHash],
    [null, null],
  );
  assertNoted(
    report,
    /emails left out, because another.*: 1$/,
    /e-mails left out, because they are not plain addresses: 1$/,
    /passwords left out.*cost from 4 to 10.*: 2$/,
  );
  refused(await logIn(project, "costly@example.com", PASSWORD), 401, "INVALID_CREDENTIALS");
  ok(await logIn(project, "cheap@example.com", PASSWORD));
});

Deno.test("an import from PocketBase leaves out and counts values that do not fit", async () => {
  await using folder = await pocketbaseCopy((db) => {
    const set = db.prepare("UPDATE posts SET extra = ?, publishedAt = ?, views = ? WHERE id = ?");
    const deep = `${"[".repeat(500)}${"]".repeat(500)}`;
    set.run(deep, "yesterday", 9007199254740992n, sourceId("empty"));
    set.run("no json", "2026-02-01 00:00:00Z", 2, sourceId("words"));
  });
  await using app = await openTestApp();
  const report = await importFrom(app, `pocketbase:${folder.path}`);
  const posts = await documentsBySource(projectOf(app, report), "posts");
  const { title, extra, publishedAt, views } = posts.get(sourceId("empty"));
  assert.deepEqual([title, extra, publishedAt, views], ["Empty", null, null, 2 ** 53]);
  assert.equal(posts.get(sourceId("words")).publishedAt, "2026-02-01T00:00:00.000Z");
  assertNoted(report, /posts\.extra: values left out/, /posts\.publishedAt: times left out.*: 1$/);
});

Deno.test("an import from PocketBase renames members of JSON that cannot be stored", async () => {
  await using folder = await pocketbaseCopy((db) => {
    const set = db.prepare("UPDATE posts SET extra = ?, anything = ? WHERE id = ?");
    set.run('{"example.com":1,"other":2}', '[{"$where":{"a.b":1,"a_b":2}}]', sourceId("empty"));
    set.run('{"constructor":{"":1}}', '"text"', sourceId("words"));
  });
  await using app = await openTestApp();
  const report = await importFrom(app, `pocketbase:${folder.path}`);
  const posts = await documentsBySource(projectOf(app, report), "posts");
  const [empty, words] = [posts.get(sourceId("empty")), posts.get(sourceId("words"))];
  assert.deepEqual(empty.extra, { example_com: 1, other: 2 });
  assert.deepEqual(empty.anything, [{ _where: { a_b_: 1, a_b: 2 } }]);
  assert.deepEqual(words.extra, { source_constructor: { source_: 1 } });
  assertNoted(
    report,
    /^posts\.extra: names within it .*"example\.com" is called "example_com".*: 3$/,
    /^posts\.anything: names within it .*"\$where" is called "_where".*: 2$/,
  );
});

Deno.test("an import from PocketBase without users or collections creates an empty project", async () => {
  await using folder = await pocketbaseCopy((db) =>
    db.exec("DELETE FROM _collections WHERE system = 0; DELETE FROM _params")
  );
  await using app = await openTestApp();
  const report = await importFrom(app, `pocketbase:${folder.path}`);
  assert.deepEqual([report.name, report.imported], ["PocketBase", {
    users: 0,
    identities: 0,
    files: 0,
  }]);
  const users = app.services.engine.records(report.projectId, USERS);
  assert.equal(await users.count(ALL), 0);
  assert.notEqual(report.projectId, UNKNOWN_ID);
});
