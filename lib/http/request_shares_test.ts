import assert from "node:assert/strict";
import { createRequestShares } from "./request_shares.ts";

const BUSY = { code: "SERVER_BUSY" };

function working() {
  const work = Promise.withResolvers<void>();
  return work;
}

Deno.test("a caller has a share, and gets it back when its work has ended, also badly", async () => {
  const shares = createRequestShares({ max: 4, shareMax: 2 });
  const [one, other] = [working(), working()];
  shares.count("a", one.promise);
  shares.assertRoom("a");
  shares.count("a", other.promise);
  assert.throws(() => shares.assertRoom("a"), BUSY);
  shares.assertRoom("b");
  one.reject(new Error("failed"));
  await assert.rejects(one.promise);
  shares.assertRoom("a");
  other.resolve();
});

Deno.test("beyond what all may have, only those who have nothing are let in", () => {
  const shares = createRequestShares({ max: 4, shareMax: 2 });
  for (const caller of ["a", "a", "b", "b"]) shares.count(caller, working().promise);
  shares.assertRoom("c");
  shares.count("c", working().promise);
  assert.throws(() => shares.assertRoom("c"), BUSY);
  shares.assertRoom("d");
});
