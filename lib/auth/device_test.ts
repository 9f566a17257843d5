import assert from "node:assert/strict";
import { deviceOf } from "./device.ts";

const addressOf = (address: string) => deviceOf(null, address).address;

Deno.test("deviceOf keeps the first three bytes of an IPv4 address", () => {
  assert.equal(addressOf("203.0.113.77"), "203.0.113.0");
  assert.equal(addressOf("::ffff:203.0.113.77"), "203.0.113.0");
});

Deno.test("deviceOf keeps the first six bytes of an IPv6 address in any notation", () => {
  assert.equal(addressOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
  assert.equal(addressOf("2001:0DB8:0001::6"), "2001:db8:1::");
  assert.equal(addressOf("2001:db8::1"), "2001:db8::");
  assert.equal(addressOf("::1"), "::");
  assert.equal(addressOf("fe80::1%eth0"), "fe80::");
});

Deno.test("deviceOf returns null for an invalid address", () => {
  for (const text of ["", "unknown", "_hidden", "1.2.3", "999.1.1.1", "[::1]", "::g", "a]b"]) {
    assert.equal(addressOf(text), null, text);
  }
});

Deno.test("deviceOf keeps the first 200 characters of a User-Agent", () => {
  assert.equal(deviceOf("x".repeat(300), "").userAgent, "x".repeat(200));
  assert.equal(deviceOf("", "").userAgent, null);
  assert.equal(deviceOf(null, "").userAgent, null);
});
