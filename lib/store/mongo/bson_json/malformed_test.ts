import assert from "node:assert/strict";
import fc from "fast-check";
import { BSON } from "mongodb";
import { body, bytes, int32, member, nested, string, utf8 } from "@/tests/support/bson_bytes.ts";
import { REVISION } from "../hidden_members.ts";
import { readReply } from "../raw_bson.ts";
import { MalformedBson } from "./bson_reader.ts";
import { documentJson, NESTING_MAX } from "./mod.ts";

const { Binary, Code, Decimal128, Long, ObjectId, Timestamp } = BSON;

/** A document with values of every type. */
const FULL = serialized({
  _id: new ObjectId(),
  [REVISION]: 3,
  text: "tëxt\n",
  list: [1, [2.5, {}], { a: { b: [] } }],
  long: Long.fromNumber(2 ** 50),
  date: new Date(),
  none: null,
  yes: true,
  decimal: Decimal128.fromString("1.5"),
  bytes: new Binary(Uint8Array.of(1, 2, 3)),
  old: new Binary(Uint8Array.of(1, 2, 3), 2),
  uuid: new BSON.UUID(),
  at: new Timestamp({ t: 1, i: 2 }),
  regex: /a/i,
  code: new Code("f", { a: 1 }),
  symbol: new BSON.BSONSymbol("s"),
  min: new BSON.MinKey(),
  "7": { x: 1, "3": 2 },
});

/**
 * Serializes into a buffer of its own, because the driver's buffers share memory with their slices.
 */
function serialized(members: Record<string, unknown>): Uint8Array {
  return Uint8Array.from(BSON.serialize(members));
}

Deno.test("bytes that are truncated anywhere are rejected", () => {
  const batch = serialized({ id: Long.ZERO, firstBatch: [BSON.deserialize(FULL)] });
  for (const complete of [FULL, batch]) {
    for (let length = 0; length < complete.length; length++) {
      assert.throws(() => documentJson(complete.subarray(0, length)), MalformedBson);
      assert.throws(() => replyTexts(complete.subarray(0, length)));
      const shortened = complete.slice(0, length + 5); // Ends like a document, too early.
      if (shortened.length >= complete.length) continue;
      shortened.set(int32(shortened.length));
      shortened[shortened.length - 1] = 0;
      attempt(() => [documentJson(shortened).json]);
      attempt(() => replyTexts(shortened), Error);
    }
  }
  assert.throws(() => documentJson(Uint8Array.of(...FULL, 0)), MalformedBson);
});

const replyTexts = (cursor: Uint8Array): string[] =>
  readReply(cursor).documents.map((document) => documentJson(document).json);

/** Reads altered bytes. They must be rejected or result in valid JSON. */
function attempt(
  texts: () => string[],
  refusal: ErrorConstructor | typeof MalformedBson = MalformedBson,
): void {
  try {
    for (const text of texts()) JSON.parse(text);
  } catch (error) {
    if (!(error instanceof refusal) || error instanceof SyntaxError) throw error;
  }
}

Deno.test("altered bytes are rejected or result in valid JSON", () => {
  const documents = [BSON.deserialize(FULL), BSON.deserialize(FULL)];
  const batch = serialized({ id: Long.ZERO, firstBatch: documents });
  const change = fc.tuple(
    fc.nat(),
    fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 1, 127, 255)),
  );
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      for (const original of [FULL, batch]) {
        const changed = original.slice();
        for (const [at, byte] of changes) changed[at % changed.length] = byte;
        attempt(() => [documentJson(changed).json]);
        attempt(() => replyTexts(changed), Error);
      }
    }),
    { numRuns: 5_000 },
  );
  for (let at = 0; at < FULL.length; at++) {
    for (let byte = 0; byte < 256; byte++) {
      const changed = FULL.slice();
      changed[at] = byte;
      attempt(() => [documentJson(changed).json]);
    }
  }
});

Deno.test("invalid lengths and unknown types are rejected", () => {
  const behind = member(2, "behind", string(utf8("secret")));
  const inner = (...value: number[]) => bytes(member(3, "in", value), behind);
  const table: Record<string, Uint8Array> = {
    "no bytes": Uint8Array.of(),
    "a length only": Uint8Array.of(4, 0, 0, 0),
    "no end": Uint8Array.of(5, 0, 0, 0, 1),
    "a length that ends too early at a zero": Uint8Array.of(6, 0, 0, 0, 10, 0, 10, 97, 0, 0),
    "a negative length": Uint8Array.of(255, 255, 255, 255, 0),
    "an unknown type": bytes(member(0x14, "v", [])),
    "a type 0": bytes(member(0, "v", [])),
    "a name without end": Uint8Array.of(7, 0, 0, 0, 10, 97, 98),
    "no value": bytes([16, 97, 0]),
    "nothing behind a name": Uint8Array.of(7, 0, 0, 0, 10, 97, 0),
    "half an int32": bytes(member(16, "v", [1, 0])),
    "half a double": bytes(member(1, "v", [1, 0, 0, 0])),
    "an ObjectId too short by one": bytes(member(7, "v", Array(11).fill(1))),
    "a decimal too short by one": bytes(member(19, "v", Array(15).fill(1))),
    "no boolean": bytes(member(8, "v", [])),
    "a text without its zero": bytes(member(2, "v", [...int32(2), 97, 98])),
    "a text of length 0": bytes(member(2, "v", int32(0)), behind),
    "a text of a negative length": bytes(member(2, "v", [...int32(-1), 0])),
    "a text of the largest length": bytes(member(2, "v", [...int32(2147483647), 97, 0])),
    "a text that is as long as what remains": bytes(member(2, "v", [...int32(2), 97])),
    "a text that leads out of its document, to a zero": inner(
      ...int32(12),
      ...member(2, "a", [...int32("\0\x02behind\0".length), 0]),
    ),
    "a document of 4 bytes": bytes(member(3, "v", [4, 0, 0, 0, 0])),
    "a document without end": bytes(member(3, "v", [5, 0, 0, 0, 1])),
    "a document that leads out of its own": bytes(member(3, "v", [200, 0, 0, 0, 0])),
    "a document as long as what remains": bytes(member(3, "v", [6, 0, 0, 0, 0])),
    "an array of 4 bytes": bytes(member(4, "v", [4, 0, 0, 0, 0])),
    "a binary of a negative length": bytes(member(5, "v", [...int32(-5), 0])),
    "a binary that is too long": bytes(member(5, "v", [...int32(9), 0, 1, 2])),
    "a regex without flags": bytes(member(11, "v", [97])),
    "a regex without end": bytes(member(11, "v", [97, 0, 98])),
    "a pointer without id": bytes(member(12, "v", string([97]))),
    "scoped code that is too long": bytes(
      member(15, "v", [...int32(90), ...string([97]), ...body()]),
    ),
    "scoped code without code": bytes(member(15, "v", [...int32(4)])),
    "scoped code of a negative length": bytes(member(15, "v", [...int32(-4), ...string([97])])),
    "scoped code whose text leads out of it, to a zero": bytes(
      member(15, "v", [...int32(11), ...int32("a\0\0\x02behind\0".length), 97, 0, 0]),
      behind,
    ),
  };
  for (const [what, wrong] of Object.entries(table)) {
    assert.throws(() => documentJson(wrong), MalformedBson, what);
  }
});

Deno.test("a cursor without a batch of documents is rejected", () => {
  const table: Record<string, Uint8Array> = {
    "no batch": BSON.serialize({ id: 1 }),
    "an empty cursor": BSON.serialize({}),
    "a document for a batch": BSON.serialize({ firstBatch: { a: {} } }),
    "a number for a batch": BSON.serialize({ firstBatch: 1 }),
    "a number for a document": BSON.serialize({ firstBatch: [{}, 1] }),
    "an array for a document": BSON.serialize({ firstBatch: [[]] }),
  };
  for (const [what, wrong] of Object.entries(table)) {
    assert.throws(() => replyTexts(wrong), Error, what);
  }
});

Deno.test("a rejected document does not affect the next document's text", () => {
  for (const wrong of [bytes(member(2, "left", [9])), nested(NESTING_MAX + 1, () => 3)]) {
    assert.throws(() => documentJson(wrong), MalformedBson);
    assert.equal(documentJson(BSON.serialize({ a: 1 })).json, '{"a":1}');
  }
});
