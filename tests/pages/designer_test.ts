import assert from "node:assert/strict";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { type AiFixture, openAi } from "../api/ai.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";

const pathOf = ({ projectId }: AiFixture) => `/dashboard/projects/${projectId}/ai/designer`;

const field = (key: string, type = "String", change: object = {}) => ({
  ...{ key, type, required: false, unique: false, index: false, search: false },
  ...{ ref: null, items: null, fields: null },
  ...change,
});

const DESIGN = {
  type: "schema",
  message: "Posts and their comments.",
  collections: [
    {
      name: "posts",
      access: "public-read",
      fields: [
        field("title", "String", { required: true }),
        field("tags", "Array", { items: { type: "String", ref: null } }),
        field("meta", "Object", {
          fields: [{ key: "lang", type: "String", required: false, ref: null }],
        }),
      ],
    },
    { name: "comments", access: "private", fields: [field("post", "Ref", { ref: "posts" })] },
  ],
};

const clarify = (message: string) => ({ type: "clarify", message, collections: null });

const chatMessages = ({ document }: PageAnswer) =>
  [...document.querySelectorAll(".talk li p")].map((one) => one.textContent);

const CHARACTERS: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

/** Returns the content of the field; linkedom leaves entities unparsed. */
const enteredText = ({ document }: PageAnswer) =>
  document.querySelector("textarea")!.textContent.replaceAll(/&[#\w]+;/g, (it) => CHARACTERS[it]!);

const collectionNames = async ({ app, projectId }: AiFixture) =>
  (await listCollections(app.services, projectId)).map(({ name }) => name);

Deno.test("a chat leads to a proposal on cards, which is added completely", async () => {
  await using ai = await openAi();
  const dashboard = openDashboard(ai.app, ai.owner);
  ai.fake.reply((_, i) => ({ writes: i === 0 ? clarify("For whom?") : DESIGN }));
  let page = await dashboard.get(pathOf(ai));
  assert.match(page.words, /nothing is created before you add it/);
  const say = async (userMessage: string) => {
    const answered = await dashboard.fill(page, "Send", { userMessage });
    assert.equal(answered.location, pathOf(ai), answered.words);
    page = await dashboard.follow(answered);
  };
  await say("A blog");
  assert.deepEqual(chatMessages(page), ["A blog", "For whom?"]);
  assert.match(page.words, /19 turns left/);
  await say("For everybody");
  assert.deepEqual(chatMessages(page), [
    ...["A blog", "For whom?", "For everybody"],
    "Posts and their comments.",
  ]);
  const cards = [...page.document.querySelectorAll(".proposal .card")];
  assert.deepEqual(cards.map((card) => card.textContent.replaceAll(/\s+/g, " ")), [
    "posts public, read-onlytitle Stringrequiredtags Array of Stringmeta Objectlang StringuserId String",
    "comments privatepost Ref to postsuserId String",
  ]);
  assert.deepEqual(await collectionNames(ai), []);
  const added = await dashboard.fill(page, "Add these");
  assert.match((await dashboard.follow(added)).words, /The proposed collections are created/);
  assert.deepEqual(await collectionNames(ai), ["comments", "posts"]);
  const again = await dashboard.get(pathOf(ai));
  assert.match(again.words, /These are in the project now/);
});

Deno.test("a proposal with a taken name is not added partially", async () => {
  await using ai = await openAi();
  const dashboard = openDashboard(ai.app, ai.owner);
  ai.fake.reply({ writes: DESIGN });
  const page = await dashboard.follow(
    await dashboard.fill(await dashboard.get(pathOf(ai)), "Send", { userMessage: "A blog" }),
  );
  await ai.define({ name: "comments" });
  const refused = await dashboard.fill(page, "Add these");
  assert.equal(refused.status, 409);
  const alert = refused.document.querySelector(".proposal [role=alert]")!;
  assert.match(alert.textContent, /comments/);
  assert.deepEqual(await collectionNames(ai), ["comments"]);
});

Deno.test("starting over removes the chat and keeps the collections", async () => {
  await using ai = await openAi();
  const dashboard = openDashboard(ai.app, ai.owner);
  ai.fake.reply({ writes: DESIGN });
  const first = await dashboard.get(pathOf(ai));
  const page = await dashboard.follow(
    await dashboard.fill(first, "Send", { userMessage: "A blog" }),
  );
  await dashboard.fill(page, "Add these");
  const empty = await dashboard.follow(await dashboard.fill(page, "Forget the chat"));
  assert.deepEqual(chatMessages(empty), []);
  assert.equal(empty.document.querySelector(".proposal"), null);
  assert.deepEqual(await collectionNames(ai), ["comments", "posts"]);
  const late = await dashboard.fill(page, "Add these");
  assert.equal(late.status, 404);
  assert.match(late.document.querySelector("[role=alert]")!.textContent, /nothing to apply/);
});

Deno.test("if the provider fails, the page says so and keeps the entered text", async () => {
  await using ai = await openAi();
  const dashboard = openDashboard(ai.app, ai.owner);
  const page = await dashboard.get(pathOf(ai));
  const cases = [
    [{ status: 500 }, 502],
    [{ status: 401 }, 502],
    [{ writes: "no JSON at all" }, 502],
  ] as const;
  for (const [reply, status] of cases) {
    ai.fake.reply(reply);
    const userMessage = `A blog, please. ${HOSTILE_TEXTS.join(" ")}`;
    const failed = await dashboard.fill(page, "Send", { userMessage });
    assert.equal(failed.status, status);
    assert.equal(enteredText(failed), userMessage);
    const form = failed.document.querySelector("[role=alert]")!.closest("form")!;
    assert.ok(form.querySelector("textarea"));
    assert.deepEqual(chatMessages(failed), []);
    assertHarmless(failed);
  }
  const { turns, designs } = await ai.usage();
  assert.deepEqual([turns, designs], [1, 1], "the received answer is charged");
});

Deno.test("a server without a key says where to save one", async () => {
  await using ai = await openAi({ env: { AI_API_KEY: "" } });
  const dashboard = openDashboard(ai.app, ai.owner);
  const page = await dashboard.get(pathOf(ai));
  const refused = await dashboard.fill(page, "Send", { userMessage: "A blog" });
  assert.equal(refused.status, 503);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /save one/);
  assert.equal(enteredText(refused), "A blog");
});

Deno.test("a used-up month and an invalid message are refused next to the form", async () => {
  await using ai = await openAi();
  const dashboard = openDashboard(ai.app, ai.owner);
  ai.fake.reply({ writes: DESIGN });
  const page = await dashboard.get(pathOf(ai));
  for (const userMessage of ["", "  ", "x".repeat(2001)]) {
    const refused = await dashboard.fill(page, "Send", { userMessage });
    assert.equal(refused.status, 400);
    assert.equal(enteredText(refused), userMessage);
  }
  assert.equal(ai.fake.asked.length, 0);
  const done = await dashboard.fill(page, "Send", { userMessage: "A blog" });
  await dashboard.fill(await dashboard.follow(done), "Forget the chat");
  const capped = await dashboard.fill(page, "Send", { userMessage: "A shop" });
  assert.equal(capped.status, 403);
  assert.match(capped.document.querySelector("[role=alert]")!.textContent, /used up/);
  assert.equal(enteredText(capped), "A shop");
});

Deno.test("texts of the model and the user are shown as text", async () => {
  await using ai = await openAi();
  const dashboard = openDashboard(ai.app, ai.owner);
  const message = HOSTILE_TEXTS.join("\n");
  ai.fake.reply({ writes: clarify(message) });
  const page = await dashboard.follow(
    await dashboard.fill(await dashboard.get(pathOf(ai)), "Send", { userMessage: message }),
  );
  assert.deepEqual(chatMessages(page), [message, message]);
  assertHarmless(page);
});

Deno.test("only admins can chat, and each has a separate chat", async () => {
  await using ai = await openAi();
  const { app, projectId, owner } = ai;
  ai.fake.reply({ writes: clarify("For whom?") });
  const first = openDashboard(app, owner);
  await first.submit(pathOf(ai), { userMessage: "our secret plan" });
  const accounts = { viewer: await openAccount(app), admin: await openAccount(app) };
  for (const role of ["viewer", "admin"] as const) {
    await joinProject(app.services, projectId, accounts[role].accountId, role);
  }
  const viewer = openDashboard(app, accounts.viewer);
  const page = await viewer.get(pathOf(ai));
  assert.match(page.words, /Only admins/);
  assert.deepEqual([...page.document.querySelectorAll("main form")], []);
  const stranger = openDashboard(app, await openAccount(app));
  for (const act of ["say", "apply", "restart"]) {
    const fields = { act, userMessage: "A shop" };
    assert.equal((await viewer.submit(pathOf(ai), fields)).status, 403);
    assert.equal((await stranger.submit(pathOf(ai), fields)).status, 404);
  }
  assert.equal(ai.fake.asked.length, 1);
  const other = await openDashboard(app, accounts.admin).get(pathOf(ai));
  assert.ok(!other.words.includes("our secret plan"));
  assert.match((await first.get(pathOf(ai))).words, /our secret plan/);
});
