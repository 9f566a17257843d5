import assert from "node:assert/strict";
import { openAccount, PASSWORD } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE, openDashboard } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

Deno.test("whoever is not signed in is sent to sign in, and back to what he looked at", async () => {
  await using app = await openTestApp();
  const { email } = await openAccount(app);
  const visitor = openDashboard(app);
  const sent = await visitor.get("/dashboard?cursor=x");
  assert.deepEqual([sent.status, sent.location], [
    303,
    `/dashboard/sign-in?${new URLSearchParams({ next: "/dashboard?cursor=x" })}`,
  ]);
  const page = await visitor.follow(sent);
  const back = await visitor.fill(page, "Sign in", { email, password: PASSWORD });
  assert.equal(back.location, "/dashboard?cursor=x");
  assert.ok(back.headers.getSetCookie().some((one) => one.startsWith("corbel_session=")));
});

Deno.test("a refusal is said beside the form, which keeps what was typed but the password", async () => {
  await using app = await openTestApp();
  const visitor = openDashboard(app);
  const page = await visitor.get("/dashboard/sign-in");
  for (const email of [...HOSTILE, "nobody@example.com"]) {
    const refused = await visitor.fill(page, "Sign in", { email, password: PASSWORD });
    assert.equal(refused.status, 401);
    const field = refused.document.querySelector("input[name=email]");
    assert.equal(field?.getAttribute("value"), email);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, /password/i);
    assert.ok(!refused.text.includes(PASSWORD));
    assertHarmless(refused);
  }
});
