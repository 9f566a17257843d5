import assert from "node:assert/strict";
import { AI_USAGE, type AiUsageRecord } from "@/lib/ai/usage.ts";
import { ALL } from "@/lib/store/filter.ts";
import { createOwnedProject, joinProject, openAccount } from "../support/dashboard.ts";
import { fakeClock } from "../support/test_services.ts";
import { until } from "../acceptance/until.ts";
import { aiEnv, type AiFixture, EMPTY_QUERY, openAi, POSTS } from "./ai.ts";
import { refused, tally, times } from "./test_collection.ts";
import type { TestAccount } from "../support/dashboard.ts";

const used = (queries: number) => ({ queries, designs: 0, turns: 0 });

const setKey = (who: TestAccount, aiKey: string | null, projectId?: string) =>
  who.send({
    method: "PUT",
    path: projectId === undefined ? "/api/user/me/byok" : `/api/projects/${projectId}/byok`,
    body: { aiKey },
  });

async function openWithPosts(options: Parameters<typeof openAi>[0] = {}): Promise<AiFixture> {
  const ai = await openAi(options);
  await ai.define(POSTS);
  return ai;
}

Deno.test("the plan's cap is exact for 50 concurrent queries, and refused ones reach no provider", async () => {
  for (const [plan, cap] of [["free", 5], ["pro", 20]] as const) {
    await using ai = await openWithPosts({ plan });
    const answers = await Promise.all(times(50, () => ai.ask()));
    assert.deepEqual(tally(answers), { 200: cap, 403: 50 - cap });
    const refusals = answers.filter(({ status }) => status === 403);
    for (const answer of refusals) {
      refused(answer, 403, "AI_CAP_REACHED", new RegExp(`^The ${plan} plan's ${cap} requests`));
      assert.match(answer.body.message, /until the counter resets .* or a user key is configured/);
    }
    assert.equal(ai.fake.asked.length, cap);
    assert.deepEqual(await ai.usage(), used(cap));
    refused(await ai.ask(), 403, "AI_CAP_REACHED");
    const records = ai.app.services.engine.records<AiUsageRecord>("control", AI_USAGE);
    assert.equal(
      await records.count(ALL),
      1,
      "one record for the account and month, and none for the deployment",
    );
  }
});

Deno.test("the cap applies to all projects of one account and not to another account", async () => {
  await using ai = await openWithPosts();
  for (const _ of times(5, () => 0)) assert.equal((await ai.ask()).status, 200);
  const second = await createOwnedProject(ai.owner);
  const elsewhere = await ai.owner.send({
    path: `/api/projects/${second.projectId}/ai/query-builder`,
    body: { collectionName: "posts", prompt: "all" },
  });
  refused(elsewhere, 404, "COLLECTION_NOT_FOUND");
  const admin = await openAccount(ai.app);
  await joinProject(ai.app.services, ai.projectId, admin.accountId, "admin");
  refused(await ai.ask(), 403, "AI_CAP_REACHED");
  assert.equal((await ai.ask({}, admin)).status, 200);
  await ai.setPlan("pro");
  assert.equal((await ai.ask()).status, 200, "a larger plan applies at once");
});

Deno.test("counters start again at the beginning of each month in UTC", async () => {
  const clock = fakeClock(Date.parse("2026-01-31T23:59:59.000Z"));
  await using ai = await openWithPosts({ clock });
  for (const _ of times(5, () => 0)) assert.equal((await ai.ask()).status, 200);
  clock.advance(999);
  refused(await ai.ask(), 403, "AI_CAP_REACHED");
  clock.advance(1);
  assert.deepEqual(await ai.usage(), used(0));
  assert.equal((await ai.ask()).status, 200);
  assert.deepEqual(await ai.usage(), used(1));
});

Deno.test("a request across midnight is counted and given back in the month it began in", async () => {
  const clock = fakeClock(Date.parse("2026-01-31T23:59:59.999Z"));
  await using ai = await openWithPosts({ clock });
  const counts = async () => {
    const records = ai.app.services.engine.records<AiUsageRecord>("control", AI_USAGE);
    const { items } = await records.list({ filter: ALL, sort: [], limit: 9 });
    return (JSON.parse(`[${items}]`) as AiUsageRecord[])
      .filter(({ accountId }) => accountId !== null)
      .map(({ usage, queries }) => [usage.split(" ")[1], queries]);
  };
  ai.fake.reply(() => {
    clock.advance(1);
    return { writes: EMPTY_QUERY };
  });
  assert.equal((await ai.ask()).status, 200);
  assert.deepEqual(await counts(), [["2026-01", 1]]);
  clock.advance(-1);
  const first = ai.fake.asked.length;
  ai.fake.reply(async (_, i) => {
    if (i === first) {
      clock.advance(1);
      assert.equal((await ai.ask()).status, 200);
    }
    return i === first + 1
      ? { writes: EMPTY_QUERY }
      : { status: 500, headers: { "retry-after": "0" } };
  });
  refused(await ai.ask(), 502, "AI_UNAVAILABLE");
  assert.deepEqual(await counts(), [["2026-01", 1], ["2026-02", 1]]);
});

Deno.test("failed requests are given back: 50 failures at the cap leave one request", async () => {
  await using ai = await openWithPosts();
  for (const _ of times(4, () => 0)) await ai.ask();
  ai.fake.reply({ status: 500, headers: { "retry-after": "0" } });
  const answers = await Promise.all(times(50, () => ai.ask()));
  const { 502: failed = 0, 403: full = 0 } = tally(answers);
  assert.ok(failed >= 1 && failed + full === 50);
  assert.deepEqual(await ai.usage(), used(4));
  ai.fake.reply({ writes: EMPTY_QUERY });
  assert.equal((await ai.ask()).status, 200);
  refused(await ai.ask(), 403, "AI_CAP_REACHED");
});

Deno.test("keys are used in the order project, account, platform, and only the last is counted", async () => {
  await using ai = await openWithPosts({ plan: "pro" });
  const keys = { project: "gsk_of-the-project", account: "gsk_of-the-account" };
  for (const key of Object.values(keys)) ai.fake.accept(key);
  const usedKey = async () => {
    const { status, text } = await ai.ask();
    assert.equal(status, 200, text);
    return ai.fake.asked.at(-1)!.key;
  };
  assert.equal(await usedKey(), ai.fake.key);
  await setKey(ai.owner, keys.account);
  assert.equal(await usedKey(), keys.account);
  await setKey(ai.owner, keys.project, ai.projectId);
  assert.equal(await usedKey(), keys.project);
  await setKey(ai.owner, null);
  assert.equal(await usedKey(), keys.project);
  await setKey(ai.owner, null, ai.projectId);
  assert.equal(await usedKey(), ai.fake.key);
  assert.deepEqual(await ai.usage(), used(2));
});

Deno.test("requests with a user's own key have no cap, even when the platform's is reached", async () => {
  await using ai = await openWithPosts({ plan: "pro" });
  await Promise.all(times(20, () => ai.ask()));
  refused(await ai.ask(), 403, "AI_CAP_REACHED");
  ai.fake.accept("gsk_own");
  await setKey(ai.owner, "gsk_own");
  for (const answer of await Promise.all(times(30, () => ai.ask()))) {
    assert.equal(answer.status, 200);
  }
  assert.deepEqual(await ai.usage(), used(20));
});

Deno.test("a key is skipped while the plan does not include own keys", async () => {
  await using ai = await openWithPosts({ plan: "pro" });
  for (const key of ["gsk_project", "gsk_account"]) ai.fake.accept(key);
  await setKey(ai.owner, "gsk_account");
  await setKey(ai.owner, "gsk_project", ai.projectId);
  await ai.setPlan("free");
  assert.equal((await ai.ask()).status, 200);
  assert.equal(ai.fake.asked.at(-1)!.key, ai.fake.key);
  assert.deepEqual(await ai.usage(), used(1));
  await ai.setPlan("pro");
  await ai.ask();
  assert.equal(ai.fake.asked.at(-1)!.key, "gsk_project");
});

Deno.test("the project's key depends on its owner's plan, the account's on the caller's plan", async () => {
  await using ai = await openWithPosts({ plan: "pro" });
  for (const key of ["gsk_project", "gsk_admin"]) ai.fake.accept(key);
  await setKey(ai.owner, "gsk_project", ai.projectId);
  const admin = await openAccount(ai.app, { plan: "pro" });
  await joinProject(ai.app.services, ai.projectId, admin.accountId, "admin");
  await setKey(admin, "gsk_admin");
  await ai.ask({}, admin);
  assert.equal(ai.fake.asked.at(-1)!.key, "gsk_project");
  await ai.setPlan("free");
  await ai.ask({}, admin);
  assert.equal(ai.fake.asked.at(-1)!.key, "gsk_admin", "the caller's key replaces the owner's");
});

Deno.test("a user's key that the provider rejects is 401, and no other key is used", async () => {
  await using ai = await openWithPosts({ plan: "pro" });
  for (const projectId of [undefined, ai.projectId]) {
    await setKey(ai.owner, "gsk_unknown-to-the-provider", projectId);
    const answer = await ai.ask();
    refused(answer, 401, "AI_KEY_REJECTED");
    assert.equal(answer.body.message, "Invalid user-supplied AI key");
    assert.ok(!answer.text.includes("gsk_"));
  }
  ai.fake.accept("gsk_unknown-to-the-provider");
  ai.fake.reply({ status: 403 });
  refused(await ai.ask(), 401, "AI_KEY_REJECTED");
  assert.equal(ai.fake.asked.length, 1);
  assert.deepEqual(await ai.usage(), used(0));
});

Deno.test("a client that disconnects aborts the provider's request, which stays counted", async () => {
  await using ai = await openWithPosts();
  ai.fake.reply({ silent: true });
  const { createApp } = await import("@/routes/app.ts");
  const app = createApp(ai.app.services);
  const control = new AbortController();
  const request = new Request(
    `http://localhost:8000/api/projects/${ai.projectId}/ai/query-builder`,
    {
      method: "POST",
      headers: { cookie: ai.owner.cookie, "content-type": "application/json" },
      body: JSON.stringify({ collectionName: "posts", prompt: "all" }),
      signal: control.signal,
    },
  );
  const answer = app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
  await until("the provider is asked", () => ai.fake.asked.length === 1);
  control.abort();
  await until("the request to the provider is aborted", () => ai.fake.abandoned === 1);
  assert.equal((await answer).status, 502);
  assert.deepEqual(await ai.usage(), used(1));
});

Deno.test("two processes on one store share the counters", async () => {
  await using ai = await openWithPosts();
  await using other = await openAi({ store: ai.app.store, env: aiEnv(ai.fake) });
  const path = `/api/projects/${ai.projectId}/ai/query-builder`;
  const headers = { cookie: ai.owner.cookie };
  const body = { collectionName: "posts", prompt: "all" };
  const answers = await Promise.all(
    times(20, (i) => i % 2 === 0 ? ai.ask() : other.app.send({ path, headers, body })),
  );
  assert.deepEqual(tally(answers), { 200: 5, 403: 15 });
});

Deno.test("an unusable answer of the provider is refused and counted", async () => {
  await using ai = await openWithPosts();
  for (const writes of ["no JSON", {}, { filters: "all" }, { filters: [], sort: 7 }]) {
    ai.fake.reply({ writes });
    refused(await ai.ask(), 502, "AI_ANSWER_INVALID");
  }
  assert.deepEqual(await ai.usage(), used(4));
  ai.fake.reply({ writes: EMPTY_QUERY, finishReason: "length" });
  refused(await ai.ask(), 502, "AI_ANSWER_INVALID");
  refused(await ai.ask(), 403, "AI_CAP_REACHED");
  assert.equal(ai.fake.asked.length, 5);
});

Deno.test("AI_MONTHLY_LIMIT is exact for all accounts, operations and processes", async () => {
  await using ai = await openWithPosts({ plan: "pro", env: { AI_MONTHLY_LIMIT: "12" } });
  const env = { ...aiEnv(ai.fake), AI_MONTHLY_LIMIT: "12" };
  await using second = await openAi({ store: ai.app.store, env });
  const admin = await openAccount(ai.app, { plan: "pro" });
  await joinProject(ai.app.services, ai.projectId, admin.accountId, "admin");
  ai.fake.reply(({ schemaName }) => ({
    writes: schemaName === "query"
      ? EMPTY_QUERY
      : { type: "clarify", message: "For whom?", collections: null },
  }));
  const path = `/api/projects/${ai.projectId}/ai/query-builder`;
  const elsewhere = () =>
    second.app.send({
      path,
      headers: { cookie: ai.owner.cookie },
      body: { collectionName: "posts", prompt: "all" },
    });
  const requests = [() => ai.ask(), () => ai.ask({}, admin), () => ai.say("a blog"), elsewhere];
  const answers = await Promise.all(times(24, (i) => requests[i % requests.length]!()));
  assert.deepEqual(tally(answers), { 200: 12, 403: 12 });
  assert.equal(ai.fake.asked.length, 12);
  refused(await ai.ask(), 403, "AI_CAP_REACHED", "This server's 12 AI requests of this month");
  const [own, theirs] = [await ai.usage(), await ai.usage(admin)];
  assert.equal(own.queries + own.turns + theirs.queries, 12, "refused requests are given back");
  ai.fake.accept("gsk_own");
  await setKey(ai.owner, "gsk_own");
  assert.equal((await ai.ask()).status, 200, "a key of a user is exempt");
});

Deno.test("failed requests are given back to AI_MONTHLY_LIMIT too", async () => {
  await using ai = await openWithPosts({ env: { AI_MONTHLY_LIMIT: "1" } });
  ai.fake.reply({ status: 500, headers: { "retry-after": "0" } });
  for (const _ of times(3, () => 0)) refused(await ai.ask(), 502, "AI_UNAVAILABLE");
  ai.fake.reply({ writes: EMPTY_QUERY });
  assert.equal((await ai.ask()).status, 200);
  refused(await ai.ask(), 403, "AI_CAP_REACHED", "server's 1 AI requests");
  assert.deepEqual(await ai.usage(), used(1));
});

Deno.test("usage records of an earlier version count, and their missing counters are zero", async () => {
  await using ai = await openWithPosts();
  const { engine, newId } = ai.app.services;
  const earlier = { accountId: ai.owner.accountId, queries: 4, designs: 0 };
  await engine.records("control", AI_USAGE)
    .insert({ _id: newId(), ...earlier, usage: `${ai.owner.accountId} 2026-01` });
  assert.deepEqual(await ai.usage(), used(4));
  assert.equal((await ai.ask()).status, 200);
  refused(await ai.ask(), 403, "AI_CAP_REACHED");
  ai.fake.reply({ writes: { type: "clarify", message: "For whom?", collections: null } });
  assert.equal((await ai.say("a blog")).status, 200);
  assert.deepEqual(await ai.usage(), { queries: 5, designs: 0, turns: 1 });
});

Deno.test("an account is limited to ten AI requests a minute in all processes, with any key", async () => {
  await using ai = await openWithPosts({ plan: "pro", env: { RATE_LIMITS: "on" } });
  const env = { ...aiEnv(ai.fake), RATE_LIMITS: "on" };
  await using second = await openAi({ store: ai.app.store, env });
  ai.fake.accept("gsk_own");
  await setKey(ai.owner, "gsk_own");
  ai.app.clock.advance(15_000);
  second.app.clock.advance(15_000);
  const call = {
    path: `/api/projects/${ai.projectId}/ai/query-builder`,
    headers: { cookie: ai.owner.cookie },
    body: { collectionName: "posts", prompt: "all" },
  };
  const answers = await Promise.all(
    times(25, (i) => i % 2 === 0 ? ai.ask() : second.app.send(call)),
  );
  assert.deepEqual(tally(answers), { 200: 10, 429: 15 });
  const refusals = [await ai.say("a blog"), ...answers.filter(({ status }) => status === 429)];
  for (const answer of refusals) {
    refused(answer, 429, "RATE_LIMITED", "10 AI requests a minute");
    assert.equal(answer.headers.get("retry-after"), "45");
  }
  assert.equal(ai.fake.asked.length, 10);
  const admin = await openAccount(ai.app, { plan: "pro" });
  await joinProject(ai.app.services, ai.projectId, admin.accountId, "admin");
  assert.equal((await ai.ask({}, admin)).status, 200, "another account is not limited");
  ai.app.clock.advance(45_000);
  assert.equal((await ai.ask()).status, 200);
});
