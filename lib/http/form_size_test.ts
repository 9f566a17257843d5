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

Deno.test("fields are counted, whatever is in them", () => {
  for (const field of ["a", "a=", "=1", "a=1=2", "%26=%26"]) {
    const most = Array(10).fill(field).join("&");
    assert.equal(isRefused(most, 10), false, field);
    assert.equal(isRefused(`&&${most}&&`, 10), false, "nothing between separators is no field");
    assert.equal(isRefused(`${most}&${field}`, 10), true, field);
  }
  assert.equal(isRefused("", 0), false);
});

Deno.test("text is counted as it is decoded", () => {
  const most = "a=" + "%3C".repeat(1000) + "x".repeat(FORM_TEXT_LENGTH_MAX - 1002);
  assert.equal(isRefused(most, 1), false);
  assert.equal(isRefused(`${most}%3C`, 1), true);
});

Deno.test("names are bounded as they are decoded, and what stands behind them is not", () => {
  const longest = "%3C".repeat(320);
  assert.equal(isRefused(`${longest}=${"x".repeat(1000)}&${longest}`, 2), false);
  assert.equal(isRefused(`${longest}%3C=1`, 1), true);
  assert.equal(isRefused("x".repeat(321), 1), true);
});
