import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS, type PlanName } from "@/lib/projects/account_records.ts";
import { memberKey, type MemberRecord, MEMBERS, type Role } from "@/lib/projects/members.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import type { TokenAccess, TokenScope } from "@/lib/accounts/token_records.ts";
import { timestamp } from "@/lib/clock.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Answer, Call } from "./conforming_client.ts";
import type { TestApp } from "./test_app.ts";
import { PASSWORD } from "./test_services.ts";

export { PASSWORD };

export interface TestAccount {
  readonly app: TestApp;
  readonly accountId: Id;
  readonly email: string;
  readonly password: string;
  /** The session as the value of a `Cookie` header. */
  readonly cookie: string;
  /** Sends a call with the session, unless the call has a `cookie` header. */
  send(call: Call): Promise<Answer>;
}

/** Returns the session that a response sets, as the value of a `Cookie` header, or null. */
export function sessionCookieOf({ headers }: Answer): string | null {
  const set = headers.getSetCookie().find((one) => /^(?:__Host-)?corbel_session=/.test(one));
  return set?.split(";")[0] ?? null;
}

export async function openAccount(
  app: TestApp,
  { plan = "free", email = `${crypto.randomUUID()}@example.com` }: {
    plan?: PlanName;
    email?: string;
  } = {},
): Promise<TestAccount> {
  const answer = await app.send({
    path: "/api/auth/register",
    body: { email, password: PASSWORD },
  });
  assert.equal(answer.status, 201, answer.text);
  const { accountId } = answer.body.data as { accountId: Id };
  if (plan !== "free") {
    await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
      .updateOne(eq("_id", accountId), { set: { plan } });
  }
  return accountWith(app, { accountId, email, cookie: sessionCookieOf(answer)! });
}

export async function signInAgain(
  { app, accountId, email, password }: TestAccount,
): Promise<TestAccount> {
  const answer = await app.send({ path: "/api/auth/login", body: { email, password } });
  assert.equal(answer.status, 200, answer.text);
  return accountWith(app, { accountId, email, cookie: sessionCookieOf(answer)! });
}

const accountWith = (
  app: TestApp,
  { accountId, email, cookie }: { accountId: Id; email: string; cookie: string },
): TestAccount => ({
  app,
  accountId,
  email,
  password: PASSWORD,
  cookie,
  send: (call) =>
    app.send({ ...call, headers: [["cookie", cookie], ...new Headers(call.headers)] }),
});

/** A personal access token and calls with the token instead of a session. */
export interface TestToken {
  readonly id: Id;
  readonly token: string;
  /** Sends a call with the token, unless the call has an `authorization` header. */
  send(call: Call): Promise<Answer>;
}

/** Creates a token, by default for all projects of the account and with write access. */
export async function createToken(
  { app, send }: TestAccount,
  scope: { access?: TokenAccess; projects?: TokenScope["projects"]; expiresInDays?: number } = {},
): Promise<TestToken> {
  const body = { name: "Test", access: "write", projects: "all", ...scope };
  const answer = await send({ path: "/api/auth/tokens", body });
  assert.equal(answer.status, 201, answer.text);
  const { id, token } = answer.body.data as { id: Id; token: string };
  const authorization = `Bearer ${token}`;
  return {
    id,
    token,
    send: (call) =>
      app.send({
        ...call,
        headers: [["authorization", authorization], ...new Headers(call.headers)],
      }),
  };
}

export interface OwnedProject {
  readonly projectId: Id;
  readonly publishableKey: string;
  readonly secretKey: string;
}

export async function createOwnedProject(
  account: TestAccount,
  { name = "Test", siteUrl = null }: { name?: string; siteUrl?: string | null } = {},
): Promise<OwnedProject> {
  const answer = await account.send({ path: "/api/projects", body: { name, siteUrl } });
  assert.equal(answer.status, 201, answer.text);
  const { projectId, publishableKey, secretKey } = answer.body.data as OwnedProject;
  return { projectId, publishableKey, secretKey };
}

/** Makes the account a member of the project, or its owner if the project has none. */
export async function joinProject(
  { engine, clock, newId }: TestApp["services"],
  projectId: Id,
  accountId: Id,
  role: Role,
): Promise<void> {
  if (role === "owner") {
    await engine.records<ProjectRecord>("control", PROJECTS)
      .updateOne(eq("_id", projectId), { set: { ownerId: accountId } });
  }
  await engine.records<MemberRecord>("control", MEMBERS).insert({
    _id: newId(),
    projectId,
    accountId,
    member: memberKey(projectId, accountId),
    role,
    createdAt: timestamp(clock),
  });
}
