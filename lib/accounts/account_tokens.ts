import { readBearerToken } from "../auth/authenticate.ts";
import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import { Problem } from "../problems.ts";
import {
  type AccountPrincipal,
  type AccountRecord,
  ACCOUNTS,
} from "../projects/account_records.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { notExpiredAt } from "./account_sessions.ts";
import { ACCOUNT_TOKENS, type AccountTokenRecord, type TokenScope } from "./token_records.ts";

/** Prefix by which secret scanners recognize a token. */
const PREFIX = "corbel_pat_";
const TOKEN = /^corbel_pat_[A-Za-z0-9_-]{43}$/;

/** Generates a token from 32 random bytes. */
export const generateAccountToken = (): string => PREFIX + randomToken();

/** Returns null for other bearer tokens: a user's access token, or one that a proxy adds. */
export function readAccountToken(authorization: string | null): string | null {
  const token = readBearerToken(authorization);
  return token?.startsWith(PREFIX) ? token : null;
}

/** An account that was authenticated by a session or a token, with the scope of either. */
export interface AccountCaller extends AccountPrincipal {
  readonly scope: TokenScope;
}

/** The scope of a session. */
export const SESSION_SCOPE: TokenScope = { access: "write", projects: "all" };

/** Minimum milliseconds between updates of a token's last use. */
const USE_UPDATE_INTERVAL_MS = 3_600_000;

/** Reads the account of a token from the store. Returns null for none. */
export async function findTokenHolder(
  { engine, clock }: { engine: Engine; clock: Clock },
  token: string,
): Promise<AccountCaller | null> {
  if (!TOKEN.test(token)) return null;
  const tokens = engine.records<AccountTokenRecord>("control", ACCOUNT_TOKENS);
  const isValid = and(eq("tokenHash", sha256(token)), notExpiredAt(clock));
  const found = (await tokens.findOne(isValid))?.value;
  if (found === undefined) return null;
  const account = await engine.records<AccountRecord>("control", ACCOUNTS).get(found.accountId);
  if (account === null) return null;
  const { access, projects, lastUsedAt } = found;
  if (lastUsedAt === null || clock.now() - Date.parse(lastUsedAt) > USE_UPDATE_INTERVAL_MS) {
    await tokens.updateOne(isValid, { set: { lastUsedAt: timestamp(clock) } });
  }
  const { _id: accountId, email, plan } = account.value;
  return { accountId, email, plan, scope: { access, projects } };
}

const READ_METHODS = new Set(["GET", "HEAD"]);

/** Throws `TOKEN_SCOPE_EXCEEDED` if the token may not use the method. */
export function requireAccess({ access }: TokenScope, method: string): void {
  if (access === "write" || READ_METHODS.has(method)) return;
  throw new Problem("TOKEN_SCOPE_EXCEEDED", {
    message: `This token may only read, and ${method} requires one that may write.`,
  });
}

/** Throws `TOKEN_SCOPE_EXCEEDED` if the token is not for the project. */
export function requireProject({ projects }: TokenScope, projectId: Id): void {
  if (projects === "all" || projects.includes(projectId)) return;
  throw new Problem("TOKEN_SCOPE_EXCEEDED", {
    message: "This token is not for this project: create one that names it.",
  });
}

/** Throws `TOKEN_SCOPE_EXCEEDED` if the token is not for all projects. */
export function requireAllProjects({ projects }: TokenScope): void {
  if (projects === "all") return;
  throw new Problem("TOKEN_SCOPE_EXCEEDED", {
    message: 'This token is for some projects only, and this operation requires one for "all".',
  });
}
