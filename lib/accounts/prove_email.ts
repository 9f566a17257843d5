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
import type { Change, Transaction } from "../store/port.ts";
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

/** Proves the e-mail of an account. Throws `INVALID_CODE`. */
export async function verifyAccountEmail(
  services: CodeServices,
  entered: EnteredCode,
): Promise<void> {
  const code = await requireCodeOf(services, { space: "control", purpose: "verify" }, entered);
  await services.engine.transaction("control", (tx) => changeBy(tx, services, code));
}

interface ResetServices extends CodeServices {
  readonly passwords: Passwords;
  readonly passwordQueue: PasswordQueue;
}

/**
 * Gives an account another password, ends all its sessions and tokens, and drops its codes: whoever
 * has the code has the mailbox. Throws `INVALID_PASSWORD`, `INVALID_CODE` and `PASSWORDS_BUSY`.
 */
export async function resetAccountPassword(
  services: ResetServices,
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
    const account = await changeBy(tx, services, code, change);
    await dropCodes(tx, "control", account);
    await endAccountSessions(tx, account._id);
    await deleteAccountTokens(tx, account._id);
  });
}
