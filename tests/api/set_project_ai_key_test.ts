import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { aiKeyBinding } from "@/lib/ai/keys.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { eq } from "@/lib/store/filter.ts";
import {
  createOwnedProject,
  joinProject,
  openAccount,
  type TestAccount,
} from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { refused, UNKNOWN_ID } from "./test_collection.ts";

const KEY = "gsk_planted-and-never-seen-again";

const put = (account: TestAccount, projectId: string, body: unknown = { aiKey: KEY }) =>
  account.send({ method: "PUT", path: `/api/projects/${projectId}/byok`, body });

const sealedOf = async ({ services }: TestApp, projectId: string): Promise<string | null> =>
  (await services.engine.records<ProjectRecord>("control", PROJECTS).get(projectId))!.value
    .sealedAiKey;

Deno.test("a key is sealed for its project, reported by hasAiKey, and never returned", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app, { plan: "pro" });
  const { projectId } = await createOwnedProject(owner);
  const other = await createOwnedProject(owner);
  const answer = await put(owner, projectId);
  assert.deepEqual(answer.body, {
    success: true,
    data: { hasAiKey: true },
    message: "AI key saved",
  });
  const sealed = (await sealedOf(app, projectId))!;
  const { keyRing } = app.services;
  assert.equal(await keyRing.open(sealed, aiKeyBinding("project", projectId)), KEY);
  for (
    const binding of [
      aiKeyBinding("project", other.projectId),
      aiKeyBinding("account", projectId),
    ]
  ) await assert.rejects(keyRing.open(sealed, binding));
  const read = await owner.send({ path: `/api/projects/${projectId}` });
  assert.equal(read.body.data.hasAiKey, true);
  assert.ok(!read.text.includes("gsk_") && !read.text.includes(sealed));
  assert.equal(await sealedOf(app, other.projectId), null);
  assert.deepEqual((await put(owner, projectId, { aiKey: null })).body.data, { hasAiKey: false });
  assert.equal(await sealedOf(app, projectId), null);
});

Deno.test("an admin may set the key; for a viewer or a stranger the project does not exist", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app, { plan: "pro" });
  const { projectId } = await createOwnedProject(owner);
  const [admin, viewer, stranger] = [
    await openAccount(app),
    await openAccount(app, { plan: "pro" }),
    await openAccount(app, { plan: "pro" }),
  ];
  await joinProject(app.services, projectId, admin.accountId, "admin");
  await joinProject(app.services, projectId, viewer.accountId, "viewer");
  for (const account of [viewer, stranger]) {
    for (const body of [{ aiKey: KEY }, { aiKey: null }, { aiKey: "bad" }]) {
      const answer = await put(account, projectId, body);
      refused(answer, 404, "PROJECT_NOT_FOUND");
      assert.equal(answer.body.message, "Project not found or access denied");
    }
    refused(await put(account, UNKNOWN_ID), 404, "PROJECT_NOT_FOUND");
  }
  assert.equal(await sealedOf(app, projectId), null);
  assert.equal(
    (await put(admin, projectId)).status,
    200,
    "the owner's plan applies, not the admin's",
  );
});

Deno.test("an invalid id is a 400 with the documented text, for any caller", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app, { plan: "pro" });
  for (const id of ["1", "x".repeat(24), `${UNKNOWN_ID}0`, "null"]) {
    const answer = await put(owner, id);
    refused(answer, 400, "INVALID_PROJECT_ID");
    assert.equal(answer.body.message, "Invalid project ID");
  }
  const call = { method: "PUT", path: "/api/projects/1/byok", body: { aiKey: KEY } };
  refused(await app.send(call), 401, "SIGN_IN_REQUIRED");
});

Deno.test("the owner's plan decides whether a project may have a key; null clears on every plan", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const { projectId } = await createOwnedProject(owner);
  const admin = await openAccount(app, { plan: "pro" });
  await joinProject(app.services, projectId, admin.accountId, "admin");
  for (const account of [owner, admin]) {
    const answer = await put(account, projectId);
    refused(answer, 403, "PRO_PLAN_REQUIRED");
    assert.equal(answer.body.message, "Feature requires the Pro plan; upgrade");
    refused(await put(account, projectId, { aiKey: "sk-1" }), 400, "AI_KEY_MALFORMED");
    assert.equal((await put(account, projectId, { aiKey: null })).status, 200);
  }
  assert.equal(await sealedOf(app, projectId), null);
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", owner.accountId), { set: { plan: "pro" } });
  app.services.plans.forgetAccount(owner.accountId);
  assert.equal((await put(owner, projectId)).status, 200);
});

Deno.test("a project in the trash accepts no key", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app, { plan: "pro" });
  const { projectId } = await createOwnedProject(owner);
  await app.services.engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(eq("_id", projectId), { set: { deletedAt: "2026-01-31T12:00:00.000Z" } });
  refused(await put(owner, projectId), 404, "PROJECT_NOT_FOUND");
  assert.equal(await sealedOf(app, projectId), null);
});
