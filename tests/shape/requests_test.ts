import { requestCounts } from "./entered.ts";
import { assertWithinLimits } from "./limits.ts";

Deno.test("a list and an insert enter no more files, functions and statements than allowed", async () => {
  assertWithinLimits(await requestCounts());
});
