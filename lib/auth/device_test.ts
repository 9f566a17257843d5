import assert from "node:assert/strict";
import { deviceOf } from "./device.ts";

const addressOf = (address: string) => deviceOf(null, address).address;

Deno.test("of an IPv4 address the first three bytes are kept", () => {
  assert.equal(addressOf("203.0.113.77"), "203.0.113.0");
  assert.equal(addressOf("::ffff:203.0.113.77"), "203.0.113.0");
});

Deno.test("of an IPv6 address the first six bytes are kept, however it is written", () => {
  assert.equal(addressOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
  assert.equal(addressOf("2001:0DB8:0001::6"), "2001:db8:1::");
  assert.equal(addressOf("2001:db8::1"), "2001:db8::");
  assert.equal(addressOf("::1"), "::");
  assert.equal(addressOf("fe80::1%eth0"), "fe80::");
});

Deno.test("what is no address is kept as none", () => {
  for (const text of ["", "unknown", "_hidden", "1.2.3", "999.1.1.1", "[::1]", "::g", "a]b"]) {
    assert.equal(addressOf(text), null, text);
  }
});

Deno.test("of a User-Agent the first 200 characters are kept", () => {
  assert.equal(deviceOf("x".repeat(300), "").userAgent, "x".repeat(200));
  assert.equal(deviceOf("", "").userAgent, null);
  assert.equal(deviceOf(null, "").userAgent, null);
});
