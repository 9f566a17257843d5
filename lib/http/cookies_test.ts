import assert from "node:assert/strict";
import { createCookies } from "./cookies.ts";

const secure = createCookies("https://api.example.com");
const plain = createCookies("http://localhost:8000");

Deno.test("on https a cookie belongs to the host alone and never travels in the clear", () => {
  const options = { sameSite: "None", maxAge: 60, partitioned: true } as const;
  assert.deepEqual(secure.write("session", "abc.DEF-_", options), [
    "set-cookie",
    "__Host-session=abc.DEF-_; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=None; Partitioned",
  ]);
  assert.equal(secure.read("__Host-session=abc", "session"), "abc");
  assert.equal(secure.read("session=abc", "session"), null, "anybody on http could have set it");
});

Deno.test("on http the name has no prefix and the cookie is not Secure", () => {
  assert.deepEqual(plain.write("session", "abc", { sameSite: "Lax", maxAge: 0 }), [
    "set-cookie",
    "session=abc; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
  ]);
  assert.equal(plain.read("session=abc", "session"), "abc");
});

Deno.test("one cookie of many is found by its whole name", () => {
  const header = "xsession=1; session_=2;session=a=b ; other=session=3";
  assert.equal(plain.read(header, "session"), "a=b");
  for (const none of [null, "", "session", "session=", ";", "Session=1"]) {
    assert.equal(plain.read(none, "session"), null, String(none));
  }
});

Deno.test("of two cookies of one name the first counts, which is the one of the nearest path", () => {
  assert.equal(plain.read("session=1; session=2", "session"), "1");
});
