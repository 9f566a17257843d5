import assert from "node:assert/strict";
import { etagOf } from "./document.ts";
import { unchangedSince } from "./precondition.ts";
import { matchesTag } from "../http/etags.ts";

const TAG = '"abc"';

Deno.test("matchesTag finds a tag alone, in a list, or by *", () => {
  for (const header of ['"abc"', ' "abc" ', '"x", "abc"', '"abc","x"', "*", " * "]) {
    assert.equal(matchesTag(header, TAG, false), true, header);
    assert.equal(matchesTag(header, TAG, true), true, header);
  }
});

Deno.test("matchesTag does not match other tags or other spellings", () => {
  for (const header of ["", "abc", '"ABC"', '"ab"', '"abcd"', "'abc'", '"x"', ",", '"a","bc"']) {
    assert.equal(matchesTag(header, TAG, true), false, header);
  }
});

Deno.test("matchesTag accepts weak tags only for conditional reads", () => {
  for (const header of ['W/"abc"', '"x", W/"abc"']) {
    assert.equal(matchesTag(header, TAG, true), true);
    assert.equal(matchesTag(header, TAG, false), false);
  }
  assert.equal(matchesTag('w/"abc"', TAG, true), false);
});

const current = { json: '{"_id":"a"}', revision: 7, value: { _id: "a" } };

Deno.test("unchangedSince returns no condition for *", () => {
  for (const ifMatch of ["*", " * "]) {
    assert.deepEqual(unchangedSince(current, ifMatch), { op: "and", of: [] });
  }
});

Deno.test("unchangedSince returns the compared revision for the current tag", () => {
  for (const ifMatch of [etagOf(current), `"x", ${etagOf(current)}`]) {
    assert.deepEqual(unchangedSince(current, ifMatch), { op: "revision", value: 7 });
  }
});

Deno.test("unchangedSince throws PRECONDITION_FAILED for another tag", () => {
  for (const ifMatch of ['"abc"', `W/${etagOf(current)}`, "", etagOf({ json: "{}" })]) {
    assert.throws(() => unchangedSince(current, ifMatch), {
      code: "PRECONDITION_FAILED",
      status: 412,
    });
  }
});
