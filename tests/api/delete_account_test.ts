import assert from "node:assert/strict";
import { ACCOUNT_SESSIONS } from "@/lib/accounts/session_records.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { MEMBERS } from "@/lib/projects/members.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { restoreProject } from "@/lib/operations/project_trash.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import {
  joinProject,
  openAccount,
  ownedProject,
  PASSWORD,
  signedInAgain,
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

Deno.test("an account goes with its sessions and memberships, and its e-mail is free again", async () => {
  await using app = await openTestApp();
  const owner = await openAccount(app);
  const { projectId } = await ownedProject(owner);
  const before = await counts(app);
  const account = await openAccount(app);
  await joinProject(app.services, projectId, account.accountId, "admin");
  const elsewhere = await signedInAgain(account);
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

Deno.test("an account that owns projects stays, and the answer has their number", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  await ownedProject(account);
  const one = await counts(app);
  refused(await remove(account), 409, "ACCOUNT_OWNS_PROJECTS", "1 project:");
  assert.deepEqual(await counts(app), one);
  await ownedProject(account);
  refused(await remove(account), 409, "ACCOUNT_OWNS_PROJECTS", "2 projects:");
});

Deno.test("a project in the trash holds nobody, and is nobody's when it is restored", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await ownedProject(account, { name: "Old" });
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

Deno.test("no project is made for an account that goes in the same moment", async () => {
  await using app = await openTestApp();
  const { engine } = app.services;
  for (let round = 0; round < 10; round++) {
    const account = await openAccount(app, { plan: "pro" });
    const [gone, ...made] = await Promise.all([
      remove(account),
      ...times(3, (n) => account.send({ path: "/api/projects", body: { name: `Project ${n}` } })),
    ]);
    const owned = await engine.records<ProjectRecord>("control", PROJECTS)
      .count(eq("ownerId", account.accountId));
    assert.equal(owned, made.filter(({ status }) => status === 201).length);
    assert.equal(gone.status, owned === 0 ? 200 : 409, gone.text);
    for (const answer of made) {
      if (answer.status !== 201) refused(answer, 401, "SIGN_IN_REQUIRED");
    }
  }
});

Deno.test("another password deletes nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const before = await counts(app);
  refused(await remove(account, { password: "another one" }), 403, "PASSWORD_WRONG");
  assert.deepEqual(await counts(app), before);
});

Deno.test("a body without the password, or with more, is 400", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  for (const body of [{}, { password: "" }, { password: 1 }, { password: PASSWORD, all: true }]) {
    refused(await remove(account, body), 400, "INVALID_BODY");
  }
  ok(await account.send({ path: "/api/auth/me" }));
});
