import assert from "node:assert/strict";
import fc from "fast-check";
import { BSON } from "mongodb";
import {
  body,
  bytes,
  int32,
  int64,
  member,
  nested,
  string,
  utf8,
} from "@/tests/support/bson_bytes.ts";
import { jsonText, parseJson } from "../../json_text.ts";
import type { Json } from "../../port.ts";
import { REVISION } from "../hidden_members.ts";
import { MalformedBson } from "./bson_reader.ts";
import { documentJson, NESTING_MAX } from "./mod.ts";

const { Binary, Code, Decimal128, Double, Int32, Long, ObjectId, Timestamp } = BSON;

type Members = Record<string, unknown> | Map<string, unknown>;

const json = (members: Members): string => documentJson(BSON.serialize(members)).json;
const valueJson = (value: unknown): string => json({ v: value }).slice('{"v":'.length, -1);

Deno.test("types that Corbel stores are written as in JSON", () => {
  const id = new ObjectId("0123456789abcdef00ff7f80");
  const table: readonly (readonly [unknown, string])[] = [
    [id, '"0123456789abcdef00ff7f80"'],
    [null, "null"],
    [true, "true"],
    [false, "false"],
    ["text", '"text"'],
    ["", '""'],
    [{}, "{}"],
    [[], "[]"],
    [[[], [[]], {}], "[[],[[]],{}]"],
    [[1, ["a", [null, [id]]], { b: [2] }], `[1,["a",[null,["${id.toHexString()}"]]],{"b":[2]}]`],
    [Array.from({ length: 120 }, (_, i) => i), jsonText(Array.from({ length: 120 }, (_, i) => i))],
    [{ a: { b: { c: {} } }, d: 1 }, '{"a":{"b":{"c":{}}},"d":1}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ];
  for (const [value, wanted] of table) assert.equal(valueJson(value), wanted);
  assert.equal(json({}), "{}");
});

Deno.test("32-bit integers are written digit by digit", () => {
  const edges = [
    0,
    1,
    -1,
    9,
    10,
    99,
    100,
    101,
    999_999_999,
    1_000_000_000,
    2147483647,
    -2147483648,
  ];
  for (const value of edges) assert.equal(valueJson(new Int32(value)), String(value));
  fc.assert(fc.property(fc.integer(), (value) => {
    assert.equal(valueJson(new Int32(value)), String(value));
  }));
});

Deno.test("64-bit integers keep all digits, also beyond 2^53", () => {
  const edges = [0n, -1n, 2n ** 31n, -(2n ** 31n) - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n];
  edges.push(2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n));
  for (const value of edges) assert.equal(valueJson(Long.fromBigInt(value)), String(value));
  fc.assert(fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
    assert.equal(valueJson(Long.fromBigInt(value)), String(value));
  }));
});

Deno.test("doubles are written as in JavaScript, and -0 keeps its sign", () => {
  const edges = [0, -0, 1, -1, 0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 2 ** 31, 2 ** 53];
  edges.push(-(2 ** 31), -(2 ** 31) - 1, 123456789.123, NaN, Infinity, -Infinity);
  for (const value of edges) assert.equal(valueJson(new Double(value)), jsonText(value));
  assert.equal(valueJson(new Double(-0)), "-0");
  assert.equal(valueJson(new Double(NaN)), "null");
  assert.equal(valueJson(new Double(-Infinity)), "null");
  fc.assert(fc.property(fc.double(), (value) => {
    assert.equal(valueJson(new Double(value)), jsonText(value));
  }));
});

const dateJson = (ms: bigint): string => documentJson(bytes(member(9, "d", int64(ms)))).json;

Deno.test("dates are written as by toISOString, in every supported year", () => {
  const edges = [
    ...["1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.001Z", "2000-02-29T12:34:56.789Z"],
    ...["1900-02-28T23:59:59.999Z", "1900-03-01T00:00:00.000Z", "2100-02-28T23:59:59.999Z"],
    ...["2100-03-01T00:00:00.000Z", "1600-02-29T00:00:00.000Z", "2400-12-31T23:59:59.999Z"],
    ...["0000-01-01T00:00:00.000Z", "0000-02-29T00:00:00.000Z", "0001-01-01T00:00:00.000Z"],
    ...["9999-12-31T23:59:59.999Z", "+010000-01-01T00:00:00.000Z", "-000001-12-31T23:59:59.999Z"],
    ...["-271821-04-20T00:00:00.000Z", "+275760-09-13T00:00:00.000Z"],
  ];
  for (const text of edges) assert.equal(dateJson(BigInt(Date.parse(text))), `{"d":"${text}"}`);
  const anyYear = fc.date({ noInvalidDate: true });
  const usualYear = fc.date({ min: new Date("0000"), max: new Date("9999"), noInvalidDate: true });
  fc.assert(fc.property(fc.oneof(anyYear, usualYear), (date) => {
    assert.equal(valueJson(date), jsonText(date.toISOString()));
  }));
});

Deno.test("every day of four centuries is written correctly", () => {
  const first = Date.parse("1799-12-30");
  const days = Array.from({ length: 146_100 }, (_, day) => new Date(first + day * 86_400_000));
  assert.ok(valueJson(days) === JSON.stringify(days));
});

Deno.test("a date beyond JavaScript's range is null", () => {
  const max = 8_640_000_000_000_000n;
  for (const ms of [max + 1n, -max - 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    assert.equal(dateJson(ms), '{"d":null}');
  }
});

Deno.test("text in values and names is escaped as by JSON.stringify", () => {
  for (let first = 0; first < 0x10000; first += 0x100) {
    const units = Array.from({ length: 0x100 }, (_, i) => first + i);
    const text = String.fromCharCode(...units.filter((unit) => unit < 0xd800 || unit > 0xdfff));
    assert.equal(valueJson(text), JSON.stringify(text));
    const name = text.replace("\0", "");
    assert.equal(json({ [name]: { [name]: 1 } }), JSON.stringify({ [name]: { [name]: 1 } }));
  }
  for (const text of ["\ufeffmark", "😀\u{10ffff}", "\u2028\u2029\x7f", '"', "\\", "a\0b", "ä\n"]) {
    assert.equal(valueJson(text), JSON.stringify(text));
  }
});

Deno.test("invalid UTF-8 becomes U+FFFD without losing the following bytes", () => {
  const table: readonly (readonly [number[], string])[] = [
    [[0xff], "\ufffd"],
    [[0x61, 0xe4], "a\ufffd"],
    [[0xf0, 0x9f, 0x98], "\ufffd"],
    [[0xc0, 0x80], "\ufffd\ufffd"],
    [[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
    [[0x80, 0x62], "\ufffdb"],
  ];
  for (const [text, wanted] of table) {
    const document = bytes(member(2, "v", string(text)), member(8, text, [1]));
    assert.deepEqual(parseJson(documentJson(document).json), { v: wanted, [wanted]: true });
  }
});

Deno.test("texts and documents of megabytes are written completely, with any escapes", () => {
  const length = 1_000_000;
  for (const unit of ["x", '"', "\x01", "é", "名", "😀"]) {
    const text = unit.repeat(length / unit.length);
    assert.equal(
      json({ a: text, [text]: { b: [text, 1] } }),
      jsonText({
        a: text,
        [text]: { b: [text, 1] },
      }),
    );
  }
  const list = Array.from({ length: 200_000 }, (_, i) => ({ i, half: i / 2 }));
  assert.equal(valueJson(list), JSON.stringify(list));
});

Deno.test("JSON that is much longer than its BSON is written completely", () => {
  const quotes = '"'.repeat(400_000);
  const plain = "x".repeat(400_000);
  const many = <T>(value: T): T[] => Array.from({ length: 40_000 }, () => value);
  const id = new ObjectId();
  const date = new Date("2024-02-29T01:02:03.004Z");
  const bytes = new Uint8Array(500_000).fill(250);
  let deep: Json = [];
  for (let level = 0; level < 900; level++) deep = [deep];
  const table: readonly (readonly [unknown, Json])[] = [
    [quotes + plain, quotes + plain],
    [plain, plain],
    [{ [plain]: plain }, { [plain]: plain }],
    [new Map([["x", quotes], ["1", plain]]), { "1": plain, x: quotes }],
    [many(-2147483648), many(-2147483648)],
    [many(-1.2345678901234567e-300), many(-1.2345678901234567e-300)],
    [many(id), many(id.toHexString())],
    [many(date), many(date.toISOString())],
    [many({}), many({})],
    [many(null), many(null)],
    [new Binary(bytes), bytes.toBase64()],
  ];
  for (const [stored, shown] of table) {
    assert.ok(json({ stored }) === jsonText({ stored: shown }));
    assert.ok(json({ quotes, stored }) === jsonText({ quotes, stored: shown }));
  }
  for (let left = 0; left < 1_000; left += 100) {
    const pad = '"'.repeat(2 ** 19 - left);
    assert.ok(json({ pad, deep }) === jsonText({ pad, deep }));
  }
});

Deno.test("types that only other programs write become text or null", () => {
  const id = new ObjectId("0123456789abcdef00ff7f80");
  const uuid = "00112233-4455-6677-8899-aabbccddeeff";
  const table: readonly (readonly [unknown, Json])[] = [
    [
      Decimal128.fromString("123456789012345678901234567890.1234"),
      "123456789012345678901234567890.1234",
    ],
    [Decimal128.fromString("1.10"), "1.10"],
    [Decimal128.fromString("-0"), "-0"],
    [Decimal128.fromString("1E+6144"), "1.000000000000000000000000000000000E+6144"],
    [Decimal128.fromString("NaN"), "NaN"],
    [Decimal128.fromString("-Infinity"), "-Infinity"],
    [new Binary(Uint8Array.of(0, 255, 62, 63)), "AP8+Pw=="],
    [new Binary(new Uint8Array(0)), ""],
    [new Binary(Uint8Array.of(1, 2, 3), Binary.SUBTYPE_BYTE_ARRAY), "AQID"],
    [new Binary(new Uint8Array(16), Binary.SUBTYPE_UUID_OLD), "AAAAAAAAAAAAAAAAAAAAAA=="],
    [new Binary(Uint8Array.of(1, 2), Binary.SUBTYPE_USER_DEFINED), "AQI="],
    [new BSON.UUID(uuid), uuid],
    [new Timestamp({ t: 1_700_000_000, i: 5 }), "2023-11-14T22:13:20.000Z"],
    [new Timestamp({ t: 0xffffffff, i: 0 }), "2106-02-07T06:28:15.000Z"],
    [new BSON.BSONRegExp('\ufeff"\\d/é', "imx"), '/\ufeff"\\d/é/imx'],
    [/a b/i, "/a b/i"],
    [new BSON.BSONSymbol("sym\nbol"), "sym\nbol"],
    [new Code('f("x")'), 'f("x")'],
    [new Code("g\\", { scoped: 1, deep: { a: "b" } }), "g\\"],
    [new BSON.MinKey(), "MinKey"],
    [new BSON.MaxKey(), "MaxKey"],
  ];
  for (const [value, wanted] of table) {
    const shown = json({ v: value, list: [value, 1], behind: "it" });
    assert.equal(shown, jsonText({ v: wanted, list: [wanted, 1], behind: "it" }));
  }
  const pointer = [...string(utf8("db.names")), ...id.id];
  assert.equal(documentJson(bytes(member(12, "v", pointer))).json, `{"v":"${id.toHexString()}"}`);
  const shortUuid = [...int32(3), 4, 1, 2, 3];
  assert.equal(documentJson(bytes(member(5, "v", shortUuid))).json, '{"v":"AQID"}');
  assert.equal(
    documentJson(bytes(member(6, "v", []), member(8, "w", [1]))).json,
    '{"v":null,"w":true}',
  );
});

Deno.test("_id comes first at the top level, and is an ordinary name in nested documents", () => {
  const id = new ObjectId();
  const text = `"${id.toHexString()}"`;
  assert.equal(json({ _id: id, a: 1 }), `{"_id":${text},"a":1}`);
  assert.equal(
    json({ a: 1, b: { c: 1, _id: id }, _id: id }),
    `{"_id":${text},"a":1,"b":{"c":1,"_id":${text}}}`,
  );
  assert.equal(
    json(new Map<string, unknown>([["5", 1], ["_id", id], ["3", 2]])),
    `{"_id":${text},"3":2,"5":1}`,
  );
  assert.equal(
    json(new Map<string, unknown>([["_id", id], ["a", 1], ["0", 2]])),
    `{"_id":${text},"0":2,"a":1}`,
  );
  assert.equal(json({ _id: id }), `{"_id":${text}}`);
  assert.equal(json({ _i: 1, _idx: 2, a_id: 3 }), '{"_i":1,"_idx":2,"a_id":3}');
  assert.equal(json({ _id: "text", a: 1 }), '{"_id":"text","a":1}');
});

Deno.test("the revision is removed and returned, at any position and of any number type", () => {
  const table: readonly (readonly [Members, number, string])[] = [
    [{ [REVISION]: 7, a: 1 }, 7, '{"a":1}'],
    [{ a: 1, [REVISION]: Long.fromBigInt(2n ** 40n) }, 2 ** 40, '{"a":1}'],
    [{ _id: 1, [REVISION]: new Double(3), a: 1 }, 3, '{"_id":1,"a":1}'],
    [{ [REVISION]: 9 }, 9, "{}"],
    [new Map<string, unknown>([["1", "x"], [REVISION, 4], ["0", "y"]]), 4, '{"0":"y","1":"x"}'],
    [new Map<string, unknown>([[REVISION, 4], ["1", "x"]]), 4, '{"1":"x"}'],
    [{ a: 1 }, 0, '{"a":1}'],
    [{ [REVISION]: "7", a: 1 }, 0, '{"a":1}'],
    [{ a: { [REVISION]: 5 } }, 0, `{"a":{"${REVISION}":5}}`],
    [{ " re": 1, " revs": 2, " ": 3 }, 0, '{" re":1," revs":2," ":3}'],
  ];
  for (const [document, revision, text] of table) {
    assert.deepEqual(documentJson(BSON.serialize(document)), { json: text, revision });
  }
});

Deno.test("names are in the order of JavaScript's objects at every depth", () => {
  const names = [
    "b",
    "10",
    "9",
    "a",
    "0",
    "01",
    "00",
    "-1",
    "1.5",
    "1e3",
    " 7",
    "2nd",
    "4294967294",
  ];
  names.push(
    "\ufeff1",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "",
    "0x1",
    "007",
    "zebra",
    "8",
  );
  const orders = [names, names.toReversed(), names.toSorted(), names.slice(3)];
  for (const order of orders) {
    const entries = order.map((name, i): [string, number] => [name, i]);
    const inner = new Map<string, unknown>(entries);
    const outer = new Map<string, unknown>([...entries, ["in", [inner]], ["7", inner]]);
    const object = Object.fromEntries(entries);
    const wanted = { ...object, in: [object], 7: object };
    assert.equal(json(outer), jsonText(wanted));
  }
});

Deno.test("late array-index names in many nested levels take linear time", () => {
  let stored = new Map<string, unknown>();
  let shown: Json = {};
  for (let level = 0; level < 200; level++) {
    stored = new Map<string, unknown>([["a", stored], ["0", level]]);
    shown = { a: shown, "0": level };
  }
  assert.equal(json(stored), jsonText(shown));
});

Deno.test("the last value of a duplicate name wins", () => {
  const twice = [member(16, "a", int32(1)), member(16, "b", int32(2)), member(16, "a", int32(3))];
  const read = (...members: number[][]) => parseJson(documentJson(bytes(...members)).json);
  assert.deepEqual(read(...twice), { a: 3, b: 2 });
  assert.deepEqual(read(member(16, "0", int32(0)), ...twice), { "0": 0, a: 3, b: 2 });
  const indexes = [member(16, "7", int32(1)), member(16, "3", int32(2)), member(16, "7", int32(3))];
  assert.equal(documentJson(bytes(...indexes)).json, '{"3":2,"7":3}');
});

Deno.test("array elements keep their stored order, regardless of their names", () => {
  const array = body(
    member(16, "5", int32(1)),
    member(2, "", string([0x78])),
    member(16, "0", int32(2)),
  );
  assert.equal(documentJson(bytes(member(4, "v", array))).json, '{"v":[1,"x",2]}');
});

Deno.test("nesting is accepted up to its limit and rejected beyond it", () => {
  const kinds = [() => 3, () => 4, (level: number) => 3 + level % 2];
  for (const kind of kinds) {
    for (const levels of [1, 20, NESTING_MAX]) {
      const bson = nested(levels, kind);
      const wanted = BSON.deserialize(bson, { bsonRegExp: true });
      assert.equal(documentJson(bson).json, jsonText(wanted as Json));
    }
    for (const levels of [NESTING_MAX + 1, 500_000]) {
      assert.throws(() => documentJson(nested(levels, kind)), MalformedBson);
    }
  }
  const wide = Array.from({ length: NESTING_MAX + 5 }, () => [{}]);
  assert.equal(valueJson(wide), JSON.stringify(wide));
});

Deno.test("documentJson reads a view at an offset, and returned texts never change", () => {
  const document = BSON.serialize({
    a: "one",
    f: 1.5,
    l: Long.fromNumber(2 ** 40),
    d: new Date(1),
  });
  const around = new Uint8Array(document.length + 20).fill(0x41);
  around.set(document, 13);
  const view = around.subarray(13, 13 + document.length);
  const { json: first } = documentJson(view);
  view.fill(0);
  documentJson(BSON.serialize({ other: "x".repeat(100) }));
  assert.equal(first, '{"a":"one","f":1.5,"l":1099511627776,"d":"1970-01-01T00:00:00.001Z"}');
});
