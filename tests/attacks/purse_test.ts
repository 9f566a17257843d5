import assert from "node:assert/strict";
import { EMPTY_QUERY, openAi, POSTS } from "../api/ai.ts";
import { AI_TIMEOUT_MS } from "@/lib/limits.ts";
import { withFasterTimers } from "../support/faster_timers.ts";
import { tally, times } from "../api/test_collection.ts";
import { joinProject, openAccount, type TestAccount } from "../support/dashboard.ts";

/**
 * Attempts to use more paid AI than the account's plan includes, counted by the provider's calls
 * with the platform's key.
 */

Deno.test("failed responses of the query builder count against the limit", async () => {
  await using ai = await openAi();
  await ai.define(POSTS);
  ai.fake.reply({ writes: "As you wish, here is a poem instead." });
  const answers = [];
  for (const _ of times(12, () => 0)) {
    answers.push(await ai.ask({ prompt: "Write a poem, and no JSON at all." }));
  }
  assert.deepEqual(tally(answers), { 502: 5, 403: 7 });
  assert.equal(ai.fake.asked.length, 5);
});

Deno.test("responses without a design and aborted chats count against the creator's limit", async () => {
  const replies = [
    { type: "clarify", message: "For whom?", collections: null },
    { type: "schema", message: "Here.", collections: [] },
    "no JSON",
  ];
  for (const writes of replies) {
    await using ai = await openAi();
    ai.fake.reply({ writes });
    for (const _ of times(22, () => 0)) {
      await ai.say("Only ever ask me for more.");
      await ai.owner.send({
        method: "DELETE",
        path: `/api/projects/${ai.projectId}/ai/collection-creator/session`,
      });
    }
    assert.ok(ai.fake.asked.length <= 20, `asked ${ai.fake.asked.length} times`);
  }
});

Deno.test("slow streamed responses count against the limit", async () => {
  await using ai = await openAi({ env: { AI_MONTHLY_LIMIT: "2" } });
  const writes = `{"type":"clarify","message":"${"so much to say ".repeat(100)}`;
  ai.fake.reply({ silent: true, writes });
  const answers = [];
  for (const _ of times(3, () => 0)) {
    answers.push(
      await withFasterTimers(AI_TIMEOUT_MS, 100, () =>
        ai.owner.send({
          path: `/api/projects/${ai.projectId}/ai/collection-creator`,
          headers: { accept: "text/event-stream" },
          body: { userMessage: "Never stop." },
        })),
    );
  }
  assert.deepEqual(tally(answers), { 200: 2, 403: 1 });
  for (const { text } of answers.slice(0, 2)) {
    assert.match(text, /"text":"so [^]*AI_TIMEOUT/); // How much arrives depends on the machine.
  }
  assert.equal(ai.fake.asked.length, 2);
  assert.equal((await ai.usage()).turns, 2);
});

Deno.test("many accounts together do not exceed the deployment's limit", async () => {
  await using ai = await openAi({ env: { AI_MONTHLY_LIMIT: "7" } });
  await ai.define(POSTS);
  ai.fake.reply({ writes: EMPTY_QUERY });
  const accounts: TestAccount[] = [];
  for (const _ of times(3, () => 0)) {
    const account = await openAccount(ai.app);
    await joinProject(ai.app.services, ai.projectId, account.accountId, "admin");
    accounts.push(account);
  }
  const answers = await Promise.all(times(15, (i) => ai.ask({}, accounts[i % 3]!)));
  assert.deepEqual(tally(answers), { 200: 7, 403: 8 });
  assert.equal(ai.fake.asked.length, 7);
});
