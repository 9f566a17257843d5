import type { Device } from "../auth/sessions.ts";
import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import type { Cookies } from "../http/cookies.ts";
import type { NewId } from "../ids.ts";
import { ACCOUNT_SESSION_MS } from "../limits.ts";
import type { SignedInAccount } from "../projects/account_records.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Filter, Id, Transaction } from "../store/port.ts";
import { ACCOUNT_SESSIONS, type AccountSessionRecord } from "./session_records.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";

const COOKIE = "corbel_session";

/** Returns the session's secret from a `Cookie` header, or null. */
export const readSessionCookie = (cookies: Cookies, header: string | null): string | null =>
  cookies.read(header, COOKIE);

/** Finds the account that is signed in by a `Cookie` header. Returns null for none. */
export async function findAccountByCookie(
  services: { readonly engine: Engine; readonly clock: Clock; readonly cookies: Cookies },
  header: string | null,
): Promise<SignedInAccount | null> {
  const token = readSessionCookie(services.cookies, header);
  return token === null ? null : await findAccountSession(services, token);
}

/** Returns a `Set-Cookie` header. @param token Null removes the cookie. */
export const sessionCookie = (
  cookies: Cookies,
  token: string | null,
): readonly [string, string] =>
  cookies.write(COOKIE, token ?? "", {
    sameSite: "Lax",
    maxAge: token === null ? 0 : ACCOUNT_SESSION_MS / 1000,
  });

/** Matches records that have not expired. Sessions that were ended are deleted. */
export const notExpiredAt = (clock: Clock): Filter => compare("expiresAt", "gt", timestamp(clock));

/** Opens a session and returns its secret. */
export async function openAccountSession(
  tx: Transaction,
  { clock, newId }: { clock: Clock; newId: NewId },
  { accountId, device }: { accountId: Id; device: Device },
): Promise<string> {
  const token = randomToken();
  const now = timestamp(clock);
  await tx.records<AccountSessionRecord>(ACCOUNT_SESSIONS).insert({
    _id: newId(),
    accountId,
    tokenHash: sha256(token),
    ...device,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: expiryAt(clock),
  });
  return token;
}

const expiryAt = (clock: Clock): string => new Date(clock.now() + ACCOUNT_SESSION_MS).toISOString();

/** Minimum milliseconds between extensions of a session. */
const EXTENSION_INTERVAL_MS = 3_600_000;

/** Reads the account of a session from the store and extends the session. Returns null for none. */
export async function findAccountSession(
  { engine, clock }: { engine: Engine; clock: Clock },
  token: string,
): Promise<SignedInAccount | null> {
  const sessions = engine.records<AccountSessionRecord>("control", ACCOUNT_SESSIONS);
  const isValid = and(eq("tokenHash", sha256(token)), notExpiredAt(clock));
  const session = (await sessions.findOne(isValid))?.value;
  if (session === undefined) return null;
  const account = await engine.records<AccountRecord>("control", ACCOUNTS).get(session.accountId);
  if (account === null) return null;
  if (clock.now() - Date.parse(session.lastUsedAt) > EXTENSION_INTERVAL_MS) {
    await sessions.updateOne(isValid, {
      set: { lastUsedAt: timestamp(clock), expiresAt: expiryAt(clock) },
    });
  }
  const { _id: accountId, email, plan } = account.value;
  return { accountId, sessionId: session._id, email, plan };
}
