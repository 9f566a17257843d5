import assert from "node:assert/strict";
import { sign, unsign } from "./signed.ts";

Deno.test("unsign accepts every key of the ring and only the same purpose", () => {
  const [oldKey, newKey] = ["k".repeat(32), "l".repeat(32)];
  const text = sign(oldKey, "state", "value");
  assert.equal(unsign([newKey, oldKey], "state", text), "value");
  assert.equal(unsign([newKey], "state", text), null);
  assert.equal(unsign([oldKey], "other", text), null);
});

Deno.test("unsign rejects a value that was altered, truncated or never signed", () => {
  const key = "k".repeat(32);
  const text = sign(key, "state", "value");
  const others = ["", ".", "value", `x${text}`, `${text}x`, text.slice(1), text.slice(0, -1)];
  for (const other of [...others, text.replace(".", "..")]) {
    assert.equal(unsign([key], "state", other), null, other);
  }
});
