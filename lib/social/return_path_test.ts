import assert from "node:assert/strict";
import { isReturnPath } from "./return_path.ts";

const SITE = "https://app.example";

Deno.test("isReturnPath refuses paths that lead to another host after decoding", () => {
  const elsewhere = [
    "//evil.example",
    "/\\evil.example",
    "/\\\\evil.example",
    "\\/evil.example",
    "/.//evil.example",
    "/./\\evil.example",
    "/a/..//evil.example",
    "/a/b/../..//evil.example",
    "/../..//evil.example",
    "/%2e//evil.example",
    "/%2E%2e//evil.example",
    "/a/%2e%2e/%2f/evil.example",
    "/%2f/",
    "/%2fevil.example",
    "/%2F%2Fevil.example",
    "/%5cevil.example",
    "/.%2f/evil.example",
    "/%252fevil.example",
    "/%25252fevil.example",
    "/%09/evil.example",
    "/%0a%0d/evil.example",
    "/ /evil.example",
    "/./ /x",
    "/%20/evil.example",
    "/\u00A0/evil.example",
    "/\u200B/evil.example",
    "/\t/evil.example",
    "/\u0000",
    "https://evil.example",
    "javascript:alert(1)",
    "",
    "settings",
    `/${"x".repeat(2048)}`,
  ];
  for (const text of elsewhere) assert.equal(isReturnPath(text, SITE), false, text.slice(0, 40));
});

Deno.test("isReturnPath accepts paths with any query and fragment", () => {
  const paths = [
    "/",
    "/settings",
    "/a b?c=d&e=%2F#f",
    "/a//b",
    "/a/../b?c=//evil.example#//d",
    "/?next=%2f%2fevil.example",
    "/#//evil.example",
    "/@evil.example",
    "/é/ü%C3%A9",
    "/100%",
    "/a%2fb",
    "/.well-known/x",
    `/${"x".repeat(2047)}`,
    `/${"%25".repeat(682)}`,
  ];
  for (const text of paths) assert.equal(isReturnPath(text, SITE), true, text.slice(0, 40));
});
