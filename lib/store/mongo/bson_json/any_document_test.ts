/** Property test: any document in BSON has the JSON text of the equal JavaScript object. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { BSON } from "mongodb";
import { jsonText } from "../../json_text.ts";
import type { Json } from "../../port.ts";
import { REVISION } from "../hidden_members.ts";
import { readReply } from "../raw_bson.ts";
import { documentJson } from "./mod.ts";

const { Long, ObjectId } = BSON;

const name = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.nat({ max: 40 }).map(String),
  fc.constantFrom("_id", REVISION, "__proto__", "constructor", "length", '"', "\\", "\x1f", "é"),
);

/** A document or a value, as stored in BSON and as the other engine returns it. */
interface Sample<Stored, Shown> {
  readonly stored: Stored;
  readonly shown: Shown;
}

type AnySample = Sample<unknown, Json>;
type Entry = [string, AnySample];

const asObject = (entries: readonly Entry[]) => ({
  stored: new Map(entries.map(([key, { stored }]) => [key, stored])),
  shown: Object.fromEntries(entries.map(([key, { shown }]) => [key, shown])) as Record<
    string,
    Json
  >,
});

const uniqueEntries = (value: fc.Arbitrary<AnySample>) =>
  fc.uniqueArray(fc.tuple(name, value), { maxLength: 8, selector: ([key]) => key });

const { sample } = fc.letrec<{ sample: AnySample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.double(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
      )
        .map((value) => ({ stored: value, shown: value })),
      fc.date({ noInvalidDate: true }).map((date) => ({ stored: date, shown: date.toISOString() })),
      fc.maxSafeInteger().map((value) => ({ stored: Long.fromNumber(value), shown: value })),
      fc.uint8Array({ minLength: 12, maxLength: 12 }).map((id) => {
        return { stored: new ObjectId(id), shown: new ObjectId(id).toHexString() };
      }),
    ),
    fc.array(tie("sample"), { maxLength: 8 }).map((list) => ({
      stored: list.map(({ stored }) => stored),
      shown: list.map(({ shown }) => shown),
    })),
    uniqueEntries(tie("sample")).map(asObject),
  ),
}));

const document = uniqueEntries(sample).map((entries) => {
  const { stored, shown: { _id, [REVISION]: revision, ...rest } } = asObject(entries);
  const members = jsonText(rest).slice(1, -1);
  const first = _id === undefined ? [] : [`"_id":${jsonText(_id)}`];
  return {
    stored,
    json: `{${[...first, ...(members === "" ? [] : [members])].join(",")}}`,
    revision: typeof revision === "number" ? revision : 0,
  };
});

Deno.test("any document is converted to exactly the JSON text of its object", () => {
  fc.assert(
    fc.property(document, ({ stored, json, revision }) => {
      assert.deepEqual(documentJson(BSON.serialize(stored)), { json, revision });
    }),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(fc.array(document), (documents) => {
      const firstBatch = documents.map(({ stored }) => stored);
      const batch = BSON.serialize({ firstBatch, id: Long.ZERO, ns: "space.collection" });
      const texts = readReply(batch).documents.map((one) => documentJson(one).json);
      assert.deepEqual(texts, documents.map(({ json }) => json));
    }),
    { numRuns: 200 },
  );
});
