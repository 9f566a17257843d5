import assert from "node:assert/strict";
import { createRequestShares } from "./request_shares.ts";

const BUSY = { code: "SERVER_BUSY" };

function working() {
  const work = Promise.withResolvers<void>();
  return work;
}

Deno.test("a caller's share is freed when its work ends or fails", async () => {
  const shares = createRequestShares({ max: 4, shareMax: 2 });
  const [one, other] = [working(), working()];
  shares.track("a", one.promise);
  shares.assertAvailable("a");
  shares.track("a", other.promise);
  assert.throws(() => shares.assertAvailable("a"), BUSY);
  shares.assertAvailable("b");
  one.reject(new Error("failed"));
  await assert.rejects(one.promise);
  shares.assertAvailable("a");
  other.resolve();
});

Deno.test("beyond the total limit only callers without work in progress are admitted", () => {
  const shares = createRequestShares({ max: 4, shareMax: 2 });
  for (const caller of ["a", "a", "b", "b"]) shares.track(caller, working().promise);
  shares.assertAvailable("c");
  shares.track("c", working().promise);
  assert.throws(() => shares.assertAvailable("c"), BUSY);
  shares.assertAvailable("d");
});
