import assert from "node:assert/strict";
import { createLines } from "./lines.ts";

Deno.test("those of one kind come one after the other, in their order, and failures hold up nobody", async () => {
  const { inLine } = createLines();
  const seen: string[] = [];
  let inside = 0;
  const work = (name: string) => async () => {
    assert.equal(++inside, 1);
    await new Promise((resolve) => queueMicrotask(() => resolve(null)));
    inside--;
    seen.push(name);
    if (name === "b") throw new Error(name);
    return name;
  };
  const results = await Promise.allSettled(["a", "b", "c"].map((name) => inLine("x", work(name))));
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.equal(await inLine("x", work("d")), "d");
});

Deno.test("kinds do not wait for each other", async () => {
  const { inLine } = createLines();
  const gate = Promise.withResolvers<void>();
  const held = inLine("x", () => gate.promise);
  assert.equal(await inLine("y", () => Promise.resolve(1)), 1);
  gate.resolve();
  await held;
});
