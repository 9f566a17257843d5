import assert from "node:assert/strict";
import { restoreProjectKey } from "@/lib/ai/keys.ts";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { eq } from "@/lib/store/filter.ts";
import { EMPTY_QUERY, openAi, POSTS } from "../api/ai.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { openPosts, texts } from "./posts.ts";

const filter = (field: string, operator: string, value: unknown) => ({ field, operator, value });

const openGrid = async (options: Parameters<typeof openAi>[0] = {}) => {
  const ai = await openAi(options);
  await ai.define(POSTS);
  const path = `/dashboard/projects/${ai.projectId}/collections/posts`;
  return { ai, path, dashboard: openDashboard(ai.app, ai.owner) };
};

Deno.test("a sentence becomes filters that can be changed", async () => {
  const { ai, path, dashboard } = await openGrid();
  await using _ = ai;
  ai.fake.reply({ writes: { filters: [filter("views", "gt", 100)], sort: "-views" } });
  const page = await dashboard.get(`${path}?status=old&.columns=title,views`);
  const asked = await dashboard.fill(page, "Ask", {
    prompt: "more than 100 views",
    timeZone: "Europe/Berlin",
  });
  assert.equal(asked.location, `${path}?views_gt=100&sort=-views&.columns=title%2Cviews`);
  const shown = await dashboard.follow(asked);
  assert.deepEqual(texts(shown, ".chip"), ["views is more than 100×"]);
  const question = JSON.parse(ai.fake.asked[0]!.messages.at(-1)!.content);
  assert.deepEqual([question.request, question.timeZone], ["more than 100 views", "Europe/Berlin"]);
});

Deno.test("conditions that cannot become filters are listed next to the filters", async () => {
  const { ai, path, dashboard } = await openGrid();
  await using _ = ai;
  for (const name of ["mood", ...HOSTILE_TEXTS]) {
    const filters = [filter("status", "eq", "live"), filter(name, "eq", 1)];
    ai.fake.reply({ writes: { filters, sort: null } });
    await ai.setPlan("pro");
    const page = await dashboard.get(path);
    const asked = await dashboard.fill(page, "Ask", { prompt: name });
    assert.equal(asked.status, 200, asked.words);
    assert.deepEqual(texts(asked, ".chip"), ["status is live×"]);
    const said = asked.document.querySelector(".note li b")!.textContent;
    assert.equal(said, name);
    assert.equal(asked.document.querySelector("input[name=prompt]")?.getAttribute("value"), name);
    assert.equal(asked.headers.get("hx-push-url"), `${path}?status=live`);
    assertHarmless(asked);
  }
});

Deno.test("exceeded caps, a missing key and provider errors are shown, with the sentence kept", async () => {
  const { ai, path, dashboard } = await openGrid();
  await using _ = ai;
  const ask = async (prompt: string) =>
    await dashboard.fill(await dashboard.get(`${path}?status=draft`), "Ask", { prompt });
  ai.fake.reply({ status: 500 });
  const failed = await ask("drafts");
  assert.equal(failed.status, 502);
  assert.match(texts(failed, "[role=alert]")[0]!, /cannot answer at the moment/);
  assert.equal(
    failed.document.querySelector("input[name=prompt]")?.getAttribute("value"),
    "drafts",
  );
  assert.deepEqual(texts(failed, ".chip"), ["status is draft×"], "the view stays");
  ai.fake.reply({ writes: EMPTY_QUERY });
  for (let i = 0; i < 5; i++) assert.equal((await ask("all")).status, 303);
  const capped = await ask("more");
  assert.equal(capped.status, 403);
  assert.match(
    texts(capped, "[role=alert]")[0]!,
    /5 requests to the query builder of this month are used up/,
  );
  const empty = await ask("x".repeat(1001));
  assert.equal(empty.status, 400);
});

Deno.test("a key that was removed after the page was opened leads to instructions", async () => {
  const { ai, path, dashboard } = await openGrid({ env: { AI_API_KEY: "" } });
  await using _ = ai;
  const refused = await dashboard.submit(`${path}/ask`, { view: "", prompt: "all" });
  assert.equal(refused.status, 503);
  assert.match(texts(refused, "[role=alert]")[0]!, /save one for the project or the account/);
});

Deno.test("without a key there is no field for sentences", async () => {
  await using posts = await openPosts();
  const { dashboard, path, app, owner, projectId } = posts;
  const box = "form.ask-words";
  assert.equal((await dashboard.get(path)).document.querySelector(box), null);
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", owner.accountId), { set: { plan: "pro" } });
  app.services.plans.forgetAccount(owner.accountId);
  await restoreProjectKey(app.services, projectId, "gsk_0123456789abcdef");
  assert.notEqual((await dashboard.get(path)).document.querySelector(box), null);
});
