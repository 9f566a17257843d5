import assert from "node:assert/strict";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { type AiFixture, openAi } from "../api/ai.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";

const homeOf = ({ projectId }: AiFixture) => `/dashboard/projects/${projectId}/ai`;

const sealedAiKey = async ({ app, projectId }: AiFixture) =>
  (await app.services.engine.records<ProjectRecord>("control", PROJECTS).get(projectId))!.value
    .sealedAiKey ?? null;

const buttons = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("main button")].map((one) => one.textContent);

Deno.test("a key is saved, replaced and cleared, and is never shown", async () => {
  await using ai = await openAi({ plan: "pro" });
  const dashboard = openDashboard(ai.app, ai.owner);
  const empty = await dashboard.get(homeOf(ai));
  assert.ok(!empty.words.includes("stored"));
  const key = "gsk_one-of-our-own";
  let page = await dashboard.follow(await dashboard.fill(empty, "Save key", { aiKey: key }));
  assert.match(page.words, /The key is saved/);
  assert.match(page.words, /No cap applies/);
  assert.ok(!page.text.includes(key));
  const first = await sealedAiKey(ai);
  assert.ok(first !== null && !first.includes(key));
  page = await dashboard.follow(await dashboard.fill(page, "Replace key", { aiKey: `${key}2` }));
  assert.notEqual(await sealedAiKey(ai), first);
  page = await dashboard.follow(await dashboard.fill(page, "Clear the key"));
  assert.match(page.words, /The key is cleared/);
  assert.equal(await sealedAiKey(ai), null);
});

Deno.test("an invalid key, and any key on the free plan, is refused next to its form", async () => {
  await using ai = await openAi({ plan: "pro" });
  const dashboard = openDashboard(ai.app, ai.owner);
  const page = await dashboard.get(homeOf(ai));
  for (const aiKey of [...HOSTILE_TEXTS, "", "sk_no", "gsk_two words"]) {
    const refused = await dashboard.fill(page, "Save key", { aiKey });
    assert.equal(refused.status, 400);
    const card = refused.document.querySelector("[role=alert]")!.closest("article")!;
    assert.match(card.textContent, /must start with gsk_/);
    assert.ok(aiKey === "" || !refused.text.includes(aiKey), "a secret is not sent back");
    assertHarmless(refused);
  }
  await ai.setPlan("free");
  ai.app.services.plans.forgetProject(ai.projectId);
  const free = await dashboard.get(homeOf(ai));
  assert.match(free.words, /takes the Pro plan/);
  assert.deepEqual(buttons(free), []);
  const refused = await dashboard.submit(`${homeOf(ai)}/key`, { aiKey: "gsk_mine" });
  assert.equal(refused.status, 403);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /Pro plan/);
  assert.equal(await sealedAiKey(ai), null);
});

Deno.test("a key that the plan no longer allows is marked as unused and can be cleared", async () => {
  await using ai = await openAi({ plan: "pro" });
  const dashboard = openDashboard(ai.app, ai.owner);
  const page = await dashboard.get(homeOf(ai));
  await dashboard.fill(page, "Save key", { aiKey: "gsk_mine" });
  await ai.setPlan("free");
  ai.app.services.plans.forgetProject(ai.projectId);
  const free = await dashboard.get(homeOf(ai));
  assert.match(free.words, /A key is stored, but the owner's plan does not use it/);
  await dashboard.fill(free, "Clear the key");
  assert.equal(await sealedAiKey(ai), null);
});

Deno.test("the account's usage is shown next to its caps", async () => {
  await using ai = await openAi();
  await ai.define({ name: "posts", fields: [{ key: "title", type: "String" }] });
  assert.equal((await ai.ask()).status, 200);
  const page = await openDashboard(ai.app, ai.owner).get(homeOf(ai));
  assert.match(page.words, /Queries this month 1 of 5/);
  assert.match(page.words, /Designs this month 0 of 1/);
  const [queries] = page.document.querySelectorAll("progress");
  assert.deepEqual(
    [queries!.getAttribute("max"), queries!.getAttribute("value")],
    ["5", "1"],
  );
  const resets = page.document.querySelector("main time")!.getAttribute("datetime")!;
  assert.match(resets, /-01T00:00:00\.000Z$/);
});

Deno.test("viewers see that there is a key and cannot change it; strangers see no project", async () => {
  await using ai = await openAi({ plan: "pro" });
  const { app, projectId } = ai;
  const owner = openDashboard(app, ai.owner);
  await owner.fill(await owner.get(homeOf(ai)), "Save key", { aiKey: "gsk_mine" });
  const before = await sealedAiKey(ai);
  const account = await openAccount(app);
  await joinProject(app.services, projectId, account.accountId, "viewer");
  const viewer = openDashboard(app, account);
  const page = await viewer.get(homeOf(ai));
  assert.match(page.words, /Key of this project stored/);
  assert.deepEqual(buttons(page), []);
  const stranger = openDashboard(app, await openAccount(app));
  for (const fields of [{ aiKey: "gsk_theirs" }, { clear: "on" }]) {
    assert.equal((await viewer.submit(`${homeOf(ai)}/key`, fields)).status, 403);
    assert.equal((await stranger.submit(`${homeOf(ai)}/key`, fields)).status, 404);
  }
  assert.equal((await stranger.get(homeOf(ai))).status, 404);
  assert.equal(await sealedAiKey(ai), before);
});
