import type { CodePurpose, CodeTarget } from "../credentials/codes.ts";
import { isSameMailbox } from "../emails.ts";
import type { JobKind, JobRecord } from "../jobs/jobs.ts";
import {
  type CodeMailServices,
  type CodeRequest,
  codeRequestOf,
  enqueueCodeRequest,
  noteCodeRequest,
  sendCode,
} from "../mail/code_mails.ts";
import { findMailContext, type OutboxServices } from "../mail/outbox.ts";
import { Problem } from "../problems.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import { findByEmail } from "../store/email_records.ts";
import type { Id, Transaction } from "../store/port.ts";

/** What a code of an account is good for. */
export type AccountCodePurpose = Extract<CodePurpose, "verify" | "resetPassword">;

interface AccountCodeRequest {
  readonly purpose: AccountCodePurpose | "emailChange";
  readonly email: string;
  /** Who asks, of `emailChange`. */
  readonly userId?: Id;
}

/** Mails to accounts are written in one language. */
const ANY_LANGUAGE = { language: null };

/** Whether mails to accounts can be sent, or kept. */
export const canMailAccounts = async (services: OutboxServices): Promise<boolean> =>
  await findMailContext(services, "control", { kinds: [], ...ANY_LANGUAGE }) !== null;

/** Has a code sent to an account, if one has the address. Throws `MAIL_NOT_CONFIGURED`. */
export async function requestAccountCode(
  services: CodeMailServices,
  request: AccountCodeRequest,
): Promise<void> {
  if (!await canMailAccounts(services)) {
    const what = request.purpose === "emailChange"
      ? "can set MAIL_URL."
      : "can set another password by `deno task admin account password`.";
    const message = `This server has no mail server. Whoever runs it ${what}`;
    throw new Problem("MAIL_NOT_CONFIGURED", { message });
  }
  const kind = SEND_ACCOUNT_CODE.name;
  await noteCodeRequest(services, "control", { ...request, ...ANY_LANGUAGE }, kind);
}

/** The same with the account that is to be told, in its transaction. The caller begins the job. */
export const enqueueAccountCode = (
  tx: Transaction,
  services: Pick<CodeMailServices, "clock" | "newId">,
  request: AccountCodeRequest,
): Promise<JobRecord> =>
  enqueueCodeRequest(tx, services, { ...request, ...ANY_LANGUAGE }, SEND_ACCOUNT_CODE.name);

/** Sends the code that was asked for, if an account has the address and the code is good for it. */
export const SEND_ACCOUNT_CODE: JobKind<CodeMailServices> = {
  name: "sendAccountCode",
  atOnce: 4,
  async run(services, space, job) {
    const request = codeRequestOf(job);
    const accounts = services.engine.records<AccountRecord>("control", ACCOUNTS);
    const target = targetOf(request, await findByEmail(accounts, request.email));
    if (target !== null) await sendCode(services, space, { ...request, ...target, job });
    return null;
  },
};

/** Whom the code is for, and the address as it is kept; null for nobody. */
function targetOf(
  { purpose, email, userId }: CodeRequest,
  account: AccountRecord | null,
): CodeTarget | null {
  if (purpose === "emailChange") {
    return account === null || account._id === userId ? { email, subjectId: userId! } : null;
  }
  if (account === null) return null;
  // One that only looks like theirs is somebody else's mailbox.
  if (!isSameMailbox(email, account.email)) return null;
  if (purpose === "verify" && account.emailVerified) return null;
  return { email: account.email, subjectId: account._id };
}
