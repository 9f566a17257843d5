import { type Clock, timestamp } from "../clock.ts";
import { findByEmail } from "../store/email_records.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Change, Engine, Id } from "../store/port.ts";
import { endAccountSessions } from "./end_account_sessions.ts";
import { deleteAccountTokens } from "./manage_tokens.ts";
import { dropCodes } from "../credentials/codes.ts";
import { checkNewPassword, type Passwords } from "../credentials/passwords.ts";
import {
  type AccountRecord,
  ACCOUNTS,
  DEMO_FIELDS,
  type PlanName,
} from "../projects/account_records.ts";

interface ManageServices {
  readonly engine: Engine;
  readonly clock: Clock;
}

async function findAccount(
  { engine }: { engine: Engine },
  email: string,
): Promise<AccountRecord> {
  const account = await findByEmail(engine.records<AccountRecord>("control", ACCOUNTS), email);
  if (account === null) throw new Problem("ACCOUNT_NOT_FOUND");
  return account;
}

/** Lists all accounts, newest first. Throws `INVALID_CURSOR`. */
export function listAccounts(
  services: { engine: Engine; cursors: Cursors },
  request: PageRequest,
): Promise<RecordPage<AccountRecord>> {
  return readPage(services, { space: "control", definition: ACCOUNTS }, request);
}

/** Also ends codes, sessions and tokens. Throws `ACCOUNT_NOT_FOUND` and `INVALID_PASSWORD`. */
export async function resetPassword(
  services: ManageServices & { readonly passwords: Passwords },
  { email, password }: { email: string; password: string },
): Promise<Id> {
  const account = await findAccount(services, email);
  await checkNewPassword(password, account.email);
  const passwordHash = await services.passwords.hash(password);
  await updateAccount(services, account._id, { set: { passwordHash }, unset: DEMO_FIELDS }, {
    endsAccess: true,
  });
  return account._id;
}

/** Sets the plan of an account. Throws `ACCOUNT_NOT_FOUND`. */
export async function setPlan(
  services: ManageServices,
  { email, plan }: { email: string; plan: PlanName },
): Promise<Id> {
  const { _id } = await findAccount(services, email);
  await updateAccount(services, _id, { set: { plan } });
  return _id;
}

async function updateAccount(
  { engine, clock }: ManageServices,
  accountId: Id,
  { set, ...change }: Change,
  { endsAccess = false } = {},
): Promise<void> {
  await engine.transaction("control", async (tx) => {
    const changed = await tx.records<AccountRecord>(ACCOUNTS).updateOne(eq("_id", accountId), {
      set: { ...set, updatedAt: timestamp(clock) },
      ...change,
    });
    if (changed === null) throw new Problem("ACCOUNT_NOT_FOUND"); // It was deleted concurrently.
    if (!endsAccess) return;
    await dropCodes(tx, "control", changed.value);
    await endAccountSessions(tx, accountId);
    await deleteAccountTokens(tx, accountId);
  });
}
