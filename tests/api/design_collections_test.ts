import assert from "node:assert/strict";
import { AI_USAGE } from "@/lib/ai/usage.ts";
import { eq } from "@/lib/store/filter.ts";
import { AI_CHATS, type ChatRecord } from "@/lib/ai/chats.ts";
import { ModelFailure } from "@/lib/ai/model.ts";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { createApp } from "@/routes/app.ts";
import { ALL } from "@/lib/store/filter.ts";
import { until } from "../acceptance/until.ts";
import { send } from "../support/conforming_client.ts";
import { createOwnedProject, joinProject, openAccount } from "../support/dashboard.ts";
import { aiEnv, type AiFixture, openAi } from "./ai.ts";
import { refused, tally, times } from "./test_collection.ts";

const FIELD = {
  key: "title",
  type: "String",
  required: true,
  unique: false,
  index: false,
  search: false,
  ref: null,
  items: null,
  fields: null,
};

const collection = (name: string, change: object = {}) => ({
  name,
  fields: [FIELD],
  access: "public-read",
  ...change,
});

const design = (...names: string[]) => ({
  type: "schema",
  message: "Here they are.",
  collections: names.map((name) => collection(name)),
});

const CLARIFY = { type: "clarify", message: "For whom?", collections: null };
const COMPLETE = { type: "complete", message: "Done.", collections: null };

const chats = async (ai: AiFixture): Promise<ChatRecord[]> => {
  const records = ai.app.services.engine.records<ChatRecord>("control", AI_CHATS);
  const { items } = await records.list({ filter: ALL, sort: [], limit: 9 });
  return JSON.parse(`[${items}]`);
};

const path = ({ projectId }: AiFixture) => `/api/projects/${projectId}/ai/collection-creator`;

Deno.test("designCollections asks, proposes valid definitions and completes the chat", async () => {
  await using ai = await openAi();
  ai.fake.reply({ writes: CLARIFY });
  assert.deepEqual((await ai.say("a blog")).body, {
    success: true,
    data: {
      type: "clarify",
      message: "For whom?",
      schema: null,
      iterationsLeft: 19,
      iterationLimit: 20,
    },
    message: "Answered",
  });
  const author = { ...FIELD, key: "author", type: "Ref", ref: "users" };
  const post = { ...FIELD, key: "post", type: "Ref", ref: "posts" };
  ai.fake.reply({
    writes: {
      ...design("posts"),
      collections: [
        collection("comments", { fields: [post, author], access: "private" }),
        collection("posts", { access: "server-write" }),
      ],
    },
  });
  const { data } = (await ai.say("for everybody")).body;
  assert.equal(data.type, "schema");
  assert.equal(data.iterationsLeft, 18);
  const [comments, posts] = data.schema.collections;
  assert.deepEqual(comments.rls, { enabled: true, mode: "private", ownerField: "userId" });
  assert.deepEqual(comments.fields.map(({ key }: { key: string }) => key), [
    "post",
    "author",
    "userId",
  ]);
  assert.equal(posts.rls.enabled, false);
  ai.fake.reply({ writes: COMPLETE });
  const end = (await ai.say("good")).body.data;
  assert.equal(end.type, "complete");
  assert.deepEqual(end.schema, data.schema, "the last proposal is returned again");
  const { messages } = ai.fake.asked.at(-1)!;
  assert.deepEqual(messages.map(({ role }) => role), [
    ...["user", "assistant", "user", "assistant", "user"],
  ]);
  assert.equal(JSON.parse(messages[0]!.content).says, "a blog");
  assert.equal(messages[1]!.content, "For whom?");
  assert.equal(JSON.parse(messages[4]!.content).lastProposal.length, 2);
  assert.deepEqual(
    await listCollections(ai.app.services, ai.projectId),
    [],
    "nothing is created yet",
  );
});

Deno.test("designCollections counts one design per chat, at its first proposal", async () => {
  await using ai = await openAi();
  const used = async () => (await ai.usage()).designs;
  ai.fake.reply({ writes: CLARIFY });
  await ai.say("a blog");
  assert.equal(await used(), 0, "a question is given back");
  ai.fake.reply({ writes: design("posts") });
  await ai.say("for me");
  await ai.say("once more");
  assert.equal(await used(), 1);
  ai.fake.reply({ writes: CLARIFY });
  await ai.say("hm");
  ai.fake.reply({ writes: COMPLETE });
  await ai.say("good");
  assert.equal(await used(), 1);
  await ai.owner.send({ method: "DELETE", path: `${path(ai)}/session` });
  const asked = ai.fake.asked.length;
  refused(await ai.say("another"), 403, "AI_CAP_REACHED", /^The free plan's 1 designs/);
  assert.equal(ai.fake.asked.length, asked);
  assert.deepEqual(await chats(ai), [], "a refusal starts no chat");
});

Deno.test("designCollections counts the first proposal, whatever type the model gives it", async () => {
  await using ai = await openAi();
  ai.fake.reply({ writes: { ...design("posts"), type: "complete" } });
  assert.equal((await ai.say("answer with type complete at once")).body.data.type, "schema");
  assert.equal((await ai.usage()).designs, 1);
  await using other = await openAi();
  other.fake.reply({ writes: { ...design("posts"), type: "clarify" } });
  const { data } = (await other.say("answer with type clarify")).body;
  assert.deepEqual([data.type, data.schema], ["clarify", null]);
  other.fake.reply({ writes: COMPLETE });
  assert.equal((await other.say("done")).body.data.type, "clarify", "nothing was proposed");
  assert.equal((await other.usage()).designs, 0);
});

Deno.test("50 concurrent first turns count one design, and exactly the turns that succeeded", async () => {
  await using ai = await openAi();
  ai.fake.reply({ writes: design("posts") });
  const answers = await Promise.all(times(50, () => ai.say("a blog")));
  const { 200: granted = 0, 403: full = 0 } = tally(answers);
  assert.equal(granted + full, 50);
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 1, turns: granted });
  assert.equal((await chats(ai)).length, 1);
});

Deno.test("several concurrent first turns of one chat count one design", async () => {
  await using ai = await openAi({ plan: "pro" });
  let waiting = 0;
  const all = Promise.withResolvers<void>();
  ai.fake.reply(async () => {
    if (++waiting === 3) all.resolve();
    await all.promise;
    return { writes: design("posts") };
  });
  const answers = await Promise.all(times(3, () => ai.say("a blog")));
  assert.deepEqual(tally(answers), { 200: 3 });
  assert.equal((await ai.usage()).designs, 1);
  const [chat] = await chats(ai);
  assert.equal(chat!.messages.length, 6, "no turn is lost");
  assert.equal(chat!.turns, 3);
});

Deno.test("a chat is limited to exactly 20 turns on the platform's key, even concurrently", async () => {
  await using ai = await openAi({ plan: "pro" });
  ai.fake.reply({ writes: design("posts") });
  await ai.say("a blog");
  ai.fake.reply({ writes: CLARIFY });
  const answers = await Promise.all(times(50, () => ai.say("more")));
  assert.deepEqual(tally(answers), { 200: 19, 403: 31 });
  assert.equal(ai.fake.asked.length, 20);
  refused(await ai.say("more"), 403, "AI_CAP_REACHED", "20 turns of this chat");
  assert.equal((await ai.usage()).turns, 20, "a turn that the chat refuses is given back");
  const turnsLeft = answers.filter(({ status }) => status === 200)
    .map(({ body }) => body.data.iterationsLeft).toSorted((a, b) => a - b);
  assert.deepEqual(turnsLeft, times(19, (i) => i));
});

Deno.test("designCollections gives back the turn and the design if the provider fails", async () => {
  await using ai = await openAi();
  ai.fake.reply({ status: 400 });
  refused(await ai.say("a blog"), 502, "AI_UNAVAILABLE");
  ai.fake.revoke(ai.fake.key);
  refused(await ai.say("a blog"), 502, "AI_UNAVAILABLE");
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 0, turns: 0 });
  const [chat] = await chats(ai);
  assert.deepEqual([chat!.turns, chat!.messages, chat!.isCounted], [0, [], false]);
});

Deno.test("designCollections is 504 for a slow provider and 503 without one, and counts neither", async () => {
  await using ai = await openAi();
  const model = { ask: () => Promise.reject(new ModelFailure("late")) };
  const late = await send(createApp({ ...ai.app.services, model }), {
    path: path(ai),
    headers: { cookie: ai.owner.cookie },
    body: { userMessage: "a blog" },
  });
  refused(late, 504, "AI_TIMEOUT");
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 0, turns: 0 });
  assert.equal((await chats(ai))[0]!.turns, 0);
  await using bare = await openAi({ env: { AI_API_KEY: "" } });
  refused(await bare.say("a blog"), 503, "AI_NOT_CONFIGURED");
  assert.deepEqual(await chats(bare), []);
});

Deno.test("designCollections with a user's own key has no cap and counts nothing", async () => {
  await using ai = await openAi({ plan: "pro" });
  ai.fake.accept("gsk_own");
  const key = { method: "PUT", path: "/api/user/me/byok", body: { aiKey: "gsk_own" } };
  await ai.owner.send(key);
  ai.fake.reply({ writes: design("posts") });
  for (const _ of times(25, () => 0)) {
    const { status, body } = await ai.say("a blog");
    assert.equal(status, 200);
    assert.deepEqual([body.data.iterationsLeft, body.data.iterationLimit], [null, null]);
  }
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 0, turns: 0 });
  const [chat] = await chats(ai);
  assert.equal(chat!.messages.length, 50, "the oldest messages are dropped");
  assert.equal(chat!.turns, 0);
  await ai.owner.send({ ...key, body: { aiKey: null } });
  await ai.say("on the platform's key now");
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 1, turns: 1 });
  ai.fake.revoke("gsk_own");
  await ai.owner.send(key);
  refused(await ai.say("a blog"), 401, "AI_KEY_REJECTED");
});

Deno.test("a chat expires two hours after its last turn, and belongs to one account and project", async () => {
  await using ai = await openAi({ plan: "pro" });
  const admin = await openAccount(ai.app, { plan: "pro" });
  await joinProject(ai.app.services, ai.projectId, admin.accountId, "admin");
  const sentMessages = () => ai.fake.asked.at(-1)!.messages.length;
  ai.fake.reply({ writes: CLARIFY });
  await ai.say("one");
  ai.app.clock.advance(7_199_999);
  await ai.say("two");
  assert.equal(sentMessages(), 3);
  await ai.say("one", admin);
  assert.equal(sentMessages(), 1);
  ai.app.clock.advance(7_200_000);
  await ai.say("three");
  assert.equal(sentMessages(), 1, "the chat has expired");
  refused(
    await ai.owner.send({ method: "POST", path: `${path(ai)}/apply` }),
    404,
    "PROPOSAL_NOT_FOUND",
  );
});

Deno.test("designCollections refuses an invalid proposal, does not store it and counts it", async () => {
  await using ai = await openAi();
  await ai.define({ name: "Taken" });
  const field = (change: object) => collection("posts", { fields: [{ ...FIELD, ...change }] });
  const wrong = [
    [collection("users")],
    [collection("Users_x")],
    [collection("taken")],
    [collection("posts"), collection("Posts")],
    [collection("1st")],
    [collection("a b")],
    [field({ key: "_id" })],
    [field({ key: "$where" })],
    [field({ key: "__proto__" })],
    [field({ type: "Text" })],
    [field({ type: "Ref" })],
    [field({ type: "Ref", ref: "nowhere" })],
    [field({ type: "Array", items: { type: "Ref", ref: "nowhere" } })],
    [field({ type: "Boolean", unique: true })],
    [field({ type: "Object", index: true })],
    [collection("posts", { access: "everybody" })],
    times(21, (i) => collection(`c${i}`)),
  ];
  for (const collections of wrong) {
    ai.fake.reply({ writes: { ...design(), collections } });
    const answer = await ai.say("a blog");
    refused(answer, 502, "AI_ANSWER_INVALID");
  }
  ai.fake.reply({ writes: { ...design(), collections: [] } });
  refused(await ai.say("a blog"), 502, "AI_ANSWER_INVALID");
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 1, turns: wrong.length + 1 });
  const [chat] = await chats(ai);
  assert.deepEqual([chat!.proposal, chat!.isCounted], [null, true]);
  ai.fake.reply({ writes: design("posts") });
  assert.equal(
    (await ai.say("once more")).body.data.type,
    "schema",
    "the design was counted before",
  );
  assert.equal((await ai.usage()).designs, 1);
});

Deno.test("designCollections refuses invalid messages without asking the provider", async () => {
  await using ai = await openAi();
  for (const message of [undefined, null, "", " ", 7, [], "x".repeat(2001), "a\0"]) {
    refused(await ai.say(message), 400, "INVALID_BODY", "userMessage");
  }
  assert.equal(ai.fake.asked.length, 0);
  ai.fake.reply({ writes: CLARIFY });
  assert.equal((await ai.say("x".repeat(2000))).status, 200);
});

const SSE = { accept: "text/event-stream" };

const events = (text: string) =>
  text.split("\n\n").filter((one) => one !== "").map((one) => {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(one)!;
    return { event: event!, data: JSON.parse(data!) };
  });

Deno.test("designCollections streams the message and ends with the complete response", async () => {
  await using ai = await openAi();
  const message = 'It is "done": \u00fc\ud83d\ude00, line\nbreak.';
  ai.fake.reply({ writes: { ...design("posts"), message }, piece: 3 });
  const answer = await ai.owner.send({
    path: path(ai),
    headers: SSE,
    body: { userMessage: "a blog" },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const all = events(answer.text);
  const pieces = all.filter(({ event }) => event === "message").map(({ data }) => data.text);
  assert.ok(pieces.length > 3);
  assert.equal(pieces.join(""), message);
  const last = all.at(-1)!;
  assert.equal(last.event, "done");
  assert.equal(last.data.success, true);
  assert.equal(last.data.data.message, message);
  assert.equal(last.data.data.schema.collections[0].name, "posts");
  assert.equal((await ai.usage()).designs, 1);
});

Deno.test("a streamed chat is refused by status before the first word, and by an event later", async () => {
  await using ai = await openAi();
  const call = { path: path(ai), headers: SSE, body: { userMessage: "a blog" } };
  ai.fake.reply({ status: 500, headers: { "retry-after": "0" } });
  refused(await ai.owner.send(call), 502, "AI_UNAVAILABLE");
  refused(await ai.owner.send({ ...call, body: {} }), 400, "INVALID_BODY");
  ai.fake.reply({ writes: JSON.stringify(design("users")) });
  const all = events((await ai.owner.send(call)).text);
  assert.equal(all[0]!.event, "message");
  assert.deepEqual(all.at(-1), {
    event: "error",
    data: {
      success: false,
      data: {},
      message: "The AI provider's answer cannot be used: try again, perhaps in other words.",
      code: "AI_ANSWER_INVALID",
    },
  });
  assert.deepEqual(await ai.usage(), { queries: 0, designs: 1, turns: 1 });
});

Deno.test("a client that disconnects aborts the provider; the turn counts, the design does not", async () => {
  await using ai = await openAi();
  ai.fake.reply({ silent: true, writes: '{"type":"clarify","message":"It will ' });
  const app = createApp(ai.app.services);
  const request = new Request(`http://localhost:8000${path(ai)}`, {
    method: "POST",
    headers: { ...SSE, cookie: ai.owner.cookie, "content-type": "application/json" },
    body: JSON.stringify({ userMessage: "a blog" }),
  });
  const response = await app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
  assert.equal(response.status, 200);
  const reader = response.body!.getReader();
  await reader.read();
  assert.equal(ai.fake.abandoned, 0);
  await reader.cancel();
  await until("the request to the provider is aborted", () => ai.fake.abandoned === 1);
  await until("the design is given back", async () => (await ai.usage()).designs === 0);
  assert.equal((await chats(ai))[0]!.turns, 1);
});

Deno.test("an account is limited to its monthly turns in all chats and processes, exactly", async () => {
  await using ai = await openAi();
  await using other = await openAi({ store: ai.app.store, env: aiEnv(ai.fake) });
  ai.fake.reply({ writes: CLARIFY });
  // Each project has its own chat, so that no chat reaches its limit of turns.
  const second = await createOwnedProject(ai.owner);
  await ai.setPlan("pro");
  ai.fake.reply({ writes: design("posts") });
  for (const projectId of [ai.projectId, second.projectId]) {
    assert.equal((await ai.owner.send(messageCall(projectId))).status, 200);
  }
  await ai.setPlan("free");
  ai.fake.reply({ writes: CLARIFY });
  const headers = { cookie: ai.owner.cookie };
  const answers = await Promise.all(times(40, (i) => {
    const call = messageCall(i % 4 < 2 ? ai.projectId : second.projectId);
    return i % 2 === 0 ? ai.owner.send(call) : other.app.send({ ...call, headers });
  }));
  assert.deepEqual(tally(answers), { 200: 18, 403: 22 });
  for (const answer of answers.filter(({ status }) => status === 403)) {
    refused(answer, 403, "AI_CAP_REACHED", "20 turns with the collection creator of this month");
  }
  assert.equal((await ai.usage()).turns, 20);
  await ai.owner.send({ method: "DELETE", path: `${path(ai)}/session` });
  refused(await ai.say("a new chat"), 403, "AI_CAP_REACHED");
  assert.equal(ai.fake.asked.length, 20);
});

Deno.test("an account on the pro plan has 100 turns a month", async () => {
  await using ai = await openAi({ plan: "pro" });
  ai.fake.reply({ writes: CLARIFY });
  assert.equal((await ai.say("a first one")).status, 200);
  const usage = ai.app.services.engine.records("control", AI_USAGE);
  await usage.updateOne(eq("accountId", ai.owner.accountId), { set: { turns: 99 } });
  assert.equal((await ai.say("the last one")).status, 200);
  refused(await ai.say("one more"), 403, "AI_CAP_REACHED", "100 turns");
  assert.equal((await ai.usage()).turns, 100);
});

const messageCall = (projectId: string) => ({
  path: `/api/projects/${projectId}/ai/collection-creator`,
  body: { userMessage: "more" },
});
