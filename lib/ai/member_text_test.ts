import fc from "fast-check";
import assert from "node:assert/strict";
import { followMember } from "./member_text.ts";

/** What is told of `message` while the text comes in pieces of these lengths. */
function told(text: string, lengths: readonly number[]): string[] {
  const texts: string[] = [];
  const take = followMember("message", (piece) => void texts.push(piece));
  let at = 0;
  for (const length of lengths) {
    take(text.slice(at, at + length));
    at += length;
  }
  take(text.slice(at));
  return texts;
}

Deno.test("whatever stands around it and however it is cut, the member is told whole", () => {
  const lengths = fc.array(fc.nat(7), { maxLength: 40 });
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant('a"\\\n\u2028😀'));
  const before = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
  fc.assert(
    fc.property(before, text, before, lengths, fc.boolean(), (a, message, b, cut, spaced) => {
      for (const one of [a, b]) delete (one as Record<string, unknown>).message;
      const object = { ...a, message, ...b };
      const json = JSON.stringify(object, null, spaced ? 2 : 0);
      assert.equal(told(json, cut).join(""), message);
    }),
  );
});

Deno.test("half of an escape or of a pair is held back until the rest has come", () => {
  const json = '{"message":"a\\u00e9\\ud83d\\ude00\\n"}';
  for (const text of told(json, Array(json.length).fill(1))) {
    assert.ok(text.isWellFormed(), JSON.stringify(text));
  }
});

Deno.test("members of the same name within others, and other kinds of it, are not told", () => {
  const silent = [
    '{"schema":{"message":"x"}}',
    '[{"message":"x"}]',
    '{"message":7,"other":"x"}',
    '{"message":{"message":"x"}}',
    '{"message":["x"]}',
    '{"message":null,"x":"message"}',
    '{"x":"message","y":"z"}',
    '"message"',
    "message: x",
    "",
  ];
  for (const json of silent) assert.deepEqual(told(json, [3, 3, 3]), [], json);
});
