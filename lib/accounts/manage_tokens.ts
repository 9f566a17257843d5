import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import { ACCOUNT_TOKENS_MAX } from "../limits.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import type { AccountPrincipal, SignedInAccount } from "../projects/account_records.ts";
import { memberKey, type MemberRecord, MEMBERS } from "../projects/members.ts";
import { lockAccount } from "../projects/ownership.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "../projects/records.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, eq, within } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { standingAt } from "./account_sessions.ts";
import { newAccountToken } from "./account_tokens.ts";
import { ACCOUNT_SESSIONS } from "./session_records.ts";
import { ACCOUNT_TOKENS, type AccountTokenRecord, type TokenScope } from "./token_records.ts";

const DAY_MS = 86_400_000;

/** A token as its account sees it. */
export interface ShownAccountToken extends TokenScope {
  readonly id: Id;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

/** What an account asks a token for. */
export interface GivenToken extends TokenScope {
  readonly name: string;
  readonly expiresInDays: number;
}

interface TokenServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

/**
 * Makes a token; resolves to it with its secret, which nobody has seen before. Throws
 * `PROJECT_NOT_FOUND` where the account has no part in one of the projects, `TOKEN_LIMIT_REACHED`,
 * and `SIGN_IN_REQUIRED` where the session has ended meanwhile: what ends all sessions of an account
 * leaves no token of a request that was under way.
 */
export async function createAccountToken(
  { engine, clock, newId }: TokenServices,
  { accountId, sessionId }: SignedInAccount,
  { name, access, projects, expiresInDays }: GivenToken,
): Promise<ShownAccountToken & { readonly token: string }> {
  const token = newAccountToken();
  const record: AccountTokenRecord = {
    _id: newId(),
    accountId,
    name,
    tokenHash: sha256(token),
    lastFour: token.slice(-4),
    access,
    projects: projects === "all" ? projects : [...new Set(projects)],
    createdAt: timestamp(clock),
    expiresAt: new Date(clock.now() + expiresInDays * DAY_MS).toISOString(),
    lastUsedAt: null,
  };
  await engine.transaction("control", async (tx) => {
    // Of many at once no more pass than may.
    const account = await lockAccount(tx, accountId);
    const session = await tx.records(ACCOUNT_SESSIONS).get(sessionId);
    if (account === null || session === null) throw new Problem("SIGN_IN_REQUIRED");
    if (record.projects !== "all") await requireParts(tx, accountId, record.projects);
    const tokens = tx.records<AccountTokenRecord>(ACCOUNT_TOKENS);
    const standing = and(eq("accountId", accountId), standingAt(clock));
    if (await tokens.count(standing) >= ACCOUNT_TOKENS_MAX) {
      throw new Problem("TOKEN_LIMIT_REACHED");
    }
    await tokens.insert(record);
  });
  return { ...shownToken(record), token };
}

/** Throws `PROJECT_NOT_FOUND` unless the account has a part in each of the projects. */
async function requireParts(tx: Transaction, accountId: Id, projects: readonly Id[]) {
  const keys = projects.map((projectId) => memberKey(projectId, accountId));
  const [members, inUse] = [
    await tx.records<MemberRecord>(MEMBERS).count(within("member", keys)),
    await tx.records<ProjectRecord>(PROJECTS).count(and(within("_id", [...projects]), IN_USE)),
  ];
  if (members < projects.length || inUse < projects.length) throw new Problem("PROJECT_NOT_FOUND");
}

/** The account's tokens that stand, the newest first. Throws `INVALID_CURSOR`. */
export async function listAccountTokens(
  services: { engine: Engine; clock: Clock; cursors: Cursors },
  { accountId }: AccountPrincipal,
  request: PageRequest,
): Promise<RecordPage<ShownAccountToken>> {
  const { items, nextCursor } = await readPage<AccountTokenRecord>(services, {
    space: "control",
    definition: ACCOUNT_TOKENS,
    asked: eq("accountId", accountId),
    present: standingAt(services.clock),
  }, request);
  return { items: items.map(shownToken), nextCursor };
}

const shownToken = (
  { _id: id, name, lastFour, access, projects, createdAt, expiresAt, lastUsedAt }:
    AccountTokenRecord,
): ShownAccountToken => (
  { id, name, lastFour, access, projects, createdAt, expiresAt, lastUsedAt }
);

/** Deletes one of the account's tokens; false where none of this id stands. */
export async function deleteAccountToken(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: AccountPrincipal,
  tokenId: Id,
): Promise<boolean> {
  const deleted = await engine.records<AccountTokenRecord>("control", ACCOUNT_TOKENS)
    .deleteOne(and(eq("_id", tokenId), eq("accountId", accountId), standingAt(clock)));
  return deleted !== null;
}

/** Deletes all tokens of an account. */
export async function deleteAccountTokens(tx: Transaction, accountId: Id): Promise<void> {
  await deleteAll(tx.records(ACCOUNT_TOKENS), eq("accountId", accountId));
}
