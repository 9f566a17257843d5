import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { WEBHOOK_REPLAY_MAX } from "@/lib/limits.ts";
import { change, openWebhooks, type WebhookFixture } from "../api/webhooks.ts";
import { ok, times } from "../api/test_collection.ts";
import { fakeClock } from "../support/test_services.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard, type PageAnswer } from "../support/pages.ts";

async function openWebhookPages(options: Parameters<typeof openWebhooks>[0] = {}) {
  const hooks = await openWebhooks(options);
  const path = `/dashboard/projects/${hooks.projectId}/webhooks`;
  return {
    hooks,
    path,
    dashboard: openDashboard(hooks.app, hooks.owner.account),
    async viewer() {
      const account = await openAccount(hooks.app);
      await joinProject(hooks.app.services, hooks.projectId, account.accountId, "viewer");
      return openDashboard(hooks.app, account);
    },
    webhooks: async () => ok(await hooks.owner.asOwner({ path: "/webhooks" })).items,
    [Symbol.asyncDispose]: () => hooks[Symbol.asyncDispose](),
  };
}

const buttonsOf = ({ document }: PageAnswer): string[] =>
  [...document.querySelectorAll("main button")].map(({ textContent }) => textContent.trim());

const sendMessage = async (hooks: WebhookFixture) => {
  await hooks.app.services.jobRunner.idle();
  return hooks.server.received;
};

Deno.test("a webhook is created with name, address and events, and its secret is shown once", async () => {
  await using fixture = await openWebhookPages({ clock: fakeClock(Date.now()) });
  const { dashboard, path, hooks, webhooks } = fixture;
  assert.match((await dashboard.get(path)).words, /No webhook so far/);
  const created = await dashboard.fill(await dashboard.get(`${path}/new`), "Create webhook", {
    name: "Search index",
    url: hooks.server.url,
    events: ["posts.created", "users.signedIn"],
  });
  assert.equal(created.status, 200);
  const [secret] = /whsec_[A-Za-z0-9+/]{43}=/.exec(created.text)!;
  const [webhook] = await webhooks();
  assert.partialDeepStrictEqual(webhook, {
    name: "Search index",
    enabled: true,
    events: { posts: ["created"], users: ["signedIn"] },
  });
  const page = await dashboard.get(`${path}/${webhook.id}`);
  assert.ok(!page.text.includes("whsec_"));
  const tested = await dashboard.fill(page, "Send a test");
  assert.match(tested.words, /It answered 200 after \d+ ms: ok/);
  const [{ body, headers }] = hooks.server.received as [typeof hooks.server.received[0]];
  new Webhook(secret).verify(body, headers);
});

Deno.test("faults of a webhook are reported next to the entries, and nothing is stored", async () => {
  await using fixture = await openWebhookPages({ env: { ALLOW_PRIVATE_ENDPOINTS: "false" } });
  const { dashboard, path, webhooks } = fixture;
  const wrong: [object, RegExp][] = [
    [{ name: "A", url: "https://10.0.0.1/", events: ["posts.created"] }, /private network/],
    [{ name: "A", url: "http://a.example/", events: ["posts.created"] }, /begin with https/],
    [{ name: "A", url: "https://a.example/" }, /"events" must name/],
    [{ name: "", url: "https://a.example/", events: ["posts.created"] }, /"name" must be/],
  ];
  for (const [fields, says] of wrong) {
    const form = await dashboard.get(`${path}/new`);
    const refused = await dashboard.fill(form, "Create webhook", { ...fields });
    assert.equal(refused.status, 400);
    assert.match(refused.words, says);
  }
  assert.deepEqual(await webhooks(), []);
});

Deno.test("a webhook is changed, gets another secret, and is deleted", async () => {
  await using fixture = await openWebhookPages();
  const { dashboard, path, hooks, webhooks } = fixture;
  const { id, secret } = await hooks.create();
  const page = await dashboard.get(`${path}/${id}`);
  const saved = await dashboard.fill(page, "Save webhook", { name: "Other" });
  assert.equal(saved.location, `${path}/${id}?done=saved`);
  assert.partialDeepStrictEqual((await webhooks())[0], {
    name: "Other",
    events: { posts: ["created", "changed", "deleted", "recovered"] },
    enabled: true,
  });
  const rotated = await dashboard.fill(await dashboard.follow(saved), "Rotate the secret");
  const [next] = /whsec_[A-Za-z0-9+/]{43}=/.exec(rotated.text)!;
  assert.notEqual(next, secret);
  const deleted = await dashboard.fill(rotated, "Delete the webhook");
  assert.equal(deleted.location, `${path}?done=deleted`);
  assert.deepEqual(await webhooks(), []);
});

Deno.test("a message is shown with request and answer, and can be resent alone or since a time", async () => {
  await using fixture = await openWebhookPages();
  const { dashboard, path, hooks } = fixture;
  const { id } = await hooks.create();
  hooks.server.behave(({ json: _json }, response) => {
    response.statusCode = 500;
    response.end("out of order");
  });
  await hooks.dispatch(change());
  const page = await dashboard.get(`${path}/${id}`);
  assert.match(page.words, /posts\.created/);
  const { _id } = (await hooks.deliveries())[0]!;
  const message = await dashboard.get(`${path}/${id}/deliveries/${_id}`);
  assert.match(message.words, /500 after 0 ms/);
  assert.match(message.words, /out of order/);
  const [{ body, headers }] = hooks.server.received as [typeof hooks.server.received[0]];
  assert.ok(message.words.includes(body));
  const shown = [...message.document.querySelectorAll("dd")].map(({ textContent }) => textContent);
  assert.ok(shown.includes(hooks.server.url) && shown.includes(headers["webhook-id"]!));
  for (const name of ["webhook-timestamp", "webhook-signature"]) {
    assert.ok(message.words.includes(name) && Object.hasOwn(headers, name));
  }
  assert.ok(!message.text.includes(headers["webhook-signature"]!.slice(3)));
  hooks.server.behave(200);
  const again = await dashboard.fill(message, "Send again");
  assert.equal(again.location, `${path}/${id}?done=again`);
  assert.equal((await sendMessage(hooks)).length, 2);
  const since = { since: "2026-01-31T00:00:00Z" };
  const all = await dashboard.fill(await dashboard.follow(again), "Send all again", since);
  assert.equal(all.location, `${path}/${id}?done=since`);
  assert.equal((await sendMessage(hooks)).length, 3);
  const wrong = await dashboard.fill(page, "Send all again", { since: "yesterday" });
  assert.equal(wrong.status, 400);
  assert.match(wrong.words, /"since" must be a time/);
  assert.equal((await sendMessage(hooks)).length, 3);
});

Deno.test("if more messages are resent than a request can send, the page says where to continue", async () => {
  await using fixture = await openWebhookPages();
  const { dashboard, path, hooks } = fixture;
  const { id } = await hooks.create();
  await hooks.dispatch(...times(WEBHOOK_REPLAY_MAX, (n) => change({ recordId: recordId(n) })));
  hooks.app.clock.advance(1000);
  await hooks.dispatch(change({ recordId: recordId(WEBHOOK_REPLAY_MAX) }));
  const page = await dashboard.get(`${path}/${id}`);
  const since = { since: "2026-01-31T00:00:00Z" };
  const some = await dashboard.follow(await dashboard.fill(page, "Send all again", since));
  assert.match(some.words, /1000 messages are on their way again. There are more/);
  await sendMessage(hooks);
  const rest = await dashboard.fill(some, "Send all again");
  assert.equal(rest.location, `${path}/${id}?done=since`);
  assert.equal((await sendMessage(hooks)).length, 2 * (WEBHOOK_REPLAY_MAX + 1));
});

const recordId = (n: number): string => n.toString(16).padStart(24, "0");

Deno.test("viewers see webhooks and messages, and cannot change them", async () => {
  await using fixture = await openWebhookPages();
  const { path, hooks, viewer } = fixture;
  const { id, url } = await hooks.create();
  await hooks.dispatch(change());
  const { _id } = (await hooks.deliveries())[0]!;
  const dashboard = await viewer();
  for (const place of [path, `${path}/${id}`, `${path}/${id}/deliveries/${_id}`]) {
    const page = await dashboard.get(place);
    assert.equal(page.status, 200);
    assert.deepEqual(buttonsOf(page), [], place);
  }
  assert.ok((await dashboard.get(`${path}/${id}`)).words.includes(url));
});

Deno.test("texts of webhooks, documents and addresses are shown as text", async () => {
  await using fixture = await openWebhookPages();
  const { dashboard, path, hooks } = fixture;
  const name = HOSTILE_TEXTS[0]!.replaceAll("\n", " ").slice(0, 100);
  const { id } = await hooks.create({ name });
  const hostile = HOSTILE_TEXTS.join("\n").slice(0, 900);
  hooks.server.behave((_message, response) => response.end(hostile));
  await hooks.dispatch(change({ after: JSON.stringify({ text: hostile }) }));
  const { _id } = (await hooks.deliveries())[0]!;
  for (const place of [path, `${path}/${id}`, `${path}/${id}/deliveries/${_id}`]) {
    assertHarmless(await dashboard.get(place));
  }
  assertHarmless(await dashboard.fill(await dashboard.get(`${path}/${id}`), "Send a test"));
});
