/** Tests a secret key sent by a page, which works with a warning and a note for members. */

import assert from "node:assert/strict";
import { lastBrowserUse } from "@/lib/projects/key_notes.ts";
import { rotateKey } from "@/lib/projects/rotate_key.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const ORIGIN = "https://app.example";
const WARNING = "x-corbel-warning";

Deno.test("a secret key with a browser's Origin works, and its responses carry a warning", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const origin = { origin: ORIGIN };
  const listed = await collection.asSecret({ headers: origin });
  assert.deepEqual(ok(listed).items, []);
  assert.match(listed.headers.get(WARNING)!, /use the publishable key there, and rotate this one/);
  const exposed = listed.headers.get("access-control-expose-headers")!.split(",");
  assert.ok(exposed.includes(WARNING), "pages may read it");
  const created = await collection.asSecret({ body: { n: 1 }, headers: origin });
  assert.equal(created.status, 201);
  assert.ok(created.headers.has(WARNING));
  const refusal = await collection.asSecret({ path: "/none", headers: origin });
  refused(refusal, 400, "INVALID_ID");
  assert.ok(refusal.headers.has(WARNING), "refusals carry it, too");
});

Deno.test("servers, publishable keys, refused keys and Corbel's own pages get no warning", async () => {
  await using app = await openTestApp();
  const { project, asSecret, asPublic } = await createTestCollection(app);
  const { publicUrl } = app.services.config;
  const answers = [
    await asSecret({}),
    await asSecret({ headers: { origin: publicUrl } }),
    await asPublic({ headers: { origin: ORIGIN } }),
    await app.send({
      path: "/api/data/posts",
      headers: { origin: ORIGIN, "x-api-key": `sk_live_${"a".repeat(43)}` },
    }),
  ];
  for (const answer of answers) assert.equal(answer.headers.has(WARNING), false);
  await app.services.keyNotes.store();
  assert.equal(await lastBrowserUse(app.services, project.projectId), null);
});

Deno.test("the overview shows the last use, updated at most hourly, until the key is rotated", async () => {
  await using app = await openTestApp();
  const { services, clock } = app;
  const owner = await createTestOwner(app);
  const { project, projectId } = owner;
  const call = async (origin: string, times = 1) => {
    for (let i = 0; i < times; i++) {
      await project.asSecret({ path: "/api/data/posts", headers: { origin } });
    }
    await services.keyNotes.store();
    return await lastBrowserUse(services, projectId);
  };
  const overview = async () =>
    (await owner.account.send({ path: `/dashboard/projects/${projectId}` })).text;
  assert.doesNotMatch(await overview(), /used from a browser/);
  const first = await call(ORIGIN, 20);
  assert.deepEqual(first, { origin: ORIGIN, at: new Date(clock.now()).toISOString() });
  assert.match(await overview(), /used from a browser, by a page of <code>https:\/\/app\.example</);
  clock.advance(59 * 60_000);
  assert.deepEqual(await call("https://other.example"), first);
  clock.advance(60_000);
  const later = await call("https://other.example");
  assert.equal(later?.origin, "https://other.example");
  assert.equal(later.at, new Date(clock.now()).toISOString());
  const { key: fresh } = await rotateKey(services, projectId, { kind: "secret" });
  assert.equal(await lastBrowserUse(services, projectId), null);
  assert.doesNotMatch(await overview(), /used from a browser/);
  const headers = { "x-api-key": fresh, origin: ORIGIN };
  await app.send({ path: "/api/data/posts", headers });
  await services.keyNotes.store();
  assert.equal((await lastBrowserUse(services, projectId))?.origin, ORIGIN);
});

Deno.test("many concurrent pages leave one note", async () => {
  await using app = await openTestApp();
  const { project, asSecret } = await createTestCollection(app);
  const origins = Array.from({ length: 50 }, (_, i) => `${ORIGIN}:${1000 + i}`);
  await Promise.all(origins.map((origin) => asSecret({ headers: { origin } })));
  await app.services.keyNotes.store();
  const noted = await lastBrowserUse(app.services, project.projectId);
  assert.ok(origins.includes(noted!.origin));
  assert.deepEqual(Object.keys(noted!), ["origin", "at"]);
});

Deno.test("the origin that a client sends is truncated and shown as text", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const origin = `<script>alert(1)</script>${"a".repeat(1_000)}`;
  await owner.project.asSecret({ path: "/api/data/posts", headers: { origin } });
  await app.services.keyNotes.store();
  const noted = await lastBrowserUse(app.services, owner.projectId);
  assert.equal(noted?.origin, origin.slice(0, 200));
  const path = `/dashboard/projects/${owner.projectId}`;
  const { text } = await owner.account.send({ path });
  assert.doesNotMatch(text, /<script>alert/);
  assert.match(text, /&lt;script&gt;alert/);
});
