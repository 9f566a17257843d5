import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS, type PlanName } from "@/lib/projects/account_records.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import { type AiFake, startAiFake } from "../support/ai_fake.ts";
import type { Answer } from "../support/conforming_client.ts";
import { createOwnedProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import type { TestOptions } from "../support/test_services.ts";
import { createCollection } from "@/tests/support/given.ts";

/** An account with a project, and a fake AI provider that accepts the platform's key. */
export interface AiFixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly fake: AiFake;
  readonly owner: TestAccount;
  readonly projectId: Id;
  readonly secretKey: string;
  define(definition: object): Promise<void>;
  /** Asks the query builder about `posts`. The default account is the owner. */
  ask(change?: object, who?: TestAccount): Promise<Answer>;
  /** Sends a message to the collection creator. */
  say(userMessage: unknown, who?: TestAccount): Promise<Answer>;
  usage(who?: TestAccount): Promise<{ queries: number; designs: number; turns: number }>;
  setPlan(plan: PlanName, who?: TestAccount): Promise<void>;
}

export const aiEnv = ({ url, model, key }: AiFake): Record<string, string> => ({
  AI_BASE_URL: url,
  AI_MODEL: model,
  AI_API_KEY: key,
});

export const EMPTY_QUERY = { filters: [], sort: null };

export async function openAi(
  { plan = "free", env, ...options }: TestOptions & { plan?: PlanName } = {},
): Promise<AiFixture> {
  await using opening = new AsyncDisposableStack();
  const fake = opening.use(startAiFake());
  fake.reply({ writes: EMPTY_QUERY });
  const app = opening.use(await openTestApp({ ...options, env: { ...aiEnv(fake), ...env } }));
  const owner = await openAccount(app, { plan });
  const { projectId, secretKey } = await createOwnedProject(owner);
  const path = `/api/projects/${projectId}/ai`;
  const opened = opening.move();
  return {
    app,
    fake,
    owner,
    projectId,
    secretKey,
    async define(definition) {
      await createCollection(app.services, projectId, definition);
    },
    ask: (change = {}, who = owner) =>
      who.send({
        path: `${path}/query-builder`,
        body: { collectionName: "posts", prompt: "all of them", ...change },
      }),
    say: (userMessage, who = owner) =>
      who.send({ path: `${path}/collection-creator`, body: { userMessage } }),
    async usage(who = owner) {
      const { status, body } = await who.send({ path: "/api/user/me/ai-usage" });
      assert.equal(status, 200);
      const { queries, designs, turns } = body.data;
      return { queries: queries.used, designs: designs.used, turns: turns.used };
    },
    async setPlan(plan, who = owner) {
      await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
        .updateOne(eq("_id", who.accountId), { set: { plan } });
      app.services.plans.forgetAccount(who.accountId);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export const POSTS = {
  name: "posts",
  fields: [
    { key: "title", type: "String" },
    { key: "status", type: "String" },
    { key: "views", type: "Number" },
    { key: "sort", type: "String" },
    { key: "at", type: "Date" },
    { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
    { key: "tags", type: "Array", items: { type: "String" } },
  ],
};
