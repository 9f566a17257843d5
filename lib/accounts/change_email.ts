import { timestamp } from "../clock.ts";
import { type CheckedCode, dropCodes, requireCode, useCode } from "../credentials/codes.ts";
import type { PasswordQueue } from "../credentials/password_queue.ts";
import type { Passwords } from "../credentials/passwords.ts";
import type { TryServices } from "../credentials/sign_in_attempts.ts";
import { canonicalEmail } from "../emails.ts";
import type { JobRecord } from "../jobs/jobs.ts";
import type { CodeMailServices } from "../mail/code_mails.ts";
import { enqueueMail, findMailContext, type MailContext } from "../mail/outbox.ts";
import { Problem } from "../problems.ts";
import {
  type AccountPrincipal,
  type AccountRecord,
  ACCOUNTS,
  type SignedInAccount,
} from "../projects/account_records.ts";
import { rejectTakenForms } from "../store/email_records.ts";
import { UniqueViolation } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Id, Transaction } from "../store/port.ts";
import { verifyOwnPassword } from "./own_password.ts";
import { requestAccountCode } from "./send_code.ts";

interface EmailServices extends TryServices, CodeMailServices {
  readonly passwords: Passwords;
  readonly passwordQueue: PasswordQueue;
}

interface EmailChange {
  readonly newEmail: string;
  readonly password: string;
  readonly network: string;
}

/**
 * Sends a code to the new address. If another account has it, nothing is sent and the response is
 * the same. Throws `PASSWORD_WRONG`, `SIGN_IN_LOCKED`, `MAIL_NOT_CONFIGURED` and `PASSWORDS_BUSY`.
 */
export async function changeAccountEmail(
  services: EmailServices,
  principal: SignedInAccount,
  { newEmail, password, network }: EmailChange,
): Promise<void> {
  await services.passwordQueue.run(network, () => verifyOwnPassword(services, principal, password));
  const { accountId: userId } = principal;
  await requestAccountCode(services, { purpose: "emailChange", email: newEmail, userId });
}

/**
 * Sets the address that the code was sent to, as verified, and notifies the old one if it was
 * verified. Throws `INVALID_CODE`, and `ACCOUNT_EXISTS` if another account has taken the address.
 */
export async function confirmAccountEmail(
  services: CodeMailServices,
  { accountId }: AccountPrincipal,
  otp: string,
): Promise<AccountRecord> {
  const { engine, jobRunner } = services;
  const place = { space: "control", purpose: "emailChange", holder: accountId } as const;
  const code = await requireCode(services, place, otp);
  const notice = { kinds: ["emailChanged"], language: null } as const;
  const context = await findMailContext(services, "control", notice);
  if (context !== null) await jobRunner.announce("control");
  try {
    const { account, job } = await engine.transaction(
      "control",
      (tx) => applyEmailChange(tx, services, { accountId, code, context }),
    );
    if (job !== null) jobRunner.begin("control", job);
    return account;
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Problem("ACCOUNT_EXISTS", { cause: error });
    throw error;
  }
}

interface EmailConfirmation {
  readonly accountId: Id;
  readonly code: CheckedCode;
  readonly context: MailContext | null;
}

async function applyEmailChange(
  tx: Transaction,
  services: CodeMailServices,
  { accountId, code, context }: EmailConfirmation,
): Promise<{ account: AccountRecord; job: JobRecord | null }> {
  await useCode(tx, code);
  const accounts = tx.records<AccountRecord>(ACCOUNTS);
  const before = (await accounts.get(accountId))?.value;
  if (before === undefined) throw new Problem("SIGN_IN_REQUIRED");
  const { email } = code;
  await dropCodes(tx, "control", before);
  await rejectTakenForms(accounts, email, accountId);
  const set = { email, emailLower: canonicalEmail(email), emailVerified: true };
  const changed = await accounts.updateOne(eq("_id", accountId), {
    set: { ...set, updatedAt: timestamp(services.clock) },
  });
  // The owner of an unverified address may have no account, so they are not notified.
  const isNews = before.emailVerified === true && before.email !== email;
  const job = isNews && context !== null
    ? await enqueueMail(tx, services, context, {
      kind: "emailChanged",
      to: before.email,
      variables: { email: before.email },
    })
    : null;
  return { account: changed!.value, job }; // The same transaction has read it.
}
