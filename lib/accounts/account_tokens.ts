import { bearerTokenIn } from "../auth/authenticate.ts";
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
import { standingAt } from "./account_sessions.ts";
import { ACCOUNT_TOKENS, type AccountTokenRecord, type TokenScope } from "./token_records.ts";

/** Secret scanners know a token by it. */
const PREFIX = "corbel_pat_";
const TOKEN = /^corbel_pat_[A-Za-z0-9_-]{43}$/;

/** A fresh token of 32 random bytes. */
export const newAccountToken = (): string => PREFIX + randomToken();

/**
 * The personal access token of an `Authorization` header, be it a good one; null where there is none.
 * What else is sent as a bearer is nothing to an account: a user's access token, or what a proxy
 * adds.
 */
export function accountTokenIn(authorization: string | null): string | null {
  const token = bearerTokenIn(authorization);
  return token?.startsWith(PREFIX) ? token : null;
}

/** An account by its session or by one of its tokens, and how far that goes. */
export interface AccountCaller extends AccountPrincipal {
  readonly scope: TokenScope;
}

/** A session's. */
export const UNBOUNDED: TokenScope = { access: "write", projects: "all" };

/** When a token was last used is written at most this often. */
const NOTE_USE_MS = 3_600_000;

/** Whose token this is, as it is stored now; null for none. */
export async function findTokenHolder(
  { engine, clock }: { engine: Engine; clock: Clock },
  token: string,
): Promise<AccountCaller | null> {
  if (!TOKEN.test(token)) return null;
  const tokens = engine.records<AccountTokenRecord>("control", ACCOUNT_TOKENS);
  const standing = and(eq("tokenHash", sha256(token)), standingAt(clock));
  const found = (await tokens.findOne(standing))?.value;
  if (found === undefined) return null;
  const account = await engine.records<AccountRecord>("control", ACCOUNTS).get(found.accountId);
  if (account === null) return null;
  const { access, projects, lastUsedAt } = found;
  if (lastUsedAt === null || clock.now() - Date.parse(lastUsedAt) > NOTE_USE_MS) {
    await tokens.updateOne(standing, { set: { lastUsedAt: timestamp(clock) } });
  }
  const { _id: accountId, email, plan } = account.value;
  return { accountId, email, plan, scope: { access, projects } };
}

const READS = new Set(["GET", "HEAD"]);

/** Refuses a method that the token may not use. Throws `TOKEN_SCOPE_EXCEEDED`. */
export function requireAccess({ access }: TokenScope, method: string): void {
  if (access === "write" || READS.has(method)) return;
  throw new Problem("TOKEN_SCOPE_EXCEEDED", {
    message: `This token may only read, and ${method} takes one that may write.`,
  });
}

/** Refuses a project that the token is not for. Throws `TOKEN_SCOPE_EXCEEDED`. */
export function requireProject({ projects }: TokenScope, projectId: Id): void {
  if (projects === "all" || projects.includes(projectId)) return;
  throw new Problem("TOKEN_SCOPE_EXCEEDED", {
    message: "This token is not for this project: create one that names it.",
  });
}

/** Refuses what is of no one project to a token for some. Throws `TOKEN_SCOPE_EXCEEDED`. */
export function requireAllProjects({ projects }: TokenScope): void {
  if (projects === "all") return;
  throw new Problem("TOKEN_SCOPE_EXCEEDED", {
    message: 'This token is for some projects only, and this takes one for "all".',
  });
}
