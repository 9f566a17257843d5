import assert from "node:assert/strict";
import { signed, unsigned } from "./signed.ts";

Deno.test("a signed value is read back under every key of the ring, and for its purpose only", () => {
  const [old, present] = ["k".repeat(32), "l".repeat(32)];
  const text = signed(old, "state", "value");
  assert.equal(unsigned([present, old], "state", text), "value");
  assert.equal(unsigned([present], "state", text), null);
  assert.equal(unsigned([old], "other", text), null);
});

Deno.test("a value that was altered, cut or never signed is none", () => {
  const key = "k".repeat(32);
  const text = signed(key, "state", "value");
  const others = ["", ".", "value", `x${text}`, `${text}x`, text.slice(1), text.slice(0, -1)];
  for (const other of [...others, text.replace(".", "..")]) {
    assert.equal(unsigned([key], "state", other), null, other);
  }
});
