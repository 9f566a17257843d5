import { timestamp } from "../clock.ts";
import { INVITATIONS } from "../projects/invitations.ts";
import { MEMBERS } from "../projects/members.ts";
import { countProjectsInUse } from "../projects/ownership.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, eq } from "../store/filter.ts";
import { Problem } from "../problems.ts";
import type { SignedInAccount } from "../projects/account_records.ts";
import { endAccountSessions } from "./end_account_sessions.ts";
import { deleteAccountTokens } from "./manage_tokens.ts";
import { getOwnAccount } from "./own_account.ts";
import { dropCodes } from "../credentials/codes.ts";
import type { PasswordQueue } from "../credentials/password_queue.ts";
import { checkNewPassword, type Passwords } from "../credentials/passwords.ts";
import { type AccountRecord, ACCOUNTS, DEMO_FIELDS } from "../projects/account_records.ts";
import { tryPassword, type TryServices } from "../credentials/sign_in_attempts.ts";

interface PasswordServices extends TryServices {
  readonly passwords: Passwords;
  readonly passwordQueue: PasswordQueue;
}

interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly network: string;
}

/**
 * Ends all other sessions and returns their number. Tokens stay valid: the owner's programs use
 * them. Throws `PASSWORD_WRONG`, `SIGN_IN_LOCKED`, `INVALID_PASSWORD` and `PASSWORDS_BUSY`.
 */
export async function changeOwnPassword(
  services: PasswordServices,
  principal: SignedInAccount,
  change: PasswordChange,
): Promise<number> {
  return await services.passwordQueue
    .run(change.network, () => changePassword(services, principal, change));
}

async function changePassword(
  services: PasswordServices,
  principal: SignedInAccount,
  { currentPassword, newPassword }: PasswordChange,
): Promise<number> {
  const { engine, clock, passwords } = services;
  const account = await verifyOwnPassword(services, principal, currentPassword);
  await checkNewPassword(newPassword, account.email);
  const passwordHash = await passwords.hash(newPassword);
  return await engine.transaction("control", async (tx) => {
    const changed = await tx.records<AccountRecord>(ACCOUNTS).updateOne(hasSamePassword(account), {
      set: { passwordHash, updatedAt: timestamp(clock) },
      unset: DEMO_FIELDS,
    });
    if (changed === null) throw new Problem("PASSWORD_WRONG");
    await dropCodes(tx, "control", account);
    return await endAccountSessions(tx, account._id, principal.sessionId);
  });
}

/**
 * Deletes the account with its sessions and memberships. Throws `PASSWORD_WRONG`, `SIGN_IN_LOCKED`,
 * `PASSWORDS_BUSY`, and `ACCOUNT_OWNS_PROJECTS` if it owns projects outside the trash.
 */
export async function deleteOwnAccount(
  services: PasswordServices,
  principal: SignedInAccount,
  { password, network }: { password: string; network: string },
): Promise<void> {
  const account = await services.passwordQueue
    .run(network, () => verifyOwnPassword(services, principal, password));
  await services.engine.transaction("control", async (tx) => {
    const deleted = await tx.records<AccountRecord>(ACCOUNTS).deleteOne(hasSamePassword(account));
    if (deleted === null) throw new Problem("PASSWORD_WRONG");
    const owned = await countProjectsInUse(tx, account._id);
    if (owned > 0) throw ownsProjectsProblem(owned);
    await deleteAll(tx.records(MEMBERS), eq("accountId", account._id));
    await deleteAll(tx.records(INVITATIONS), eq("invitedBy", account._id));
    await endAccountSessions(tx, account._id);
    await deleteAccountTokens(tx, account._id);
  });
}

/** Matches the account if its password was not changed since it was verified. */
const hasSamePassword = ({ _id, passwordHash }: AccountRecord) =>
  and(eq("_id", _id), eq("passwordHash", passwordHash));

const ownsProjectsProblem = (count: number) =>
  new Problem("ACCOUNT_OWNS_PROJECTS", {
    message: `The account owns ${count} ${count === 1 ? "project" : "projects"}: delete them, or ` +
      "transfer them to another account, first.",
  });

/** Throws `PASSWORD_WRONG`, and `SIGN_IN_LOCKED`, so that a stolen session cannot guess it. */
export async function verifyOwnPassword(
  services: TryServices & { readonly passwords: Passwords },
  principal: SignedInAccount,
  password: string,
): Promise<AccountRecord> {
  const account = await getOwnAccount(services, principal);
  const place = `password in session ${principal.sessionId}`;
  const checked = await tryPassword(services, place, async () => {
    const isRight = await services.passwords.verify(account.passwordHash, password);
    return isRight ? account : null;
  });
  if (checked === null) throw new Problem("PASSWORD_WRONG");
  return checked;
}
