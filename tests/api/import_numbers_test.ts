/** Numbers that a double cannot represent, in archives and in exports of other backends. */

import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { archiveFurnishedProject, FIRST_POSTS } from "./archived_project.ts";
import { alterArchive, assertTraceless, importBytes } from "./archives.ts";
import {
  importFrom,
  listImportFolders,
  pocketbaseCopy,
  projectOf,
  type Report,
  sourceId,
  temporaryFolder,
} from "./foreign_sources.ts";
import { ok } from "./test_collection.ts";

/** Numerals whose value changes if they are read as doubles. */
const INEXACT = [
  "9007199254740993",
  "-9007199254740993",
  "9007199254740993e0",
  "123456789012345678901",
];

/** Numerals with the value that is stored. */
const KEPT: readonly (readonly [numeral: string, value: number])[] = [
  ["9007199254740991", 9007199254740991],
  ["9007199254740992", 9007199254740992],
  ["1152921504606846976", 2 ** 60],
  ["1152921504606847000", 2 ** 60],
  ["1e21", 1e21],
  ["0.1234567890123456789", 0.12345678901234568],
  ["9007199254740993e-3", 9007199254740.993],
  ["12.50", 12.5],
];

const inexactNumber = (where: string, numeral: string): RegExp =>
  new RegExp(
    `${where} has the integer ${numeral}, which a Number cannot hold exactly: send it as a String`,
  );

async function extraOf(app: TestApp, report: Report, query = "") {
  const project = projectOf(app, report);
  const { items } = ok(await project.asSecret({ path: `/api/data/posts?limit=100${query}` }));
  return items[0].extra;
}

Deno.test("an import of an archive refuses an inexact integer by its line", async () => {
  const { bytes } = await archiveFurnishedProject();
  await using app = await openTestApp();
  const alteredWith = (numeral: string) =>
    alterArchive(bytes, (all) => {
      const [first, second, ...rest] = all.get(FIRST_POSTS)!.split("\n");
      const changed = second!.replace('"title"', `"extra":{"list":[${numeral}]},"title"`);
      assert.notEqual(changed, second);
      all.set(FIRST_POSTS, [first, changed, ...rest].join("\n"));
    }, { hasMatchingEnd: true });
  for (const numeral of INEXACT) {
    const archive = await alteredWith(numeral);
    const refusal = inexactNumber("posts/0000001\\.ndjson, line 2: this", numeral);
    await assertTraceless(app.services, () => importBytes(app.services, archive), refusal);
  }
  for (const [numeral, value] of KEPT) {
    const report = await importBytes(app.services, await alteredWith(numeral), { isCopy: true });
    const stored = await extraOf(app, report as Report, "&extra_exists=true");
    assert.deepEqual(stored, { list: [value] }, numeral);
  }
  const settings = await alterArchive(bytes, (all) => {
    const text = all.get("configuration.json")!;
    all.set("configuration.json", text.replace("{", `{"more":${INEXACT[0]},`));
  });
  await assertTraceless(
    app.services,
    () => importBytes(app.services, settings),
    inexactNumber("configuration\\.json", INEXACT[0]!),
  );
});

const document = (id: string, fields: string) =>
  `{"name":"projects/p/databases/d/documents/posts/${id}","fields":{"extra":${fields}}}`;

const user = (customAttributes: string) => JSON.stringify({ localId: "uid", customAttributes });

async function importFirestore(app: TestApp, ...lines: string[]): Promise<Report> {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/export.jsonl`;
  await Deno.writeTextFile(path, lines.join("\n"));
  return await importFrom(app, `firestore:${path}`, "--copy");
}

Deno.test("an import from Firestore refuses an inexact integer by its line", async () => {
  await using app = await openTestApp();
  const good = document("a", '{"nullValue":null}');
  for (const numeral of INEXACT) {
    for (
      const fields of [
        `{"doubleValue":${numeral}}`,
        `{"integerValue":${numeral}}`,
        `{"mapValue":{"fields":{"deep":{"arrayValue":{"values":[{"doubleValue":${numeral}}]}}}}}`,
      ]
    ) {
      const work = () => importFirestore(app, good, document("b", fields));
      await assertTraceless(app.services, work, inexactNumber("Line 2", numeral));
    }
    const claims = () => importFirestore(app, good, user(`{"id":${numeral}}`));
    await assertTraceless(app.services, claims, inexactNumber("Line 2: customAttributes", numeral));
  }
  const asNumber = () => importFirestore(app, document("a", '{"integerValue":9007199254740992}'));
  const refusal = /Line 1: .*"extra" has the integerValue .* as a number: write it as a String/;
  await assertTraceless(app.services, asNumber, refusal);
  assert.deepEqual(await listImportFolders(app), []);
});

Deno.test("an import from Firestore keeps doubles and stores integers beyond 2^53 as texts", async () => {
  await using app = await openTestApp();
  for (const [numeral, value] of KEPT) {
    const report = await importFirestore(app, document("a", `{"doubleValue":${numeral}}`));
    assert.equal(await extraOf(app, report), value, numeral);
  }
  for (const numeral of ["9007199254740993", "-9223372036854775808"]) {
    const report = await importFirestore(app, document("a", `{"integerValue":"${numeral}"}`));
    assert.equal(await extraOf(app, report), numeral);
  }
});

/** Imports the PocketBase folder after one post was updated with the SQL assignment `set`. */
async function importPocketbase(app: TestApp, set: string): Promise<Report> {
  await using folder = await pocketbaseCopy((db) =>
    db.exec(`UPDATE posts SET ${set} WHERE id = '${sourceId("full")}'`)
  );
  return await importFrom(app, `pocketbase:${folder.path}`, "--copy");
}

Deno.test("an import from PocketBase refuses an inexact integer by field and record", async () => {
  await using app = await openTestApp();
  const of = (field: string) => `posts\\.${field} of the record "${sourceId("full")}"`;
  for (const numeral of INEXACT) {
    const json = () => importPocketbase(app, `extra = '{"deep":[${numeral}]}'`);
    await assertTraceless(app.services, json, inexactNumber(of("extra"), numeral));
  }
  for (const numeral of ["9007199254740993", "-9007199254740993", "9223372036854775807"]) {
    const number = () => importPocketbase(app, `views = ${numeral}`);
    await assertTraceless(app.services, number, inexactNumber(of("views"), numeral));
  }
  assert.deepEqual(await listImportFolders(app), []);
});

Deno.test("an import from PocketBase keeps all other numbers", async () => {
  await using app = await openTestApp();
  const stored = async (set: string) => {
    const project = projectOf(app, await importPocketbase(app, set));
    const path = `/api/data/posts?sourceId=${sourceId("full")}`;
    return ok(await project.asSecret({ path })).items[0];
  };
  for (const [numeral, value] of KEPT) {
    const { extra } = await stored(`extra = '{"deep":[${numeral}]}'`);
    assert.deepEqual(extra, { deep: [value] }, numeral);
  }
  for (const [numeral, value] of [["1152921504606846976", 2 ** 60], ["-7", -7], ["0.5", 0.5]]) {
    assert.equal((await stored(`views = ${numeral}`)).views, value);
  }
});
