import assert from "node:assert/strict";
import { networkOf, readForwardedAddress, readIpAddress, subnetOf } from "./ip_addresses.ts";

const NO_ADDRESSES = [
  "",
  "unknown",
  "_hidden",
  "localhost",
  "1.2.3",
  "1.2.3.4.5",
  "999.1.1.1",
  "0x7f.1",
  "2130706433",
  "::g",
  "a]b",
  "1.2.3.4 5",
  "%eth0",
  "::1/64",
  "1:2:3:4:5:6:7:8:9",
  "'; drop table",
  "x".repeat(1_000_000),
  ":".repeat(1_000_000),
  "1.".repeat(1_000_000),
];

Deno.test("readIpAddress returns one text for all spellings of an address", () => {
  const same: [string, string][] = [
    ["203.0.113.77", "203.0.113.77"],
    ["::ffff:203.0.113.77", "203.0.113.77"],
    ["::FFFF:cb00:714d", "203.0.113.77"],
    ["0:0:0:0:0:ffff:203.0.113.77", "203.0.113.77"],
    ["2001:0DB8:0001::6", "2001:db8:1::6"],
    ["2001:db8:1:0:0:0:0:6", "2001:db8:1::6"],
    ["fe80::1%eth0", "fe80::1"],
    ["::ffff:203.0.113.77%1", "203.0.113.77"],
    ["::1", "::1"],
    ["::", "::"],
  ];
  for (const [written, address] of same) assert.equal(readIpAddress(written), address, written);
});

Deno.test("readForwardedAddress accepts a port and brackets", () => {
  const entries: [string, string][] = [
    ["1.2.3.4:567", "1.2.3.4"],
    [" 1.2.3.4 ", "1.2.3.4"],
    ["[2001:db8::1]:567", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"],
    ["[fe80::1%eth0]:1", "fe80::1"],
    ["[::ffff:1.2.3.4]:567", "1.2.3.4"],
    ["::1", "::1"],
  ];
  for (const [entry, address] of entries) assert.equal(readForwardedAddress(entry), address, entry);
  const none = ["[::1", "::1]", "[::1]x", "[::1]:", "[::1]:x", "1.2.3.4:", "1.2.3.4:x", "[[::1]]"];
  for (const entry of [...NO_ADDRESSES, ...none]) {
    assert.equal(readForwardedAddress(entry), null, entry.slice(0, 40));
  }
});

Deno.test("networkOf returns an IPv4 address or the first eight bytes of IPv6", () => {
  assert.equal(networkOf("203.0.113.77"), "203.0.113.77");
  assert.equal(networkOf("::ffff:203.0.113.77"), "203.0.113.77");
  assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  assert.equal(networkOf("2001:db8:1:2::9"), "2001:db8:1:2::");
  assert.equal(networkOf("2001:db8:1:3::9"), "2001:db8:1:3::");
  assert.equal(networkOf("::1"), "::");
  assert.equal(networkOf("fe80::1%eth0"), "fe80::");
  assert.equal(networkOf("/run/socket"), "/run/socket");
});

Deno.test("subnetOf returns the first three bytes of IPv4 or the first six of IPv6", () => {
  assert.equal(subnetOf("203.0.113.77"), "203.0.113.0");
  assert.equal(subnetOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
});

Deno.test("readIpAddress and subnetOf return null for texts that are not addresses", () => {
  for (const text of [...NO_ADDRESSES, "[::1]", "1.2.3.4:5"]) {
    assert.equal(readIpAddress(text), null, text.slice(0, 40));
    assert.equal(subnetOf(text), null, text.slice(0, 40));
  }
});
