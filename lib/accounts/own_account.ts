import { Problem } from "../problems.ts";
import type { Engine, Json } from "../store/port.ts";
import type { AccountPrincipal } from "../projects/account_records.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";

/** The signed-in account's record. Throws `SIGN_IN_REQUIRED` where it was just deleted. */
export async function ownAccount(
  { engine }: { engine: Engine },
  { accountId }: AccountPrincipal,
): Promise<AccountRecord> {
  const account = await engine.records<AccountRecord>("control", ACCOUNTS).get(accountId);
  if (account === null) throw new Problem("SIGN_IN_REQUIRED");
  return account.value;
}

/** An account as it sees itself: of its password nothing, of its AI key that there is one. */
export const shownAccount = (account: AccountRecord): { readonly [name: string]: Json } => ({
  accountId: account._id,
  email: account.email,
  emailVerified: account.emailVerified ?? false,
  name: account.name,
  plan: account.plan,
  hasAiKey: account.sealedAiKey !== null,
  createdAt: account.createdAt,
});
