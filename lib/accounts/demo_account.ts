import { randomToken } from "../crypto/random.ts";
import type { KeyRing, SealBinding } from "../crypto/key_ring.ts";
import type { SealedField } from "../crypto/sealed_field.ts";
import { canonicalEmail } from "../emails.ts";
import { and, eq, within } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { endAccountSessions } from "./end_account_sessions.ts";
import { deleteAccountTokens } from "./manage_tokens.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import { createAccount, type CreateServices } from "./register_account.ts";

export const DEMO_EMAIL = "demo@example.com";

const hasDemoEmail = eq("emailLower", canonicalEmail(DEMO_EMAIL));

/** Matches the account that `dev` created, while it has the password that `dev` printed. */
const isDemo = and(hasDemoEmail, within("demo", ["open", "closed"]));

const bindingOf = (accountId: Id): SealBinding => ({
  project: accountId,
  purpose: "password of the demo account",
});

export const DEMO_SEALS: SealedField = {
  definition: ACCOUNTS,
  member: "sealedDemoPassword",
  binding: ({ _id }) => bindingOf(_id),
};

/** Characters of the password: impossible to guess, but short enough to type. */
const PASSWORD_LENGTH = 16;

/** The demo account as `dev` prints it. The password is null after it was changed. */
export interface DemoAccount {
  readonly email: string;
  readonly password: string | null;
}

/** Creates the demo account. Throws `ACCOUNT_EXISTS`. */
export async function createDemoAccount(
  services: CreateServices & { readonly keyRing: KeyRing },
): Promise<DemoAccount & { readonly accountId: Id }> {
  const { engine, keyRing } = services;
  const password = randomToken().slice(0, PASSWORD_LENGTH);
  const given = { email: DEMO_EMAIL, password, name: "Demo", plan: "free", isDemo: true } as const;
  const { _id: accountId } = await createAccount(services, given);
  const sealedDemoPassword = await keyRing.seal(password, bindingOf(accountId));
  await engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(and(eq("_id", accountId), isDemo), { set: { sealedDemoPassword } });
  return { accountId, email: DEMO_EMAIL, password };
}

/** Returns the demo account that an earlier start of `dev` created, or null. */
export async function findDemoAccount(
  { engine, keyRing }: { engine: Engine; keyRing: KeyRing },
): Promise<DemoAccount | null> {
  const found = await engine.records<AccountRecord>("control", ACCOUNTS).findOne(hasDemoEmail);
  if (found === null) return null;
  const { _id, email, sealedDemoPassword: sealed } = found.value;
  return { email, password: sealed ? await keyRing.open(sealed, bindingOf(_id)) : null };
}

/** Allows sign-in to the demo account. Called by `dev`. */
export async function openDemoAccount({ engine }: { engine: Engine }): Promise<void> {
  await engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(isDemo, { set: { demo: "open" } });
}

/** Also ends sessions and tokens, because the password was printed. Returns whether one exists. */
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
