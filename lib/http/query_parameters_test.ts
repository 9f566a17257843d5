import assert from "node:assert/strict";
import fc from "fast-check";
import { queryParameters } from "./query_parameters.ts";

const sameAsSearchParams = (text: string) =>
  assert.deepEqual([...queryParameters(text)], [...new URLSearchParams(text)], text);

Deno.test("a query is read as URLSearchParams reads it", () => {
  const part = fc.constantFrom("&", "=", "?", "%", "%20", "%zz", "+", "#", " ", "é", "\ud800", "a");
  fc.assert(fc.property(fc.string({ unit: part, maxLength: 12 }), sameAsSearchParams));
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 40 }), sameAsSearchParams));
});

Deno.test("each parameter of a query is read", () => {
  const parameters = [...queryParameters("sort=-createdAt&&where={}&a=b=c&=d&e&a=")];
  assert.deepEqual(parameters, [
    ["sort", "-createdAt"],
    ["where", "{}"],
    ["a", "b=c"],
    ["", "d"],
    ["e", ""],
    ["a", ""],
  ]);
});
