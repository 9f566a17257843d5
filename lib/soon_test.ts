import assert from "node:assert/strict";
import { after } from "./soon.ts";

Deno.test("what is there is gone on with at once, what will be later", async () => {
  assert.equal(after(1, (n) => n + 1), 2);
  const later = after(Promise.resolve(1), (n) => n + 1);
  assert.ok(later instanceof Promise);
  assert.equal(await later, 2);
});

Deno.test("what fails at once throws, what fails later rejects", async () => {
  const fail = (): never => {
    throw new Error("failed");
  };
  assert.throws(() => after(1, fail), /failed/);
  await assert.rejects(async () => await after(Promise.resolve(1), fail), /failed/);
  let calls = 0;
  await assert.rejects(async () => {
    await after(Promise.reject(new Error("first")), () => calls++);
  }, /first/);
  assert.equal(calls, 0);
});
