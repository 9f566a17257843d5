import { requestCounts } from "./executed.ts";
import { assertWithinLimits } from "./limits.ts";

Deno.test("a list and an insert execute no more files, functions and statements than allowed", async () => {
  assertWithinLimits(await requestCounts());
});
