import assert from "node:assert/strict";
import { CONTRACTS } from "@/openapi/document.ts";
import { DASHBOARD_RATE_NOTE } from "@/openapi/security.ts";
import { openTestApp } from "../support/test_app.ts";
import type { Call } from "../support/conforming_client.ts";
import { guardHeaders, inProject, sampleCalls } from "./sample_calls.ts";
import { createTestCollection, refused } from "./test_collection.ts";

const env = { RATE_LIMITS: "on" };
const COUNTED_IDS = CONTRACTS.filter(({ description }) => description.includes(DASHBOARD_RATE_NOTE))
  .map(({ operationId }) => operationId);
const SAMPLES = sampleCalls().filter(({ operationId }) => COUNTED_IDS.includes(operationId));
/** A counted request that is refused before a password is hashed. */
const CHEAP: Call = { path: "/api/auth/login", body: {} };

Deno.test("operations that reveal accounts or check passwords are counted", () => {
  const revealing = [
    "registerAccount",
    "signInAccount",
    "changePassword",
    "deleteAccount",
    "verifyAccountEmail",
    "resendAccountVerification",
    "requestAccountPasswordReset",
    "resetAccountPassword",
  ];
  for (const id of [...revealing, "inviteMember"]) assert.ok(COUNTED_IDS.includes(id), id);
});

Deno.test("an address may send twenty requests a minute, and responses say how many are left", async () => {
  await using app = await openTestApp({ env });
  for (let left = 19; left >= 0; left--) {
    const answer = await app.send(CHEAP);
    refused(answer, 400, "INVALID_BODY");
    assert.equal(answer.headers.get("ratelimit-limit"), "20");
    assert.equal(answer.headers.get("ratelimit-remaining"), String(left));
  }
  refused(await app.send(CHEAP), 429, "RATE_LIMITED");
  refused(await app.send({ ...CHEAP, peer: "198.51.100.1" }), 400, "INVALID_BODY");
  app.clock.advance(60_000);
  refused(await app.send(CHEAP), 400, "INVALID_BODY");
});

Deno.test("addresses of one IPv6 network are counted together", async () => {
  await using app = await openTestApp({ env });
  for (let n = 0; n < 20; n++) await app.send({ ...CHEAP, peer: `2001:db8:1:2::${n}` });
  refused(await app.send({ ...CHEAP, peer: "2001:db8:1:2:3::" }), 429, "RATE_LIMITED");
  refused(await app.send({ ...CHEAP, peer: "2001:db8:1:3::" }), 400, "INVALID_BODY");
});

for (const sample of SAMPLES) {
  Deno.test(`${sample.operationId}: 429 beyond the address's limit, without an effect`, async () => {
    await using app = await openTestApp({ env });
    const collection = await createTestCollection(app);
    const headers = await guardHeaders(sample, collection.project);
    const peer = "198.51.100.1";
    for (let n = 0; n < 20; n++) await app.send({ ...CHEAP, peer });
    await collection.untouched(async () => {
      const call = inProject(sample.call, collection.project.projectId);
      const answer = await app.send({ ...call, headers, peer });
      refused(answer, 429, "RATE_LIMITED");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d?$/);
    });
  });
}
