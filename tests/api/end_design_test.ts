import assert from "node:assert/strict";
import { joinProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import { type AiFixture, openAi } from "./ai.ts";

const CLARIFY = { type: "clarify", message: "For whom?", collections: null };

const end = (ai: AiFixture, who: TestAccount = ai.owner) =>
  who.send({
    method: "DELETE",
    path: `/api/projects/${ai.projectId}/ai/collection-creator/session`,
  });

Deno.test("endDesign deletes the chat of the calling account only", async () => {
  await using ai = await openAi();
  const admin = await openAccount(ai.app);
  await joinProject(ai.app.services, ai.projectId, admin.accountId, "admin");
  ai.fake.reply({ writes: CLARIFY });
  await ai.say("mine");
  await ai.say("theirs", admin);
  const answer = await end(ai);
  assert.deepEqual(answer.body, { success: true, data: { ended: true }, message: "Chat ended" });
  assert.deepEqual((await end(ai)).body.data, { ended: false });
  await ai.say("again");
  assert.equal(ai.fake.asked.at(-1)!.messages.length, 1);
  await ai.say("again", admin);
  assert.equal(ai.fake.asked.at(-1)!.messages.length, 3);
});

Deno.test("a turn that was under way during endDesign does not store the chat", async () => {
  await using ai = await openAi();
  ai.fake.reply(async () => {
    await end(ai);
    return { writes: CLARIFY };
  });
  assert.equal((await ai.say("a blog")).status, 200);
  assert.deepEqual((await end(ai)).body.data, { ended: false });
});
