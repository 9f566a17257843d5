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
import { type AccountRecord, ACCOUNTS, DEMO_MEMBERS } from "../projects/account_records.ts";
import { and, eq } from "../store/filter.ts";
import type { Change, Id, Transaction } from "../store/port.ts";
import { endAccountSessions } from "./end_account_sessions.ts";
import { deleteAccountTokens } from "./manage_tokens.ts";

/**
 * Uses the code up and changes the account that it was sent to, which counts as verified: of many at
 * once one does. Throws `INVALID_CODE`, also where the account is gone.
 */
async function changeBy(
  tx: Transaction,
  { clock }: CodeServices,
  code: CheckedCode,
  { set = {}, ...change }: Change = {},
): Promise<AccountRecord> {
  await useCode(tx, code);
  const its = and(eq("_id", code.subjectId), eq("email", code.email));
  const changed = await tx.records<AccountRecord>(ACCOUNTS).updateOne(its, {
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

/** A code with what may show that the person who enters it also registered. */
interface Verification extends EnteredCode {
  /** The account's password. */
  readonly password?: string | undefined;
}

interface Verifier {
  /** The account whose session the request carries; null without one. */
  readonly accountId: Id | null;
  /** The network that the request came from. */
  readonly network: string;
}

/**
 * Verifies the e-mail of an account. If the request carries neither a session of the account nor its
 * password, the code may have been entered by the owner of the mailbox, who is not the person that
 * registered: then the password, sessions and tokens of that person are dropped. Resolves to whether
 * they were. Throws `INVALID_CODE`, `PASSWORDS_BUSY`, and `PASSWORD_WRONG`, by which the code is not
 * used up.
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
    // A full queue costs none of the code's tries.
    : await passwordQueue.run(network, async () => {
      const code = await check();
      return { code, provenHash: await rightHash(services, code, password) };
    });
  return await engine.transaction("control", async (tx) => {
    const before = await tx.records<AccountRecord>(ACCOUNTS).findOne(eq("_id", code.subjectId));
    // The password may have been changed since it was compared.
    if (provenHash !== null && before?.value.passwordHash !== provenHash) {
      throw new Problem("PASSWORD_WRONG");
    }
    const isSamePerson = code.subjectId === accountId || provenHash !== null;
    const isKept = isSamePerson || before?.value.emailVerified === true;
    const account = await changeBy(tx, services, code, isKept ? {} : DROPPED_PASSWORD);
    if (!isKept) await dropWaysIn(tx, account);
    return { isPasswordDropped: !isKept };
  });
}

/** The hash of the password of the account that a code was sent to. Throws `PASSWORD_WRONG`. */
async function rightHash(
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

const DROPPED_PASSWORD = { set: { passwordHash: null }, unset: DEMO_MEMBERS };

async function dropWaysIn(tx: Transaction, account: AccountRecord): Promise<void> {
  await dropCodes(tx, "control", account);
  await endAccountSessions(tx, account._id);
  await deleteAccountTokens(tx, account._id);
}

/**
 * Gives an account another password, ends all its sessions and tokens, and drops its codes: whoever
 * has the code has the mailbox. Throws `INVALID_PASSWORD`, `INVALID_CODE` and `PASSWORDS_BUSY`.
 */
export async function resetAccountPassword(
  services: PasswordServices,
  { newPassword, ...entered }: EnteredCode & { readonly newPassword: string },
  { network }: { readonly network: string },
): Promise<void> {
  const { engine, passwords, passwordQueue } = services;
  // Neither a password that cannot be chosen nor a full queue costs one of the code's tries.
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
    const change = { set: { passwordHash }, unset: DEMO_MEMBERS };
    await dropWaysIn(tx, await changeBy(tx, services, code, change));
  });
}
