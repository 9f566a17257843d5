import { type Clock, timestamp } from "../clock.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Json } from "../store/port.ts";
import type { AccountPrincipal } from "../projects/account_records.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import { checkName } from "./register_account.ts";

/** Reads the signed-in account. Throws `SIGN_IN_REQUIRED` if it was deleted. */
export async function getOwnAccount(
  { engine }: { engine: Engine },
  { accountId }: AccountPrincipal,
): Promise<AccountRecord> {
  const account = await engine.records<AccountRecord>("control", ACCOUNTS).get(accountId);
  if (account === null) throw new Problem("SIGN_IN_REQUIRED");
  return account.value;
}

/** Changes or removes the account's name. Throws `INVALID_BODY` and `SIGN_IN_REQUIRED`. */
export async function renameOwnAccount(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: AccountPrincipal,
  name: string | null,
): Promise<AccountRecord> {
  if (name !== null) checkName(name);
  const renamed = await engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", accountId), { set: { name, updatedAt: timestamp(clock) } });
  if (renamed === null) throw new Problem("SIGN_IN_REQUIRED");
  return renamed.value;
}

/** Returns an account as the API shows it to itself, without its password and its AI key. */
export const toAccountDetails = (account: AccountRecord): { readonly [name: string]: Json } => ({
  accountId: account._id,
  email: account.email,
  emailVerified: account.emailVerified ?? false,
  name: account.name,
  plan: account.plan,
  hasAiKey: account.sealedAiKey !== null,
  createdAt: account.createdAt,
});
