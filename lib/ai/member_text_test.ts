import fc from "fast-check";
import assert from "node:assert/strict";
import { streamMember } from "./member_text.ts";

/** Returns the passed-on parts of `message` while the text arrives in pieces of these lengths. */
function streamed(text: string, lengths: readonly number[]): string[] {
  const texts: string[] = [];
  const take = streamMember("message", (piece) => void texts.push(piece));
  let at = 0;
  for (const length of lengths) {
    take(text.slice(at, at + length));
    at += length;
  }
  take(text.slice(at));
  return texts;
}

Deno.test("streamMember passes on the complete member for any division into pieces", () => {
  const lengths = fc.array(fc.nat(7), { maxLength: 40 });
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant('a"\\\n\u2028😀'));
  const before = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
  fc.assert(
    fc.property(before, text, before, lengths, fc.boolean(), (a, message, b, cut, spaced) => {
      for (const one of [a, b]) delete (one as Record<string, unknown>).message;
      const object = { ...a, message, ...b };
      const json = JSON.stringify(object, null, spaced ? 2 : 0);
      assert.equal(streamed(json, cut).join(""), message);
    }),
  );
});

Deno.test("streamMember waits for the rest of an escape or a surrogate pair", () => {
  const json = '{"message":"a\\u00e9\\ud83d\\ude00\\n"}';
  for (const text of streamed(json, Array(json.length).fill(1))) {
    assert.ok(text.isWellFormed(), JSON.stringify(text));
  }
});

Deno.test("streamMember ignores nested members and members of other types", () => {
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
  for (const json of silent) assert.deepEqual(streamed(json, [3, 3, 3]), [], json);
});
