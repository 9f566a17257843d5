import assert from "node:assert/strict";
import { etagOf } from "./document.ts";
import { unchangedSince } from "./precondition.ts";
import { namesTag } from "../http/etags.ts";

const TAG = '"abc"';

Deno.test("a header names a tag alone, in a list, or as any", () => {
  for (const header of ['"abc"', ' "abc" ', '"x", "abc"', '"abc","x"', "*", " * "]) {
    assert.equal(namesTag(header, TAG, false), true, header);
    assert.equal(namesTag(header, TAG, true), true, header);
  }
});

Deno.test("another tag, and a tag in another spelling, is not the one", () => {
  for (const header of ["", "abc", '"ABC"', '"ab"', '"abcd"', "'abc'", '"x"', ",", '"a","bc"']) {
    assert.equal(namesTag(header, TAG, true), false, header);
  }
});

Deno.test("a weak tag is good for reading again, never for writing", () => {
  for (const header of ['W/"abc"', '"x", W/"abc"']) {
    assert.equal(namesTag(header, TAG, true), true);
    assert.equal(namesTag(header, TAG, false), false);
  }
  assert.equal(namesTag('w/"abc"', TAG, true), false);
});

const current = { json: '{"_id":"a"}', revision: 7, value: { _id: "a" } };

Deno.test("with any state named a write has no condition", () => {
  for (const ifMatch of ["*", " * "]) {
    assert.deepEqual(unchangedSince(current, ifMatch), { op: "and", of: [] });
  }
});

Deno.test("with the present tag a write holds to the revision that was compared", () => {
  for (const ifMatch of [etagOf(current), `"x", ${etagOf(current)}`]) {
    assert.deepEqual(unchangedSince(current, ifMatch), { op: "revision", value: 7 });
  }
});

Deno.test("with another tag a write is refused before it is tried", () => {
  for (const ifMatch of ['"abc"', `W/${etagOf(current)}`, "", etagOf({ json: "{}" })]) {
    assert.throws(() => unchangedSince(current, ifMatch), {
      code: "PRECONDITION_FAILED",
      status: 412,
    });
  }
});
