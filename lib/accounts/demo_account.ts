import { canonicalEmail } from "../emails.ts";
import { and, eq, within } from "../store/filter.ts";
import type { Engine } from "../store/port.ts";
import { endAccountSessions } from "./end_account_sessions.ts";
import { deleteAccountTokens } from "./manage_tokens.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";

export const DEMO_EMAIL = "demo@example.com";

/** The account that `dev` made, while it has the password that `dev` printed. */
const isDemo = and(
  eq("emailLower", canonicalEmail(DEMO_EMAIL)),
  within("demo", ["open", "closed"]),
);

/** Lets the demo account sign in, as `dev` does. */
export async function openDemoAccount({ engine }: { engine: Engine }): Promise<void> {
  await engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(isDemo, { set: { demo: "open" } });
}

/**
 * Lets the demo account sign in no more, and ends its sessions and tokens: its password stood in an
 * output.
 * Resolves to whether there is one. Setting another password makes it an account as any other.
 */
export async function closeDemoAccount({ engine }: { engine: Engine }): Promise<boolean> {
  const accounts = engine.records<AccountRecord>("control", ACCOUNTS);
  if (await accounts.findOne(isDemo) === null) return false;
  return await engine.transaction("control", async (tx) => {
    const closed = await tx.records<AccountRecord>(ACCOUNTS)
      .updateOne(isDemo, { set: { demo: "closed" } });
    if (closed === null) return false;
    await endAccountSessions(tx, closed.value._id);
    await deleteAccountTokens(tx, closed.value._id);
    return true;
  });
}
