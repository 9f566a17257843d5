import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { issueExchangeCode } from "@/lib/auth/exchange_codes.ts";
import { openSession } from "@/lib/auth/open_session.ts";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import { ACCESS_TOKEN_SECONDS } from "@/lib/limits.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestApp, TestProject, TestUser } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

export const SITE = "https://app.example.com";

/** A user on one device who has just returned from their provider. */
export interface Arrival extends TestUser {
  readonly sessionId: Id;
  readonly rtCode: string;
}

export interface SignedIn extends TestUser {
  readonly sessionId: Id;
  readonly refreshToken: string;
}

/** Opens a session, an access token and a code, as a callback does for a known user. */
export async function arrive(
  { services }: TestApp,
  { projectId }: TestProject,
  userId?: Id,
): Promise<Arrival> {
  const { engine, tokens } = services;
  const id = userId ?? await createUser(services, projectId, {
    email: `${crypto.randomUUID()}@example.com`,
    verified: true,
  });
  const device = { userAgent: "Test/1.0", address: "203.0.113.0" };
  const { sessionId } = await engine.transaction(
    projectId,
    (tx) => openSession(tx, services, { userId: id, device }),
  );
  const token = await tokens.issue(projectId, { userId: id, sessionId }, ACCESS_TOKEN_SECONDS);
  const rtCode = await engine.transaction(
    projectId,
    (tx) => issueExchangeCode(tx, services, { sessionId, userId: id, accessToken: token }),
  );
  return { id, sessionId, token, rtCode };
}

export const exchangeCall = (body: unknown, headers: Record<string, string> = {}): Call => ({
  path: "/api/userAuth/social/exchange",
  body,
  headers,
});

/** @param userId By default a new user. */
export async function signIn(app: TestApp, project: TestProject, userId?: Id): Promise<SignedIn> {
  const { rtCode, ...arrival } = await arrive(app, project, userId);
  const answer = await project.asPublic(exchangeCall({ rtCode, token: arrival.token }));
  return { ...arrival, refreshToken: ok(answer).refreshToken };
}

const REFRESH = { method: "POST", path: "/api/userAuth/refresh-token" };

/** Refreshes with the token in the header. */
export const refresh = (
  project: TestProject,
  refreshToken: string,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  project.asPublic({ ...REFRESH, headers: { "x-refresh-token": refreshToken, ...headers } });

export const refreshBy = (project: TestProject, headers: Record<string, string>): Promise<Answer> =>
  project.asPublic({ ...REFRESH, headers });

/** Refreshes and returns the next refresh token. */
export async function refreshed(project: TestProject, refreshToken: string): Promise<string> {
  return ok(await refresh(project, refreshToken)).refreshToken;
}

export async function isSignedIn(project: TestProject, user: TestUser): Promise<boolean> {
  const { status } = await project.asPublic({ path: "/api/userAuth/me" }, user);
  assert.ok([200, 401].includes(status));
  return status === 200;
}

export async function sessionOf(
  { services }: TestApp,
  { projectId }: TestProject,
  id: Id,
): Promise<SessionRecord | null> {
  const found = await services.engine.records<SessionRecord>(projectId, SESSIONS).get(id);
  return found?.value ?? null;
}

/** Returns the pair and the attributes, in order, of the refresh cookie that a response sets. */
export function cookieOf({ headers }: Answer): { pair: string; attributes: string[] } | null {
  const [pair, ...attributes] = headers.get("set-cookie")?.split("; ") ?? [];
  return pair === undefined ? null : { pair, attributes };
}
