import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { refused } from "./test_collection.ts";

const PATH = "/api/user/me/ai-usage";

Deno.test("getAiUsage returns the usage, the plan's limits and the end of the month", async () => {
  await using app = await openTestApp();
  const free = await openAccount(app);
  assert.deepEqual((await free.send({ path: PATH })).body.data, {
    month: "2026-01",
    resetsAt: "2026-02-01T00:00:00.000Z",
    plan: "free",
    queries: { used: 0, limit: 5 },
    designs: { used: 0, limit: 1 },
    turns: { used: 0, limit: 20 },
  });
  const pro = await openAccount(app, { plan: "pro" });
  const { queries, designs, turns } = (await pro.send({ path: PATH })).body.data;
  assert.deepEqual([queries.limit, designs.limit, turns.limit], [20, 5, 100]);
});

Deno.test("getAiUsage in December resets in January of the next year", async () => {
  await using app = await openTestApp();
  app.clock.advance(Date.parse("2026-12-31T23:59:59.999Z") - app.clock.now());
  const account = await openAccount(app);
  const { month, resetsAt } = (await account.send({ path: PATH })).body.data;
  assert.deepEqual([month, resetsAt], ["2026-12", "2027-01-01T00:00:00.000Z"]);
});

Deno.test("getAiUsage refuses a request without a session", async () => {
  await using app = await openTestApp();
  const { secretKey } = await app.project();
  const headers = { "x-api-key": secretKey };
  refused(await app.send({ path: PATH, headers }), 401, "SIGN_IN_REQUIRED");
});
