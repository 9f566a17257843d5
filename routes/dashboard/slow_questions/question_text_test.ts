import assert from "node:assert/strict";
import { conditionsText } from "./question_text.ts";

Deno.test("conditionsText describes conditions without the trash", () => {
  const trash = { isDeleted: { eq: "?" } };
  assert.equal(conditionsText({}), "");
  assert.equal(conditionsText(trash), "");
  assert.equal(conditionsText({ and: [trash, { status: { eq: "?" } }] }), "status = ?");
  assert.equal(
    conditionsText({ and: [{ a: { in: ["?"] } }, { "b.c": { gte: "?" } }, trash] }),
    "a is one of ? and b.c ≥ ?",
  );
  assert.equal(
    conditionsText({ and: [{ or: [{ a: { eq: "?" } }, { not: { b: { exists: "?" } } }] }, trash] }),
    "(a = ? or not (b is there or not))",
  );
  assert.equal(conditionsText({ not: { or: [{ a: { lt: "?" } }] } }), "not (a < ?)");
});

Deno.test("conditionsText treats fields with the name of a connective as fields", () => {
  assert.equal(conditionsText({ not: { eq: "?" } }), "not = ?");
  assert.equal(conditionsText({ not: { nin: ["?"] } }), "not is not one of ?");
  assert.equal(conditionsText({ and: { regex: "?" } }), "and matches ?");
});
