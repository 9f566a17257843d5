import assert from "node:assert/strict";
import { createCookies } from "./cookies.ts";

const secure = createCookies("https://api.example.com");
const plain = createCookies("http://localhost:8000");

Deno.test("cookies on https are Secure and have the `__Host-` prefix", () => {
  const options = { sameSite: "None", maxAge: 60, partitioned: true } as const;
  assert.deepEqual(secure.write("session", "abc.DEF-_", options), [
    "set-cookie",
    "__Host-session=abc.DEF-_; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=None; Partitioned",
  ]);
  assert.equal(secure.read("__Host-session=abc", "session"), "abc");
  assert.equal(secure.read("session=abc", "session"), null, "a page on http could have set it");
});

Deno.test("cookies on http have no prefix and are not Secure", () => {
  assert.deepEqual(plain.write("session", "abc", { sameSite: "Lax", maxAge: 0 }), [
    "set-cookie",
    "session=abc; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
  ]);
  assert.equal(plain.read("session=abc", "session"), "abc");
});

Deno.test("read finds a cookie by its full name", () => {
  const header = "xsession=1; session_=2;session=a=b ; other=session=3";
  assert.equal(plain.read(header, "session"), "a=b");
  for (const none of [null, "", "session", "session=", ";", "Session=1"]) {
    assert.equal(plain.read(none, "session"), null, String(none));
  }
});

Deno.test("read returns the first of two cookies with one name, which has the nearest path", () => {
  assert.equal(plain.read("session=1; session=2", "session"), "1");
});
