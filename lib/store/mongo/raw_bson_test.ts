import assert from "node:assert/strict";
import { BSON } from "mongodb";
import { documentJson } from "./bson_json/mod.ts";
import { AUTHOR } from "./hidden_members.ts";
import { authorIn, int64In, membersOf, readReply } from "./raw_bson.ts";

const { Long, ObjectId, serialize } = BSON;

const reply = (documents: readonly object[], id = Long.ZERO): Uint8Array =>
  serialize({ ns: "s.c", id, partialResultsReturned: true, firstBatch: documents });

const textsIn = (cursor: Uint8Array): string[] =>
  readReply(cursor).documents.map((document) => documentJson(document).json);

Deno.test("readReply returns the bytes of all documents in order", () => {
  assert.deepEqual(textsIn(reply([])), []);
  assert.deepEqual(textsIn(reply([{}])), ["{}"]);
  assert.deepEqual(textsIn(reply([{}, { a: "\n" }, { b: "ä\n名" }])), [
    "{}",
    '{"a":"\\n"}',
    '{"b":"ä\\n名"}',
  ]);
  const many = Array.from({ length: 1_500 }, (_, i) => ({ n: i, text: `${i} `.repeat(i) }));
  assert.deepEqual(textsIn(reply(many)), many.map((one) => JSON.stringify(one)));
});

Deno.test("readReply returns the id of the cursor", () => {
  assert.equal(readReply(reply([])).cursorId, 0n);
  assert.equal(readReply(reply([{}], Long.fromBigInt(2n ** 60n + 1n))).cursorId, 2n ** 60n + 1n);
});

Deno.test("membersOf reads a view at an offset", () => {
  const document = serialize({ a: "x", "é": new Date(-5), list: [1, 2] });
  const around = new Uint8Array(document.length + 20).fill(0x41);
  around.set(document, 13);
  const members = membersOf(around.subarray(13, 13 + document.length));
  assert.deepEqual(members.map(({ name, type }) => [name, type]), [["a", 2], ["é", 9], [
    "list",
    4,
  ]]);
  assert.equal(int64In(members[1]!.value), -5n);
  assert.equal(membersOf(members[2]!.value).length, 2);
});

Deno.test("authorIn returns the author, or undefined", () => {
  const [at, made] = [new Date(1), new ObjectId()];
  const author = ["posts", "user", "a".repeat(24), at, made];
  assert.deepEqual(authorIn(serialize({ a: 1, [AUTHOR]: author })), author);
  assert.equal(authorIn(serialize({ a: 1 })), undefined);
  assert.equal(authorIn(serialize({ [AUTHOR]: "another program" })), undefined);
});
