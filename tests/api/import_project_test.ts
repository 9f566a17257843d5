import assert from "node:assert/strict";
import { createWebhook } from "@/lib/events/webhooks/manage.ts";
import { FREE_COLLECTIONS_MAX, PROJECT_TRASH_MS } from "@/lib/limits.ts";
import { END } from "@/lib/operations/archive/format.ts";
import type { Progress } from "@/lib/operations/archive/progress.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import type { Engine } from "@/lib/store/port.ts";
import { maintain } from "@/routes/maintenance.ts";
import { changed } from "../support/changed.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { openAccount, ownedProject } from "../support/dashboard.ts";
import { createCollection } from "../support/given.ts";
import { openTestApp } from "../support/test_app.ts";
import { archived, FIRST, furnished, linesOf } from "./archived_project.ts";
import {
  altered,
  archiveOf,
  assertTraceless,
  everythingIn,
  importOf,
  linesIn,
  PASSPHRASE,
  recordsIn,
} from "./archives.ts";
import { MiB } from "./files.ts";

Deno.test("an archive that is damaged, of another format or none is refused by name, and leaves no trace", async () => {
  const { bytes } = await archived();
  await using app = await openTestApp();
  const { services } = app;
  const damaged = bytes.slice();
  damaged[3] = 0xff; // Within the first header.
  const alterations: [Parameters<typeof altered>[1], RegExp][] = [
    [(all) => all.delete(END), /cut off: it has no end\.json/],
    [(all) => all.delete("configuration.json"), /no configuration\.json|does not declare/],
    [(all) => all.delete("manifest.json"), /manifest\.json must stand first/],
    [
      (all) =>
        all.set("manifest.json", all.get("manifest.json")!.replace("archive/1", "archive/2")),
      /"format" is "corbel-archive\/2", and this Corbel reads "corbel-archive\/1"/,
    ],
    [
      (all) => all.set(FIRST, all.get(FIRST)!.replace("Post 1", "Post 9")),
      /altered, or is damaged: end\.json tells something else of collections\/posts/,
    ],
    [
      (all) => all.set(FIRST, "{\n"),
      /0000001\.ndjson, line 1: this is not valid JSON \(column 2: the text ends too soon\)/,
    ],
    [(all) => all.set(FIRST, all.get(FIRST)!.slice(0, -20)), /0000001\.ndjson is cut off/],
    [(all) => all.set(FIRST, '{"revision":1,"record":{"_id":"x"}}\n'), /line 1: a line must be/],
    [
      (all) => all.set("collections/none/0000001.ndjson", all.get(FIRST)!),
      /goes on behind end\.json/,
    ],
    [(all) => all.set(FIRST, " ".repeat(16 * MiB + 1)), /has more than 16777216 bytes \(16 MB\)/],
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
      async () => importOf(services, await altered(bytes, alter)),
      refusal,
    );
  }
  const streams: [Uint8Array<ArrayBuffer>, RegExp][] = [
    [damaged, /damaged, or no tar/],
    [bytes.slice(0, 3000), /damaged, or no tar|cut off/],
    [new TextEncoder().encode("not a tar at all".repeat(100)), /damaged, or no tar/],
    [new Uint8Array(), /cut off|damaged/],
  ];
  for (const [given, refusal] of streams) {
    await assertTraceless(services, () => importOf(services, given), refusal);
  }
});

Deno.test("an entry of another path, or another kind than a file, is refused by name", async () => {
  const { bytes } = await archived();
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
    const given = await altered(bytes, (all) => {
      const end = all.get(END)!;
      all.delete(END);
      all.set(name, "{}\n").set(END, end);
    });
    await assertTraceless(
      services,
      () => importOf(services, given),
      /which is nothing of its format/,
    );
  }
});

Deno.test("records that cannot be stored are refused by name before anything is written, or left out and counted", async () => {
  const { bytes } = await archived(4);
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
    const given = await altered(bytes, (all) => {
      const records = recordsIn(all.get(FIRST)!);
      change(records[1]!.record);
      all.set(FIRST, linesOf(records));
    }, { isWhole: true });
    await assertTraceless(services, () => importOf(services, given), refusal);
  }
  const twice = await altered(bytes, (all) => {
    const [first, second, ...rest] = recordsIn(all.get(FIRST)!);
    all.set(
      FIRST,
      linesOf([
        first,
        { ...second!, record: { ...second!.record, _id: first!.record._id } },
        ...rest,
      ]),
    );
  }, { isWhole: true });
  await assertTraceless(
    services,
    () => importOf(services, twice),
    /its id is that of the record before it/,
  );
  const taken = await altered(bytes, (all) => {
    const records = recordsIn(all.get(FIRST)!);
    records[2]!.record.code = records[0]!.record.code;
    all.set(FIRST, linesOf(records));
  }, { isWhole: true });
  await assertTraceless(
    services,
    () => importOf(services, taken),
    /another has its value of the unique field "code"/,
  );

  const mixed = await altered(bytes, (all) => {
    const records = recordsIn(all.get(FIRST)!);
    delete records[1]!.record.title;
    records[2]!.record.code = records[0]!.record.code;
    all.set(FIRST, linesOf(records));
  }, { isWhole: true });
  const report = await importOf(services, mixed, { goesOn: true });
  assert.deepEqual(report.leftOut, { "collections/posts": 2 });
  assert.equal(report.imported["collections/posts"], 2);
  assert.match(report.why.join(), /"title" is required.*unique field "code"/);
});

Deno.test("an archive whose project is there is refused, and becomes another one as a copy", async () => {
  await using app = await openTestApp();
  const { services } = app;
  const { project, photo } = await furnished(app);
  const { bytes } = await archiveOf(services, project.projectId);
  await assertTraceless(services, () => importOf(services, bytes), /There is a project .* already/);
  const account = await openAccount(app);
  const copy = await importOf(services, bytes, {
    isCopy: true,
    name: "Copy",
    ownerId: account.accountId,
  });
  assert.notEqual(copy.projectId, project.projectId);
  const shown = await account.send({ path: `/api/projects/${copy.projectId}` });
  assert.equal((shown.body.data as { name: string }).name, "Copy");
  const listed = await app.send({
    path: "/api/data/posts?photo_exists=true&populate=photo",
    headers: { "x-api-key": copy.secretKey! },
  });
  const [post] = (listed.body.data as { items: { photo: { path: string } }[] }).items;
  assert.equal(post!.photo.path, photo.replace(project.projectId, copy.projectId));
});

Deno.test("what is beyond the plan of the new owner comes along all the same", async () => {
  await using there = await openTestApp();
  const project = await ownedProject(await openAccount(there, { plan: "pro" }));
  const names = Array.from({ length: FREE_COLLECTIONS_MAX + 1 }, (_, n) => `c${n}`);
  for (const name of names) {
    await createCollection(there.services, project.projectId, { name, fields: [] });
  }
  const { bytes } = await archiveOf(there.services, project.projectId);
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const report = await importOf(app.services, bytes, { ownerId: owner.accountId });
  const listed = await owner.send({ path: `/api/projects/${report.projectId}/collections` });
  assert.equal((listed.body.data as { items: unknown[] }).items.length, names.length);
  const more = { name: "more", fields: [] };
  await assert.rejects(createCollection(app.services, report.projectId, more), /plan allows/);
});

Deno.test("secrets go under a passphrase alone, and then applications go on with their keys", async () => {
  await using there = await openTestApp();
  const { project } = await furnished(there);
  const webhook = await createWebhook(there.services, project.projectId, {
    name: "Search",
    url: "https://hooks.example/corbel",
    events: { posts: ["created"] },
  });
  const { projectId } = project;
  const plain = await archiveOf(there.services, projectId);
  const sealed = await archiveOf(there.services, projectId, { passphrase: PASSPHRASE });
  for (const { bytes } of [plain, sealed]) {
    const text = new TextDecoder().decode(bytes);
    assert.ok(!text.includes(webhook.secret) && !text.includes(project.secretKey));
  }
  await using app = await openTestApp();
  const { services } = app;
  const open = (bytes: Uint8Array<ArrayBuffer>, passphrase: string) => () =>
    importOf(services, bytes, { passphrase });
  await assertTraceless(services, open(sealed.bytes, `${PASSPHRASE}!`), /passphrase is not that/);
  await assertTraceless(services, open(plain.bytes, PASSPHRASE), /The archive has no secrets/);
  const report = await importOf(services, sealed.bytes, { passphrase: PASSPHRASE });
  assert.deepEqual([report.publishableKey, report.secretKey, report.todo], [null, null, []]);
  const answer = await app.send({
    path: "/api/data/posts",
    headers: { "x-api-key": project.secretKey },
  });
  assert.equal(answer.status, 200, answer.text);

  await using other = await openTestApp();
  const without = await importOf(other.services, plain.bytes);
  assert.match(without.todo.join(), /The webhook Search is off/);
  const refused = await other.send({
    path: "/api/data/posts",
    headers: { "x-api-key": project.secretKey },
  });
  assert.equal(refused.status, 401);
});

/** Fails once so many records were told of. */
function failingAt(count: number, what: string): Progress {
  let told = 0;
  return {
    of: (one) => (added) => {
      if (one === what && (told += added) >= count) throw new Error("the machine went away");
    },
  };
}

Deno.test("an import that breaks off at any point goes on with the same archive, and nobody sees it before", async () => {
  const { bytes, end, projectId } = await archived(1_200);
  await using app = await openTestApp();
  const { services } = app;
  const points = [["users", 1], ["collections/posts", 500], ["collections/posts", 1_000], [
    "files",
    1,
  ], ["comparing collections/posts", 1]] as const;
  for (const [what, count] of points) {
    await assert.rejects(
      importOf(services, bytes, { progress: failingAt(count, what) }),
      /the machine went away/,
    );
    const projects = services.engine.records<ProjectRecord>("control", PROJECTS);
    const project = (await projects.get(projectId))!.value;
    assert.ok(project.importDigest, "it is not whole");
    await maintain(services);
    assert.notEqual(await projects.get(projectId), null, "it is kept");
  }
  const report = await importOf(services, bytes);
  assert.equal(report.hashes["collections/posts"], end.collections.posts!.sha256);
  assert.equal(report.hashes.files, end.files.sha256);
  const answer = await app.send({
    path: "/api/data/posts?count=true",
    headers: { "x-api-key": report.secretKey! },
  });
  assert.equal(answer.status, 200, answer.text);
  await assert.rejects(importOf(services, bytes), /There is a project .* already/);
});

Deno.test("of imports of one archive at once one is made, and the others are told", async () => {
  const { bytes } = await archived(600);
  await using app = await openTestApp();
  const { services } = app;
  const imports = await Promise.allSettled(
    Array.from({ length: 8 }, () => importOf(services, bytes)),
  );
  const done = imports.filter(({ status }) => status === "fulfilled");
  assert.equal(done.length, 1);
  for (const one of imports) {
    if (one.status === "rejected") {
      assert.match(String(one.reason), /being imported|There is a project/);
    }
  }
  const { control: [projects] } = await everythingIn(services);
  assert.equal(projects!.length, 1);
});

Deno.test("an import that nobody goes on with is removed after a week, with its files", async () => {
  const { bytes } = await archived();
  await using app = await openTestApp();
  const { services, clock } = app;
  const before = await everythingIn(services);
  await assert.rejects(importOf(services, bytes, { progress: failingAt(1, "files") }));
  clock.advance(PROJECT_TRASH_MS - 60_000);
  await maintain(services);
  assert.equal((await everythingIn(services)).control[0]!.length, 1);
  clock.advance(60_000);
  await maintain(services);
  assert.deepEqual(await everythingIn(services), before);
});

testUnless(
  faults.ignoresSnapshots,
  "an export is of one moment while others write, or says that it is not",
  async () => {
    await using app = await openTestApp();
    const { services } = app;
    const project = await app.project();
    await project.collection({ name: "pairs", fields: [{ key: "n", type: "Number" }] });
    // Each request adds numbers that are 0 together: all of them, or none.
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

Deno.test("an export tells of files that were removed meanwhile", async () => {
  await using app = await openTestApp();
  const { services } = app;
  const { project, photo } = await furnished(app);
  // Its row is read at the snapshot's moment, and its bytes later.
  const gone = changed(services, {
    blobStores: changed(services.blobStores, {
      named: async (...of: Parameters<typeof services.blobStores.named>) =>
        changed(await services.blobStores.named(...of), { read: () => Promise.resolve(null) }),
    }),
  });
  const { bytes, end } = await archiveOf(gone, project.projectId);
  assert.deepEqual(end.missingFiles, [photo.slice(photo.indexOf("/") + 1)]);
  assert.equal(end.files.count, 0);
  const report = await importOf(services, bytes, { isCopy: true });
  assert.deepEqual(report.missingFiles, end.missingFiles);
});

Deno.test("what was stored otherwise than the archive holds is found, and nothing of it stays", async () => {
  const { bytes } = await archived();
  await using app = await openTestApp();
  const lossy = changed(app.services, {
    engine: changed(app.services.engine, {
      records: (...of: Parameters<Engine["records"]>) => {
        const records = app.services.engine.records(...of);
        return changed(records, {
          restore: (all: Parameters<typeof records.restore>[0]) =>
            records.restore(all.map((one) => ({ ...one, revision: one.revision + 1 }))),
        });
      },
    }),
  });
  await assertTraceless(
    app.services,
    () => importOf(lossy, bytes),
    /is not what the archive holds/,
  );
});

Deno.test("what is imported is noted as no change: no webhook and no live list is told of it", async () => {
  const { bytes } = await archived();
  await using app = await openTestApp();
  const { services } = app;
  const noted: string[] = [];
  services.engine.changes.onNoted((space) => noted.push(space));
  const { projectId, secretKey } = await importOf(services, bytes);
  assert.deepEqual(noted, []);
  const headers = { "x-api-key": secretKey! };
  await app.send({ path: "/api/data/posts", headers, body: { title: "New" } });
  assert.deepEqual(noted, [projectId]);
});
