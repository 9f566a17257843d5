import type { CodePurpose, CodeTarget } from "../credentials/codes.ts";
import { isSameMailbox } from "../emails.ts";
import type { JobKind, JobRecord } from "../jobs/jobs.ts";
import {
  type CodeMailServices,
  type CodeRequest,
  codeRequestOf,
  enqueueCodeRequest,
  sendCode,
  storeCodeRequest,
} from "../mail/code_mails.ts";
import { findMailContext, type OutboxServices } from "../mail/outbox.ts";
import { Problem } from "../problems.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import { findByEmail } from "../store/email_records.ts";
import type { Id, Transaction } from "../store/port.ts";

export type AccountCodePurpose = Extract<CodePurpose, "verify" | "resetPassword">;

interface AccountCodeRequest {
  readonly purpose: AccountCodePurpose | "emailChange";
  readonly email: string;
  /** The account that requests an `emailChange`. */
  readonly userId?: Id;
}

/** The language of mails to accounts, which exist in one language only. */
const ANY_LANGUAGE = { language: null };

/** Whether mails to accounts can be sent, or stored in the outbox. */
export const canMailAccounts = async (services: OutboxServices): Promise<boolean> =>
  await findMailContext(services, "control", { kinds: [], ...ANY_LANGUAGE }) !== null;

/** Requests a code for an account with the address, if any. Throws `MAIL_NOT_CONFIGURED`. */
export async function requestAccountCode(
  services: CodeMailServices,
  request: AccountCodeRequest,
): Promise<void> {
  if (!await canMailAccounts(services)) {
    const what = request.purpose === "emailChange"
      ? "can set MAIL_URL."
      : "can set another password by `deno task admin account password`.";
    const message = `This server has no mail server. Its operator ${what}`;
    throw new Problem("MAIL_NOT_CONFIGURED", { message });
  }
  const kind = SEND_ACCOUNT_CODE.name;
  await storeCodeRequest(services, "control", { ...request, ...ANY_LANGUAGE }, kind);
}

/** Requests a code in the transaction that inserts the account. The caller must start the job. */
export const enqueueAccountCode = (
  tx: Transaction,
  services: Pick<CodeMailServices, "clock" | "newId">,
  request: AccountCodeRequest,
): Promise<JobRecord> =>
  enqueueCodeRequest(tx, services, { ...request, ...ANY_LANGUAGE }, SEND_ACCOUNT_CODE.name);

/** Sends a requested code if an account has the address and can use the code. */
export const SEND_ACCOUNT_CODE: JobKind<CodeMailServices> = {
  name: "sendAccountCode",
  atOnce: 4,
  async run(services, space, job) {
    const request = codeRequestOf(job);
    const accounts = services.engine.records<AccountRecord>("control", ACCOUNTS);
    const target = findCodeTarget(request, await findByEmail(accounts, request.email));
    if (target !== null) await sendCode(services, space, { ...request, ...target, job });
    return null;
  },
};

/** Returns the account and the stored address for a code, or null if none must be sent. */
function findCodeTarget(
  { purpose, email, userId }: CodeRequest,
  account: AccountRecord | null,
): CodeTarget | null {
  if (purpose === "emailChange") {
    return account === null || account._id === userId ? { email, subjectId: userId! } : null;
  }
  if (account === null) return null;
  // An address that only looks similar is another person's mailbox.
  if (!isSameMailbox(email, account.email)) return null;
  if (purpose === "verify" && account.emailVerified) return null;
  return { email: account.email, subjectId: account._id };
}
