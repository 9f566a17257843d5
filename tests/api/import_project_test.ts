import assert from "node:assert/strict";
import { createWebhook } from "@/lib/events/webhooks/manage.ts";
import { FREE_COLLECTIONS_MAX, PROJECT_TRASH_MS } from "@/lib/limits.ts";
import { END } from "@/lib/operations/archive/format.ts";
import type { Progress } from "@/lib/operations/archive/progress.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import type { Engine } from "@/lib/store/port.ts";
import { maintain } from "@/routes/maintenance.ts";
import { withMethods } from "../support/with_methods.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { createOwnedProject, openAccount } from "../support/dashboard.ts";
import { createCollection } from "../support/given.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  archiveFurnishedProject,
  createFurnishedProject,
  FIRST_POSTS,
  toNdjson,
} from "./archived_project.ts";
import {
  alterArchive,
  archiveOf,
  assertTraceless,
  importBytes,
  linesIn,
  PASSPHRASE,
  recordsIn,
  storedState,
} from "./archives.ts";
import { MiB } from "./files.ts";

Deno.test("an import of an invalid archive is refused with its reason and leaves no trace", async () => {
  const { bytes } = await archiveFurnishedProject();
  await using app = await openTestApp();
  const { services } = app;
  const damaged = bytes.slice();
  damaged[3] = 0xff; // Within the first header.
  const alterations: [Parameters<typeof alterArchive>[1], RegExp][] = [
    [(all) => all.delete(END), /cut off: it has no end\.json/],
    [(all) => all.delete("configuration.json"), /no configuration\.json|does not declare/],
    [(all) => all.delete("manifest.json"), /manifest\.json must be the first entry/],
    [
      (all) =>
        all.set("manifest.json", all.get("manifest.json")!.replace("archive/1", "archive/2")),
      /"format" is "corbel-archive\/2", and this Corbel reads "corbel-archive\/1"/,
    ],
    [
      (all) => all.set(FIRST_POSTS, all.get(FIRST_POSTS)!.replace("Post 1", "Post 9")),
      /altered or is damaged: .*end\.json about collections\/posts/,
    ],
    [
      (all) => all.set(FIRST_POSTS, "{\n"),
      /0000001\.ndjson, line 1: this is not valid JSON \(column 2: the text ends too soon\)/,
    ],
    [
      (all) => all.set(FIRST_POSTS, all.get(FIRST_POSTS)!.slice(0, -20)),
      /0000001\.ndjson is cut off/,
    ],
    [
      (all) => all.set(FIRST_POSTS, '{"revision":1,"record":{"_id":"x"}}\n'),
      /line 1: a line must be/,
    ],
    [
      (all) => all.set("collections/none/0000001.ndjson", all.get(FIRST_POSTS)!),
      /continues after end\.json/,
    ],
    [
      (all) => all.set(FIRST_POSTS, " ".repeat(16 * MiB + 1)),
      /has more than 16777216 bytes \(16 MB\)/,
    ],
    [
      (all) => all.set("configuration.json", "{"),
      /configuration\.json is not valid JSON \(line 1, column 2: the text/,
    ],
    [
      (all) => all.set("configuration.json", '{"format":"corbel-project/1","collections":[{}]}'),
      /collections\.0/,
    ],
  ];
  for (const [alter, refusal] of alterations) {
    await assertTraceless(
      services,
      async () => importBytes(services, await alterArchive(bytes, alter)),
      refusal,
    );
  }
  const streams: [Uint8Array<ArrayBuffer>, RegExp][] = [
    [damaged, /damaged or is not a tar/],
    [bytes.slice(0, 3000), /damaged or is not a tar|cut off/],
    [new TextEncoder().encode("not a tar at all".repeat(100)), /damaged or is not a tar/],
    [new Uint8Array(), /cut off|damaged/],
  ];
  for (const [altered, refusal] of streams) {
    await assertTraceless(services, () => importBytes(services, altered), refusal);
  }
});

Deno.test("an import refuses an entry that is not part of the format", async () => {
  const { bytes } = await archiveFurnishedProject();
  await using app = await openTestApp();
  const { services } = app;
  const names = [
    "../outside",
    "/etc/passwd",
    "files/../../x/row.json",
    "collections/../x/0000001.ndjson",
    "more.json",
  ];
  for (const name of names) {
    const altered = await alterArchive(bytes, (all) => {
      const end = all.get(END)!;
      all.delete(END);
      all.set(name, "{}\n").set(END, end);
    });
    await assertTraceless(
      services,
      () => importBytes(services, altered),
      /which is not part of its format/,
    );
  }
});

Deno.test("an import refuses invalid records before any write, or skips and counts them", async () => {
  const { bytes } = await archiveFurnishedProject(4);
  await using app = await openTestApp();
  const { services } = app;
  const changes: [(record: Record<string, unknown>) => void, RegExp][] = [
    [(record) => delete record.title, /"title" is required/],
    [(record) => record.at = "2026-01-01", /"at" is not in its stored form/],
    [(record) => record.title = 7, /"title" /],
    [(record) => record.isDeleted = true, /"deletedAt" must be a time/],
    [(record) => record.createdAt = "yesterday", /"createdAt" must be a time/],
  ];
  for (const [change, refusal] of changes) {
    const altered = await alterArchive(bytes, (all) => {
      const records = recordsIn(all.get(FIRST_POSTS)!);
      change(records[1]!.record);
      all.set(FIRST_POSTS, toNdjson(records));
    }, { hasMatchingEnd: true });
    await assertTraceless(services, () => importBytes(services, altered), refusal);
  }
  const twice = await alterArchive(bytes, (all) => {
    const [first, second, ...rest] = recordsIn(all.get(FIRST_POSTS)!);
    all.set(
      FIRST_POSTS,
      toNdjson([
        first,
        { ...second!, record: { ...second!.record, _id: first!.record._id } },
        ...rest,
      ]),
    );
  }, { hasMatchingEnd: true });
  await assertTraceless(
    services,
    () => importBytes(services, twice),
    /it has the id of the record before it/,
  );
  const taken = await alterArchive(bytes, (all) => {
    const records = recordsIn(all.get(FIRST_POSTS)!);
    records[2]!.record.code = records[0]!.record.code;
    all.set(FIRST_POSTS, toNdjson(records));
  }, { hasMatchingEnd: true });
  await assertTraceless(
    services,
    () => importBytes(services, taken),
    /another record has its value of the unique field "code"/,
  );

  const mixed = await alterArchive(bytes, (all) => {
    const records = recordsIn(all.get(FIRST_POSTS)!);
    delete records[1]!.record.title;
    records[2]!.record.code = records[0]!.record.code;
    all.set(FIRST_POSTS, toNdjson(records));
  }, { hasMatchingEnd: true });
  const report = await importBytes(services, mixed, { skipInvalid: true });
  assert.deepEqual(report.leftOut, { "collections/posts": 2 });
  assert.equal(report.imported["collections/posts"], 2);
  assert.match(report.why.join(), /"title" is required.*unique field "code"/);
});

Deno.test("an import is refused if the project exists, except as a copy", async () => {
  await using app = await openTestApp();
  const { services } = app;
  const { project, photo } = await createFurnishedProject(app);
  const { bytes } = await archiveOf(services, project.projectId);
  await assertTraceless(
    services,
    () => importBytes(services, bytes),
    /There is a project .* already/,
  );
  const account = await openAccount(app);
  const copy = await importBytes(services, bytes, {
    isCopy: true,
    name: "Copy",
    ownerId: account.accountId,
  });
  assert.notEqual(copy.projectId, project.projectId);
  const read = await account.send({ path: `/api/projects/${copy.projectId}` });
  assert.equal((read.body.data as { name: string }).name, "Copy");
  const listed = await app.send({
    path: "/api/data/posts?photo_exists=true&populate=photo",
    headers: { "x-api-key": copy.secretKey! },
  });
  const [post] = (listed.body.data as { items: { photo: { path: string } }[] }).items;
  assert.equal(post!.photo.path, photo.replace(project.projectId, copy.projectId));
});

Deno.test("an import includes collections beyond the plan of the new owner", async () => {
  await using source = await openTestApp();
  const project = await createOwnedProject(await openAccount(source, { plan: "pro" }));
  const names = Array.from({ length: FREE_COLLECTIONS_MAX + 1 }, (_, n) => `c${n}`);
  for (const name of names) {
    await createCollection(source.services, project.projectId, { name, fields: [] });
  }
  const { bytes } = await archiveOf(source.services, project.projectId);
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const report = await importBytes(app.services, bytes, { ownerId: owner.accountId });
  const listed = await owner.send({ path: `/api/projects/${report.projectId}/collections` });
  assert.equal((listed.body.data as { items: unknown[] }).items.length, names.length);
  const more = { name: "more", fields: [] };
  await assert.rejects(createCollection(app.services, report.projectId, more), /plan allows/);
});

Deno.test("an archive contains secrets only with a passphrase, and API keys then keep working", async () => {
  await using source = await openTestApp();
  const { project } = await createFurnishedProject(source);
  const webhook = await createWebhook(source.services, project.projectId, {
    name: "Search",
    url: "https://hooks.example/corbel",
    events: { posts: ["created"] },
  });
  const { projectId } = project;
  const plain = await archiveOf(source.services, projectId);
  const sealed = await archiveOf(source.services, projectId, { passphrase: PASSPHRASE });
  for (const { bytes } of [plain, sealed]) {
    const text = new TextDecoder().decode(bytes);
    assert.ok(!text.includes(webhook.secret) && !text.includes(project.secretKey));
  }
  await using app = await openTestApp();
  const { services } = app;
  const open = (bytes: Uint8Array<ArrayBuffer>, passphrase: string) => () =>
    importBytes(services, bytes, { passphrase });
  await assertTraceless(services, open(sealed.bytes, `${PASSPHRASE}!`), /passphrase is wrong/);
  await assertTraceless(services, open(plain.bytes, PASSPHRASE), /The archive has no secrets/);
  const report = await importBytes(services, sealed.bytes, { passphrase: PASSPHRASE });
  assert.deepEqual([report.publishableKey, report.secretKey, report.todo], [null, null, []]);
  const answer = await app.send({
    path: "/api/data/posts",
    headers: { "x-api-key": project.secretKey },
  });
  assert.equal(answer.status, 200, answer.text);

  await using other = await openTestApp();
  const without = await importBytes(other.services, plain.bytes);
  assert.match(without.todo.join(), /The webhook Search is off/);
  const refused = await other.send({
    path: "/api/data/posts",
    headers: { "x-api-key": project.secretKey },
  });
  assert.equal(refused.status, 401);
});

/** Creates a progress listener that throws after `count` records of the part `what`. */
function failAfter(count: number, what: string): Progress {
  let reported = 0;
  return {
    forPart: (one) => (added) => {
      if (one === what && (reported += added) >= count) throw new Error("the machine went away");
    },
  };
}

Deno.test("an import that failed at any point resumes with the same archive", async () => {
  const { bytes, end, projectId } = await archiveFurnishedProject(1_200);
  await using app = await openTestApp();
  const { services } = app;
  const points = [["users", 1], ["collections/posts", 500], ["collections/posts", 1_000], [
    "files",
    1,
  ], ["comparing collections/posts", 1]] as const;
  for (const [what, count] of points) {
    await assert.rejects(
      importBytes(services, bytes, { progress: failAfter(count, what) }),
      /the machine went away/,
    );
    const projects = services.engine.records<ProjectRecord>("control", PROJECTS);
    const project = (await projects.get(projectId))!.value;
    assert.ok(project.importDigest, "the project is marked as incomplete");
    await maintain(services);
    assert.notEqual(await projects.get(projectId), null, "the incomplete project is kept");
  }
  const report = await importBytes(services, bytes);
  assert.equal(report.hashes["collections/posts"], end.collections.posts!.sha256);
  assert.equal(report.hashes.files, end.files.sha256);
  const answer = await app.send({
    path: "/api/data/posts?count=true",
    headers: { "x-api-key": report.secretKey! },
  });
  assert.equal(answer.status, 200, answer.text);
  await assert.rejects(importBytes(services, bytes), /There is a project .* already/);
});

Deno.test("of concurrent imports of one archive one succeeds, and the others are refused", async () => {
  const { bytes } = await archiveFurnishedProject(600);
  await using app = await openTestApp();
  const { services } = app;
  const imports = await Promise.allSettled(
    Array.from({ length: 8 }, () => importBytes(services, bytes)),
  );
  const done = imports.filter(({ status }) => status === "fulfilled");
  assert.equal(done.length, 1);
  for (const one of imports) {
    if (one.status === "rejected") {
      assert.match(String(one.reason), /being imported|There is a project/);
    }
  }
  const { control: [projects] } = await storedState(services);
  assert.equal(projects!.length, 1);
});

Deno.test("an import that is not resumed is removed with its files after a week", async () => {
  const { bytes } = await archiveFurnishedProject();
  await using app = await openTestApp();
  const { services, clock } = app;
  const before = await storedState(services);
  await assert.rejects(importBytes(services, bytes, { progress: failAfter(1, "files") }));
  clock.advance(PROJECT_TRASH_MS - 60_000);
  await maintain(services);
  assert.equal((await storedState(services)).control[0]!.length, 1);
  clock.advance(60_000);
  await maintain(services);
  assert.deepEqual(await storedState(services), before);
});

testUnless(
  faults.ignoresSnapshots,
  "an export during writes is a consistent snapshot, or reports that it is not",
  async () => {
    await using app = await openTestApp();
    const { services } = app;
    const project = await app.project();
    await project.collection({ name: "pairs", fields: [{ key: "n", type: "Number" }] });
    // The numbers of each request add up to 0.
    const write = async () => {
      const body = Array.from({ length: 100 }, (_, i) => ({ n: i % 2 === 0 ? i + 1 : -i }));
      const { status, text } = await project.asSecret({ path: "/api/data/pairs/bulk", body });
      assert.equal(status, 201, text);
    };
    for (let n = 0; n < 25; n++) await write();
    let isDone = false;
    const writing = (async () => {
      while (!isDone) await write();
    })();
    const { bytes, end } = await archiveOf(services, project.projectId);
    isDone = true;
    await writing;
    const { count } = end.collections.pairs!;
    assert.ok(count >= 2_500);
    if (services.engine.name === "sqlite") assert.ok(end.read.isOfOneMoment);
    if (!end.read.isOfOneMoment) return;
    const numbers = await linesIn(bytes, "collections/pairs/");
    assert.equal(numbers.length, count);
    assert.equal(numbers.reduce((sum, { record }) => sum + (record.n as number), 0), 0);
  },
);

Deno.test("an export lists files that were removed while it ran", async () => {
  await using app = await openTestApp();
  const { services } = app;
  const { project, photo } = await createFurnishedProject(app);
  // The row is part of the snapshot, but the bytes are read later.
  const withoutBytes = withMethods(services, {
    blobStores: withMethods(services.blobStores, {
      blobsOf: async (...of: Parameters<typeof services.blobStores.blobsOf>) =>
        withMethods(await services.blobStores.blobsOf(...of), {
          read: () => Promise.resolve(null),
        }),
    }),
  });
  const { bytes, end } = await archiveOf(withoutBytes, project.projectId);
  assert.deepEqual(end.missingFiles, [photo.slice(photo.indexOf("/") + 1)]);
  assert.equal(end.files.count, 0);
  const report = await importBytes(services, bytes, { isCopy: true });
  assert.deepEqual(report.missingFiles, end.missingFiles);
});

Deno.test("an import whose stored records differ from the archive fails and leaves no trace", async () => {
  const { bytes } = await archiveFurnishedProject();
  await using app = await openTestApp();
  const lossy = withMethods(app.services, {
    engine: withMethods(app.services.engine, {
      records: (...of: Parameters<Engine["records"]>) => {
        const records = app.services.engine.records(...of);
        return withMethods(records, {
          restore: (all: Parameters<typeof records.restore>[0]) =>
            records.restore(all.map((one) => ({ ...one, revision: one.revision + 1 }))),
        });
      },
    }),
  });
  await assertTraceless(
    app.services,
    () => importBytes(lossy, bytes),
    /differ from the archive/,
  );
});

Deno.test("an import records no changes for webhooks and live lists", async () => {
  const { bytes } = await archiveFurnishedProject();
  await using app = await openTestApp();
  const { services } = app;
  const changedSpaces: string[] = [];
  services.engine.changes.onRecorded((space) => changedSpaces.push(space));
  const { projectId, secretKey } = await importBytes(services, bytes);
  assert.deepEqual(changedSpaces, []);
  const headers = { "x-api-key": secretKey! };
  await app.send({ path: "/api/data/posts", headers, body: { title: "New" } });
  assert.deepEqual(changedSpaces, [projectId]);
});
