import assert from "node:assert/strict";
import { FORM_TEXT_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { refuseLargeForm } from "./form_size.ts";

const isRefused = (text: string, fieldsMax: number): boolean => {
  try {
    refuseLargeForm(new TextEncoder().encode(text), fieldsMax);
    return false;
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.equal(error.code, "BODY_TOO_LARGE");
    return true;
  }
};

Deno.test("refuseLargeForm counts all fields, including those without a name or value", () => {
  for (const field of ["a", "a=", "=1", "a=1=2", "%26=%26"]) {
    const most = Array(10).fill(field).join("&");
    assert.equal(isRefused(most, 10), false, field);
    assert.equal(isRefused(`&&${most}&&`, 10), false, "empty fields do not count");
    assert.equal(isRefused(`${most}&${field}`, 10), true, field);
  }
  assert.equal(isRefused("", 0), false);
});

Deno.test("refuseLargeForm counts decoded characters", () => {
  const most = "a=" + "%3C".repeat(1000) + "x".repeat(FORM_TEXT_LENGTH_MAX - 1002);
  assert.equal(isRefused(most, 1), false);
  assert.equal(isRefused(`${most}%3C`, 1), true);
});

Deno.test("refuseLargeForm limits decoded names but not single values", () => {
  const longest = "%3C".repeat(320);
  assert.equal(isRefused(`${longest}=${"x".repeat(1000)}&${longest}`, 2), false);
  assert.equal(isRefused(`${longest}%3C=1`, 1), true);
  assert.equal(isRefused("x".repeat(321), 1), true);
});
