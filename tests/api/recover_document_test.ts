import assert from "node:assert/strict";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { maintain } from "@/routes/maintenance.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";

const DAY = 86_400_000;
const recover = (id: string) => ({ method: "PATCH", path: `/${id}/recover` });

Deno.test("recoverDocument restores a document from the trash unchanged", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({ title: "one" });
  await collection.remove(stored._id);
  app.clock.advance(1000);
  const recovered = ok(await collection.asSecret(recover(stored._id)));
  assert.deepEqual(recovered, { ...stored, updatedAt: recovered.updatedAt });
  assert.equal(recovered.updatedAt, new Date(app.clock.now()).toISOString());
  assert.equal(ok(await collection.asSecret({})).total, 1);
});

Deno.test("recoverDocument of a document that is not in the trash is 200 and changes nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne();
  await collection.untouched(async () => {
    const answer = await collection.asSecret(recover(stored._id.toUpperCase()));
    assert.deepEqual(ok(answer), stored);
  });
});

Deno.test("a document can be recovered for exactly 30 days, measured by the clock alone", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const ann = await collection.project.user();
  const { _id: id } = await collection.insertOne({ userId: ann.id });
  await collection.remove(id);
  app.clock.advance(30 * DAY);
  ok(await collection.asSecret(recover(id)));
  await collection.remove(id);
  app.clock.advance(30 * DAY + 1);
  const token = await issueToken(app.services, collection.project.projectId, {
    userId: ann.id,
    seconds: 900,
  });
  await collection.untouched(async () => {
    refused(await collection.asSecret(recover(id)), 404, "DOCUMENT_NOT_FOUND");
    refused(await collection.asPublic(recover(id), { ...ann, token }), 404, "DOCUMENT_NOT_FOUND");
  });
  assert.equal((await collection.read(id)).status, 200, "still there until it is removed");
});

Deno.test("old trash is removed in batches; newer trash and documents remain", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const rows = 1_200;
  for (let at = 0; at < rows; at += 100) {
    const { ids } = ok(
      await collection.asSecret({ path: "/bulk", body: times(100, (n) => ({ n: at + n })) }),
      201,
    );
    for (const id of ids) await collection.asSecret({ method: "DELETE", path: `/${id}` });
  }
  app.clock.advance(30 * DAY);
  const { _id: young } = await collection.insertOne({ n: "young" });
  const { _id: live } = await collection.insertOne({ n: "live" });
  await collection.remove(young);
  const passes = await Promise.all([maintain(app.services), maintain(app.services)]);
  assert.equal(passes.reduce((sum, { documents }) => sum + documents, 0), rows);
  assert.deepEqual(await collection.names("include_deleted=true&sort=_id"), ["young", "live"]);
  ok(await collection.asSecret(recover(young)));
  assert.equal(ok(await collection.asSecret({})).total, 2);
  assert.ok(live);
});

Deno.test("a permanently deleted document cannot be recovered", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  ok(await collection.asSecret({ method: "DELETE", path: `/${id}?permanent=true` }));
  refused(await collection.asSecret(recover(id)), 404, "DOCUMENT_NOT_FOUND");
  refused(await collection.asSecret(recover(UNKNOWN_ID)), 404, "DOCUMENT_NOT_FOUND");
  refused(await collection.asSecret(recover("x")), 400, "INVALID_ID");
});

Deno.test("users can recover only their own documents", async () => {
  await using app = await openTestApp();
  for (const mode of ["private", "public-read"]) {
    const collection = await createTestCollection(app, { rls: { mode } });
    const [ann, bob] = [await collection.project.user(), await collection.project.user()];
    const { _id: id } = await collection.insertOne({ userId: ann.id });
    await collection.remove(id);
    await collection.untouched(async () => {
      refused(await collection.asPublic(recover(id)), 401, "ACCESS_TOKEN_REQUIRED");
      refused(await collection.asPublic(recover(id), bob), 404, "DOCUMENT_NOT_FOUND");
    });
    assert.equal(ok(await collection.asPublic(recover(id), ann)).isDeleted, false);
    if (mode === "private") continue;
    await collection.untouched(async () => {
      refused(await collection.asPublic(recover(id), bob), 403, "OWNER_MISMATCH");
    });
  }
  const off = await createTestCollection(app, { rls: { enabled: false } });
  const { _id: id } = await off.insertOne();
  await off.remove(id);
  await off.untouched(async () => {
    refused(await off.asPublic(recover(id)), 403, "RLS_REQUIRED");
  });
});

testUnless(
  faults.staysTaken,
  "a document stays in the trash if its unique value is taken",
  async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, {
      fields: [{ key: "slug", type: "String", unique: true }],
    });
    const { _id: id } = await collection.insertOne({ slug: "s" });
    await collection.remove(id);
    await collection.insertOne({ slug: "s" });
    await collection.untouched(async () => {
      refused(await collection.asSecret(recover(id)), 409, "DUPLICATE_VALUE", '"slug"');
    });
  },
);

Deno.test("20 concurrent calls recover a document once", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  await collection.remove(id);
  const answers = await Promise.all(times(20, () => collection.asSecret(recover(id))));
  assert.deepEqual(tally(answers), { 200: 20 });
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(ok(await collection.asSecret({ path: "?count=true" })).count, 1);
});

testUnless(
  faults.staysTaken,
  "of documents with equal unique values only one is recovered",
  async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, {
      fields: [{ key: "slug", type: "String", unique: true }],
    });
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      const { _id } = await collection.insertOne({ slug: "s" });
      await collection.remove(_id);
      ids.push(_id);
    }
    const answers = await Promise.all(ids.map((id) => collection.asSecret(recover(id))));
    assert.deepEqual(tally(answers), { 200: 1, 409: 19 });
  },
);
