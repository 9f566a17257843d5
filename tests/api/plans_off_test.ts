import assert from "node:assert/strict";
import { getAiUsage, reserveRequest } from "@/lib/ai/usage.ts";
import { EXTERNAL_FILE_BYTES_MAX, PRO_STORAGE_BYTES } from "@/lib/limits.ts";
import { countMails } from "@/lib/mail/usage.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { createOwnedProject, openAccount } from "../support/dashboard.ts";
import { openDashboard } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

const { projects, collections, webhooks } = PLANS.free;

Deno.test("PLANS=off: a free account can exceed every limit of its plan", async () => {
  await using app = await openTestApp({ env: { PLANS: "off" } });
  const account = await openAccount(app);
  const { projectId, secretKey } = await createOwnedProject(account);
  for (let n = 1; n <= projects; n++) await createOwnedProject(account);
  const path = `/api/projects/${projectId}`;
  for (let n = 0; n <= collections; n++) {
    const body = { name: `c${n}`, fields: [] };
    const made = await account.send({ path: `${path}/collections`, method: "POST", body });
    assert.equal(made.status, 201, made.text);
  }
  for (let n = 0; n <= webhooks; n++) {
    const body = { name: `w${n}`, url: "https://hooks.example", events: { c0: ["created"] } };
    const made = await account.send({ path: `${path}/webhooks`, method: "POST", body });
    assert.equal(made.status, 201, made.text);
  }
  const headers = { "x-api-key": secretKey };
  const body = { filename: "a.bin", contentType: "a/b", size: PRO_STORAGE_BYTES + 1 };
  const held = await app.send({ path: "/api/storage/upload-request", headers, body });
  assert.equal(held.status, 200, held.text);
  const written = await app.send({ path: "/api/data/c0", headers, body: { n: 1 } });
  assert.equal(written.status, 201, written.text);
  const aiKey = {
    path: "/api/user/me/byok",
    method: "PUT",
    body: { aiKey: "gsk_0123456789abcdef" },
  };
  assert.equal((await account.send(aiKey)).status, 200);

  const { data: usage } = (await account.send({ path: `${path}/usage` })).body;
  assert.deepEqual(
    [usage.plan, usage.collections, usage.documents.limit, usage.storage.limit],
    ["free", { used: collections + 1, limit: null }, null, null],
  );
  assert.equal(usage.storage.fileBytesMax, EXTERNAL_FILE_BYTES_MAX);
  assert.deepEqual(usage.ai.queries, { used: 0, limit: null });

  const dashboard = openDashboard(app, account);
  for (const page of ["/dashboard/account", `/dashboard/projects/${projectId}/settings`]) {
    const { words } = await dashboard.get(page);
    assert.match(words, /Plans limit nothing on this server/);
    assert.doesNotMatch(words, /Infinity|∞|null/);
  }
});

Deno.test("PLANS=off: mails and AI requests are counted without a limit", async () => {
  await using app = await openTestApp({ env: { PLANS: "off" } });
  const { services } = app;
  const { accountId } = await openAccount(app);
  const { projectId } = await app.project();
  const { mailsPerMonth: limit } = await services.plans.ofProject(projectId);
  for (let n = 1; n <= 3; n++) {
    const count = PLANS.pro.mailsPerMonth;
    assert.equal((await countMails(services, projectId, { count, limit }))?.used, n * count);
  }
  const caller = { accountId, email: "ada@example.com", plan: "free" } as const;
  const times = PLANS.free.aiDesignsPerMonth + 2;
  for (let n = 0; n < times; n++) await reserveRequest(services, caller, ["designs"]);
  const { designs } = await getAiUsage(services, caller);
  assert.deepEqual(designs, { used: times, limit: null });
});

Deno.test("projects created without plans remain with them, and no more can be created", async () => {
  await using off = await openTestApp({ env: { PLANS: "off" } });
  const account = await openAccount(off);
  for (let n = 0; n <= projects; n++) await createOwnedProject(account);
  await using on = await openTestApp({ store: off.store });
  const send = (method: string, body?: unknown) =>
    on.send({
      path: "/api/projects",
      method,
      headers: { cookie: account.cookie, origin: "http://localhost:8000" },
      ...(body !== undefined && { body }),
    });
  const listed = await send("GET");
  assert.equal(listed.body.data.items.length, projects + 1);
  const refused = await send("POST", { name: "One more" });
  assert.deepEqual([refused.status, refused.body.code], [403, "PLAN_LIMIT_REACHED"]);
});
