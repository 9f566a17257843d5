import { timestamp } from "../clock.ts";
import { INVITATIONS } from "../projects/invitations.ts";
import { MEMBERS } from "../projects/members.ts";
import { countInUse } from "../projects/ownership.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, eq } from "../store/filter.ts";
import { Problem } from "../problems.ts";
import type { SignedInAccount } from "../projects/account_records.ts";
import { endAccountSessions } from "./end_account_sessions.ts";
import { deleteAccountTokens } from "./manage_tokens.ts";
import { ownAccount } from "./own_account.ts";
import { dropCodes } from "../credentials/codes.ts";
import type { PasswordQueue } from "../credentials/password_queue.ts";
import { checkNewPassword, type Passwords } from "../credentials/passwords.ts";
import { type AccountRecord, ACCOUNTS, DEMO_MEMBERS } from "../projects/account_records.ts";
import { tryPassword, type TryServices } from "../credentials/sign_in_attempts.ts";

interface PasswordServices extends TryServices {
  readonly passwords: Passwords;
  readonly passwordQueue: PasswordQueue;
}

interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** The network that the request came from, as in the next. */
  readonly network: string;
}

/**
 * Changes the password, drops codes that were sent, and ends all sessions but the one that asks;
 * resolves to how many. Tokens stay: what runs by them is not whom the owner locks out. Throws
 * `PASSWORD_WRONG`, `SIGN_IN_LOCKED`, `INVALID_PASSWORD` and `PASSWORDS_BUSY`.
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
  const account = await ownAccountBy(services, principal, currentPassword);
  await checkNewPassword(newPassword, account.email);
  const passwordHash = await passwords.hash(newPassword);
  return await engine.transaction("control", async (tx) => {
    const changed = await tx.records<AccountRecord>(ACCOUNTS).updateOne(unchanged(account), {
      set: { passwordHash, updatedAt: timestamp(clock) },
      unset: DEMO_MEMBERS,
    });
    if (changed === null) throw new Problem("PASSWORD_WRONG");
    await dropCodes(tx, "control", account);
    return await endAccountSessions(tx, account._id, principal.sessionId);
  });
}

/**
 * Removes the account with its sessions, its tokens, its memberships and the invitations it made. Throws
 * `PASSWORD_WRONG`, `SIGN_IN_LOCKED`, `PASSWORDS_BUSY`, and `ACCOUNT_OWNS_PROJECTS`; projects in the
 * trash do not hold it.
 */
export async function deleteOwnAccount(
  services: PasswordServices,
  principal: SignedInAccount,
  { password, network }: { password: string; network: string },
): Promise<void> {
  const account = await services.passwordQueue
    .run(network, () => ownAccountBy(services, principal, password));
  await services.engine.transaction("control", async (tx) => {
    const deleted = await tx.records<AccountRecord>(ACCOUNTS).deleteOne(unchanged(account));
    if (deleted === null) throw new Problem("PASSWORD_WRONG");
    const owned = await countInUse(tx, account._id);
    if (owned > 0) throw ownsProjects(owned);
    await deleteAll(tx.records(MEMBERS), eq("accountId", account._id));
    await deleteAll(tx.records(INVITATIONS), eq("invitedBy", account._id));
    await endAccountSessions(tx, account._id);
    await deleteAccountTokens(tx, account._id);
  });
}

/** The account with the password that was checked: another change may have come between. */
const unchanged = ({ _id, passwordHash }: AccountRecord) =>
  and(eq("_id", _id), eq("passwordHash", passwordHash));

const ownsProjects = (count: number) =>
  new Problem("ACCOUNT_OWNS_PROJECTS", {
    message: `The account owns ${count} ${count === 1 ? "project" : "projects"}: delete them, or ` +
      "give them to somebody else, first.",
  });

/**
 * The signed-in account, if this is its password. Throws `PASSWORD_WRONG`, and `SIGN_IN_LOCKED` after
 * too many of them in this session: whoever has stolen it does not come by the password too.
 */
export async function ownAccountBy(
  services: TryServices & { readonly passwords: Passwords },
  principal: SignedInAccount,
  password: string,
): Promise<AccountRecord> {
  const account = await ownAccount(services, principal);
  const place = `password in session ${principal.sessionId}`;
  const checked = await tryPassword(services, place, async () => {
    const isRight = await services.passwords.verify(account.passwordHash, password);
    return isRight ? account : null;
  });
  if (checked === null) throw new Problem("PASSWORD_WRONG");
  return checked;
}
