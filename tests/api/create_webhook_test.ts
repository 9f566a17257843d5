import assert from "node:assert/strict";
import { WEBHOOKS } from "@/lib/events/webhooks/records.ts";
import { KeyRing } from "@/lib/crypto/key_ring.ts";
import { reseal } from "@/lib/operations/reseal.ts";
import { ALL } from "@/lib/store/filter.ts";
import { openWebhooks, type WebhookFixture } from "./webhooks.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const BODY = {
  name: "Search index",
  url: "https://hooks.example.com/corbel?a=1",
  events: { posts: ["created"], users: ["signedIn"] },
};

const stored = ({ app, projectId }: WebhookFixture) =>
  Array.fromAsync(app.services.engine.records(projectId, WEBHOOKS).find({ filter: ALL }));

Deno.test("createWebhook returns the secret once and stores it sealed", async () => {
  await using hooks = await openWebhooks();
  const created = await hooks.post(BODY);
  const { secret, ...webhook } = ok(created, 201);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(created.headers.get("cache-control"), "no-store");
  assert.deepEqual(webhook, {
    id: webhook.id,
    ...BODY,
    enabled: true,
    offBecause: null,
    formerSecretUntil: null,
    createdAt: "2026-01-31T12:00:00.000Z",
    updatedAt: "2026-01-31T12:00:00.000Z",
  });
  assert.ok(!JSON.stringify(await stored(hooks)).includes(secret.slice(6)));
  const read = await hooks.owner.asOwner({ path: `/webhooks/${webhook.id}` });
  assert.deepEqual(ok(read), webhook);
  assert.ok(!read.text.includes("whsec_"));
});

Deno.test("reseal includes the secrets of webhooks", async () => {
  await using hooks = await openWebhooks();
  ok(await hooks.post(BODY), 201);
  const before = await stored(hooks);
  const keyRing = await KeyRing.parse(`new:${btoa("n".repeat(32))}`);
  const { unopened } = await reseal({ ...hooks.app.services, keyRing });
  assert.ok(unopened.some(({ kind }) => kind === "_webhooks"));
  assert.deepEqual(await stored(hooks), before);
});

Deno.test("createWebhook refuses invalid webhooks and stores nothing", async () => {
  await using hooks = await openWebhooks({ env: { ALLOW_PRIVATE_ENDPOINTS: "false" } });
  const shapes: [object, string][] = [
    [{ ...BODY, name: "" }, '"name"'],
    [{ ...BODY, name: "two\nlines" }, '"name"'],
    [{ ...BODY, name: "x".repeat(101) }, '"name"'],
    [{ ...BODY, url: 5 }, '"url"'],
    [{ ...BODY, url: `https://a.example/${"x".repeat(2048)}` }, '"url"'],
    [{ ...BODY, events: {} }, '"events"'],
    [{ ...BODY, events: { posts: [] } }, '"events"'],
    [{ ...BODY, events: { posts: ["created", "created"] } }, '"events"'],
    [{ ...BODY, events: { posts: ["updated"] } }, "created, changed, deleted, recovered"],
    [{ ...BODY, events: { posts: ["signedIn"] } }, '"events"'],
    [{ ...BODY, events: { users: ["recovered"] } }, "created, changed, deleted, signedIn"],
    [{ ...BODY, events: { "a b": ["created"] } }, '"events"'],
    [{ ...BODY, enabled: "yes" }, '"enabled"'],
    [{ ...BODY, secret: "whsec_x" }, "The body may have only"],
    [{ name: "x" }, '"url"'],
  ];
  for (const [body, says] of shapes) refused(await hooks.post(body), 400, "INVALID_BODY", says);
  const addresses: [string, string][] = [
    ["nowhere", "begins with https://"],
    ["ftp://example.com/", "begins with https://"],
    ["http://example.com/", "must begin with https://"],
    ["https://ada:pass@example.com/", "must not contain a user or a password"],
    ["https://127.0.0.1/", "private network"],
    ["https://[::1]/", "private network"],
    ["https://10.0.0.1:8443/", "private network"],
    ["https://169.254.169.254/latest", "private network"],
    ["https://0x7f000001/", "private network"],
    ["https://[::ffff:10.0.0.1]/", "private network"],
    ["https://localhost/", "private network"],
    ["https://LOCALHOST.:8443/", "private network"],
    ["https://hooks.localhost/", "private network"],
  ];
  for (const [url, says] of addresses) {
    const answer = await hooks.post({ ...BODY, url });
    refused(answer, 400, "INVALID_INPUT", says);
    assert.ok(!answer.text.includes("pass@"));
  }
  const events = { nothing: ["created"] };
  refused(await hooks.post({ ...BODY, events }), 400, "INVALID_INPUT", '"nothing"');
  const cased = { Posts: ["created"] };
  refused(await hooks.post({ ...BODY, events: cased }), 400, "INVALID_INPUT", '"Posts"');
  assert.deepEqual(await stored(hooks), []);
});

Deno.test("createWebhook applies the plan's limit exactly to 20 concurrent requests", async () => {
  await using hooks = await openWebhooks();
  const answers = await Promise.all(times(20, () => hooks.post(BODY)));
  assert.deepEqual(tally(answers), { 201: 3, 403: 17 });
  const full = await hooks.post(BODY);
  refused(full, 403, "PLAN_LIMIT_REACHED", "The free plan allows 3 webhooks in a project");
  const [first] = await stored(hooks);
  ok(await hooks.owner.asOwner({ method: "DELETE", path: `/webhooks/${first!._id}` }));
  ok(await hooks.post(BODY), 201);
  assert.equal((await stored(hooks)).length, 3);
});

Deno.test("createWebhook allows 50 webhooks on the pro plan", async () => {
  await using hooks = await openWebhooks({ plan: "pro" });
  for (const _ of times(50, () => null)) ok(await hooks.post(BODY), 201);
  refused(await hooks.post(BODY), 403, "PLAN_LIMIT_REACHED", "The pro plan allows 50");
});

Deno.test("createWebhook admits only admins and the owner", async () => {
  await using hooks = await openWebhooks();
  const call = { method: "POST", path: "/webhooks", body: BODY };
  await hooks.owner.isForAdmins(call);
  assert.deepEqual(await stored(hooks), []);
  ok(await hooks.owner.as("admin", call), 201);
});
