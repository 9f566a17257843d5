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
import { notExpiredAt } from "./account_sessions.ts";
import { generateAccountToken } from "./account_tokens.ts";
import { ACCOUNT_SESSIONS } from "./session_records.ts";
import { ACCOUNT_TOKENS, type AccountTokenRecord, type TokenScope } from "./token_records.ts";

const DAY_MS = 86_400_000;

export interface AccountTokenDetails extends TokenScope {
  readonly id: Id;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

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
 * Creates a token and returns it with its secret, once. Throws `PROJECT_NOT_FOUND` without a
 * membership, `TOKEN_LIMIT_REACHED`, and `SIGN_IN_REQUIRED` if the session has ended, so that
 * ending all sessions also prevents tokens of requests in flight.
 */
export async function createAccountToken(
  { engine, clock, newId }: TokenServices,
  { accountId, sessionId }: SignedInAccount,
  { name, access, projects, expiresInDays }: GivenToken,
): Promise<AccountTokenDetails & { readonly token: string }> {
  const token = generateAccountToken();
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
    // Concurrent requests wait here, so that they cannot exceed the limit.
    const account = await lockAccount(tx, accountId);
    const session = await tx.records(ACCOUNT_SESSIONS).get(sessionId);
    if (account === null || session === null) throw new Problem("SIGN_IN_REQUIRED");
    if (record.projects !== "all") await requireMemberships(tx, accountId, record.projects);
    const tokens = tx.records<AccountTokenRecord>(ACCOUNT_TOKENS);
    const isValid = and(eq("accountId", accountId), notExpiredAt(clock));
    if (await tokens.count(isValid) >= ACCOUNT_TOKENS_MAX) {
      throw new Problem("TOKEN_LIMIT_REACHED");
    }
    await tokens.insert(record);
  });
  return { ...toTokenDetails(record), token };
}

/** Throws `PROJECT_NOT_FOUND` unless the account is a member of each project. */
async function requireMemberships(tx: Transaction, accountId: Id, projects: readonly Id[]) {
  const keys = projects.map((projectId) => memberKey(projectId, accountId));
  const [members, inUse] = [
    await tx.records<MemberRecord>(MEMBERS).count(within("member", keys)),
    await tx.records<ProjectRecord>(PROJECTS).count(and(within("_id", [...projects]), IN_USE)),
  ];
  if (members < projects.length || inUse < projects.length) throw new Problem("PROJECT_NOT_FOUND");
}

/** Lists the account's valid tokens, newest first. Throws `INVALID_CURSOR`. */
export async function listAccountTokens(
  services: { engine: Engine; clock: Clock; cursors: Cursors },
  { accountId }: AccountPrincipal,
  request: PageRequest,
): Promise<RecordPage<AccountTokenDetails>> {
  const { items, nextCursor } = await readPage<AccountTokenRecord>(services, {
    space: "control",
    definition: ACCOUNT_TOKENS,
    filter: eq("accountId", accountId),
    visible: notExpiredAt(services.clock),
  }, request);
  return { items: items.map(toTokenDetails), nextCursor };
}

const toTokenDetails = (
  { _id: id, name, lastFour, access, projects, createdAt, expiresAt, lastUsedAt }:
    AccountTokenRecord,
): AccountTokenDetails => (
  { id, name, lastFour, access, projects, createdAt, expiresAt, lastUsedAt }
);

/** Deletes one of the account's tokens. Returns false if there is no valid token with this id. */
export async function deleteAccountToken(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: AccountPrincipal,
  tokenId: Id,
): Promise<boolean> {
  const deleted = await engine.records<AccountTokenRecord>("control", ACCOUNT_TOKENS)
    .deleteOne(and(eq("_id", tokenId), eq("accountId", accountId), notExpiredAt(clock)));
  return deleted !== null;
}

export async function deleteAccountTokens(tx: Transaction, accountId: Id): Promise<void> {
  await deleteAll(tx.records(ACCOUNT_TOKENS), eq("accountId", accountId));
}
