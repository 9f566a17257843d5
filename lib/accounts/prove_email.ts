import { timestamp } from "../clock.ts";
import {
  type CheckedCode,
  type CodeServices,
  dropCodes,
  type EnteredCode,
  requireCodeOf,
  useCode,
} from "../credentials/codes.ts";
import type { PasswordQueue } from "../credentials/password_queue.ts";
import { checkNewPassword, type Passwords } from "../credentials/passwords.ts";
import { Problem } from "../problems.ts";
import { type AccountRecord, ACCOUNTS, DEMO_FIELDS } from "../projects/account_records.ts";
import { and, eq } from "../store/filter.ts";
import type { Change, Id, Transaction } from "../store/port.ts";
import { endAccountSessions } from "./end_account_sessions.ts";
import { deleteAccountTokens } from "./manage_tokens.ts";

/** Succeeds for one of concurrent callers. Throws `INVALID_CODE`, also for a deleted account. */
async function changeByCode(
  tx: Transaction,
  { clock }: CodeServices,
  code: CheckedCode,
  { set = {}, ...change }: Change = {},
): Promise<AccountRecord> {
  await useCode(tx, code);
  const isHolder = and(eq("_id", code.subjectId), eq("email", code.email));
  const changed = await tx.records<AccountRecord>(ACCOUNTS).updateOne(isHolder, {
    set: { ...set, emailVerified: true, updatedAt: timestamp(clock) },
    ...change,
  });
  if (changed === null) throw new Problem("INVALID_CODE");
  return changed.value;
}

interface PasswordServices extends CodeServices {
  readonly passwords: Passwords;
  readonly passwordQueue: PasswordQueue;
}

/** A code, with a password that can prove that the person who enters the code has registered. */
interface Verification extends EnteredCode {
  readonly password?: string | undefined;
}

interface Verifier {
  /** The account of the request's session; null without a session. */
  readonly accountId: Id | null;
  readonly network: string;
}

/**
 * Verifies the e-mail. If the request has neither a session of the account nor its password,
 * another person may have registered; their password, sessions and tokens are removed. Returns
 * whether they were. Throws `INVALID_CODE`, `PASSWORDS_BUSY`, and `PASSWORD_WRONG`, which keeps the
 * code.
 */
export async function verifyAccountEmail(
  services: PasswordServices,
  { password, ...entered }: Verification,
  { accountId, network }: Verifier,
): Promise<{ readonly isPasswordDropped: boolean }> {
  const { engine, passwordQueue } = services;
  const check = () => requireCodeOf(services, { space: "control", purpose: "verify" }, entered);
  const { code, provenHash } = password === undefined
    ? { code: await check(), provenHash: null }
    // The code is checked inside the queue, so that a full queue costs no attempt.
    : await passwordQueue.run(network, async () => {
      const code = await check();
      return { code, provenHash: await requirePassword(services, code, password) };
    });
  return await engine.transaction("control", async (tx) => {
    const before = await tx.records<AccountRecord>(ACCOUNTS).findOne(eq("_id", code.subjectId));
    // The password may have been changed since it was verified.
    if (provenHash !== null && before?.value.passwordHash !== provenHash) {
      throw new Problem("PASSWORD_WRONG");
    }
    const isSamePerson = code.subjectId === accountId || provenHash !== null;
    const isKept = isSamePerson || before?.value.emailVerified === true;
    const account = await changeByCode(tx, services, code, isKept ? {} : DROPPED_PASSWORD);
    if (!isKept) await revokeAccess(tx, account);
    return { isPasswordDropped: !isKept };
  });
}

/** Verifies the password of a code's account and returns its hash. Throws `PASSWORD_WRONG`. */
async function requirePassword(
  { engine, passwords }: PasswordServices,
  { subjectId }: CheckedCode,
  password: string,
): Promise<string> {
  const found = await engine.records<AccountRecord>("control", ACCOUNTS)
    .findOne(eq("_id", subjectId));
  const hash = found?.value.passwordHash ?? null;
  if (hash === null || !await passwords.verify(hash, password)) throw new Problem("PASSWORD_WRONG");
  return hash;
}

const DROPPED_PASSWORD = { set: { passwordHash: null }, unset: DEMO_FIELDS };

async function revokeAccess(tx: Transaction, account: AccountRecord): Promise<void> {
  await dropCodes(tx, "control", account);
  await endAccountSessions(tx, account._id);
  await deleteAccountTokens(tx, account._id);
}

/** Ends sessions, tokens and codes. Throws `INVALID_PASSWORD`, `INVALID_CODE`, `PASSWORDS_BUSY`. */
export async function resetAccountPassword(
  services: PasswordServices,
  { newPassword, ...entered }: EnteredCode & { readonly newPassword: string },
  { network }: { readonly network: string },
): Promise<void> {
  const { engine, passwords, passwordQueue } = services;
  // An invalid password and a full queue are refused first, so that they cost no attempt.
  await checkNewPassword(newPassword, entered.email);
  const { code, passwordHash } = await passwordQueue.run(network, async () => {
    const code = await requireCodeOf(
      services,
      { space: "control", purpose: "resetPassword" },
      entered,
    );
    return { code, passwordHash: await passwords.hash(newPassword) };
  });
  await engine.transaction("control", async (tx) => {
    const change = { set: { passwordHash }, unset: DEMO_FIELDS };
    await revokeAccess(tx, await changeByCode(tx, services, code, change));
  });
}
