import assert from "node:assert/strict";
import { ACCOUNT_SESSIONS } from "@/lib/accounts/session_records.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { MEMBERS } from "@/lib/projects/members.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { restoreProject } from "@/lib/operations/project_trash.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import {
  createOwnedProject,
  joinProject,
  openAccount,
  PASSWORD,
  signInAgain,
  type TestAccount,
} from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok, refused, times } from "./test_collection.ts";

const remove = (account: TestAccount, body: unknown = { password: PASSWORD }) =>
  account.send({ method: "DELETE", path: "/api/auth/account", body });

async function counts({ services: { engine } }: TestApp): Promise<number[]> {
  return await Promise.all(
    [ACCOUNTS, ACCOUNT_SESSIONS, MEMBERS].map((one) => engine.records("control", one).count(ALL)),
  );
}

Deno.test("deleteAccount ends sessions and memberships, and frees the address", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const { projectId } = await createOwnedProject(owner);
  const before = await counts(app);
  const account = await openAccount(app);
  await joinProject(app.services, projectId, account.accountId, "admin");
  const elsewhere = await signInAgain(account);
  const answer = await remove(account);
  assert.deepEqual(ok(answer), { accountId: account.accountId });
  assert.match(answer.headers.get("set-cookie")!, /^corbel_session=; Path=\/; Max-Age=0;/);
  for (const one of [account, elsewhere]) {
    refused(await one.send({ path: "/api/auth/me" }), 401, "SIGN_IN_REQUIRED");
  }
  assert.deepEqual(await counts(app), before);
  const { email, password } = account;
  const signIn = await app.send({ path: "/api/auth/login", body: { email, password } });
  refused(signIn, 401, "CREDENTIALS_INVALID");
  await openAccount(app, { email });
});

Deno.test("deleteAccount refuses an owner of projects and reports their number", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  await createOwnedProject(account);
  const one = await counts(app);
  refused(await remove(account), 409, "ACCOUNT_OWNS_PROJECTS", "1 project:");
  assert.deepEqual(await counts(app), one);
  await createOwnedProject(account);
  refused(await remove(account), 409, "ACCOUNT_OWNS_PROJECTS", "2 projects:");
});

Deno.test("deleteAccount accepts an owner of deleted projects, which have no owner when restored", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account, { name: "Old" });
  ok(
    await account.send({
      method: "DELETE",
      path: `/api/projects/${projectId}`,
      body: { name: "Old" },
    }),
  );
  ok(await remove(account));
  await restoreProject(app.services, projectId);
  const project = await app.services.engine.records<ProjectRecord>("control", PROJECTS)
    .get(projectId);
  assert.equal(project!.value.ownerId, null);
});

Deno.test("createProject concurrently with deleteAccount leaves no project without an owner", async () => {
  await using app = await openTestApp();
  const { engine } = app.services;
  for (let round = 0; round < 10; round++) {
    const account = await openAccount(app, { plan: "pro" });
    const [deleted, ...created] = await Promise.all([
      remove(account),
      ...times(3, (n) => account.send({ path: "/api/projects", body: { name: `Project ${n}` } })),
    ]);
    const owned = await engine.records<ProjectRecord>("control", PROJECTS)
      .count(eq("ownerId", account.accountId));
    assert.equal(owned, created.filter(({ status }) => status === 201).length);
    assert.equal(deleted.status, owned === 0 ? 200 : 409, deleted.text);
    for (const answer of created) {
      if (answer.status !== 201) refused(answer, 401, "SIGN_IN_REQUIRED");
    }
  }
});

Deno.test("deleteAccount refuses a wrong password", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const before = await counts(app);
  refused(await remove(account, { password: "another one" }), 403, "PASSWORD_WRONG");
  assert.deepEqual(await counts(app), before);
});

Deno.test("deleteAccount refuses malformed bodies", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  for (const body of [{}, { password: "" }, { password: 1 }, { password: PASSWORD, all: true }]) {
    refused(await remove(account, body), 400, "INVALID_BODY");
  }
  ok(await account.send({ path: "/api/auth/me" }));
});
