/** Numbers that a double cannot hold, in archives and in exports of other backends. */

import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { archived, FIRST } from "./archived_project.ts";
import { altered, assertTraceless, importOf } from "./archives.ts";
import {
  importFrom,
  pocketbaseCopy,
  projectOf,
  type Report,
  scratchIn,
  sourceId,
  temporaryFolder,
} from "./foreign_sources.ts";
import { ok } from "./test_collection.ts";

/** Numerals whose value is lost when they are read as doubles. */
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

const told = (where: string, numeral: string): RegExp =>
  new RegExp(
    `${where} has the integer ${numeral}, which a Number cannot hold exactly: send it as a String`,
  );

async function extraOf(app: TestApp, report: Report, query = "") {
  const project = projectOf(app, report);
  const { items } = ok(await project.asSecret({ path: `/api/data/posts?limit=100${query}` }));
  return items[0].extra;
}

Deno.test("an archive with an integer that a Number cannot hold is refused by its line", async () => {
  const { bytes } = await archived();
  await using app = await openTestApp();
  const alteredWith = (numeral: string) =>
    altered(bytes, (all) => {
      const [first, second, ...rest] = all.get(FIRST)!.split("\n");
      const changed = second!.replace('"title"', `"extra":{"list":[${numeral}]},"title"`);
      assert.notEqual(changed, second);
      all.set(FIRST, [first, changed, ...rest].join("\n"));
    }, { isWhole: true });
  for (const numeral of INEXACT) {
    const given = await alteredWith(numeral);
    const refusal = told("posts/0000001\\.ndjson, line 2: this", numeral);
    await assertTraceless(app.services, () => importOf(app.services, given), refusal);
  }
  for (const [numeral, value] of KEPT) {
    const report = await importOf(app.services, await alteredWith(numeral), { isCopy: true });
    const stored = await extraOf(app, report as Report, "&extra_exists=true");
    assert.deepEqual(stored, { list: [value] }, numeral);
  }
  const settings = await altered(bytes, (all) => {
    const text = all.get("configuration.json")!;
    all.set("configuration.json", text.replace("{", `{"more":${INEXACT[0]},`));
  });
  await assertTraceless(
    app.services,
    () => importOf(app.services, settings),
    told("configuration\\.json", INEXACT[0]!),
  );
});

const document = (id: string, fields: string) =>
  `{"name":"projects/p/databases/d/documents/posts/${id}","fields":{"extra":${fields}}}`;

const user = (customAttributes: string) => JSON.stringify({ localId: "uid", customAttributes });

/** Imports an export of Firestore with these lines. */
async function fromFirestore(app: TestApp, ...lines: string[]): Promise<Report> {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/export.jsonl`;
  await Deno.writeTextFile(path, lines.join("\n"));
  return await importFrom(app, `firestore:${path}`, "--copy");
}

Deno.test("a line of Firestore with an integer that a Number cannot hold is refused", async () => {
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
      const work = () => fromFirestore(app, good, document("b", fields));
      await assertTraceless(app.services, work, told("Line 2", numeral));
    }
    const claims = () => fromFirestore(app, good, user(`{"id":${numeral}}`));
    await assertTraceless(app.services, claims, told("Line 2: customAttributes", numeral));
  }
  const asNumber = () => fromFirestore(app, document("a", '{"integerValue":9007199254740992}'));
  const refusal = /Line 1: .*"extra" has the integerValue .* as a number: write it as a String/;
  await assertTraceless(app.services, asNumber, refusal);
  assert.deepEqual(await scratchIn(app), []);
});

Deno.test("doubles of Firestore are kept, and its integers beyond 2^53 become texts", async () => {
  await using app = await openTestApp();
  for (const [numeral, value] of KEPT) {
    const report = await fromFirestore(app, document("a", `{"doubleValue":${numeral}}`));
    assert.equal(await extraOf(app, report), value, numeral);
  }
  for (const numeral of ["9007199254740993", "-9223372036854775808"]) {
    const report = await fromFirestore(app, document("a", `{"integerValue":"${numeral}"}`));
    assert.equal(await extraOf(app, report), numeral);
  }
});

/** Imports the folder of PocketBase after `extra` or `views` of one post was set by SQL. */
async function fromPocketbase(app: TestApp, set: string): Promise<Report> {
  await using folder = await pocketbaseCopy((db) =>
    db.exec(`UPDATE posts SET ${set} WHERE id = '${sourceId("full")}'`)
  );
  return await importFrom(app, `pocketbase:${folder.path}`, "--copy");
}

Deno.test("a record of PocketBase with an integer that a Number cannot hold is refused", async () => {
  await using app = await openTestApp();
  const of = (field: string) => `posts\\.${field} of the record "${sourceId("full")}"`;
  for (const numeral of INEXACT) {
    const json = () => fromPocketbase(app, `extra = '{"deep":[${numeral}]}'`);
    await assertTraceless(app.services, json, told(of("extra"), numeral));
  }
  for (const numeral of ["9007199254740993", "-9007199254740993", "9223372036854775807"]) {
    const number = () => fromPocketbase(app, `views = ${numeral}`);
    await assertTraceless(app.services, number, told(of("views"), numeral));
  }
  assert.deepEqual(await scratchIn(app), []);
});

Deno.test("other numbers of PocketBase are kept", async () => {
  await using app = await openTestApp();
  const stored = async (set: string) => {
    const project = projectOf(app, await fromPocketbase(app, set));
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
