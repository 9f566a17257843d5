import { timestamp } from "../clock.ts";
import { dropCodes, requireCode, useCode } from "../credentials/codes.ts";
import { checkNewPassword } from "../credentials/passwords.ts";
import { tryPassword } from "../credentials/sign_in_attempts.ts";
import { canonicalEmail } from "../emails.ts";
import type { JobRecord } from "../jobs/jobs.ts";
import { countNotice, findNoticeContext } from "../mail/admission.ts";
import { enqueueMail, findMailContext, type MailContext } from "../mail/outbox.ts";
import { Problem } from "../problems.ts";
import type { AuthSettings } from "../projects/auth_settings.ts";
import { rejectTakenForms } from "../store/email_records.ts";
import { and, eq } from "../store/filter.ts";
import type { Transaction } from "../store/port.ts";
import type { SignedInUser } from "../auth/principals.ts";
import { revokeSessions } from "../auth/revoke_sessions.ts";
import { recordUserEvent } from "../auth/user_events.ts";
import { type UserRecord, USERS } from "../auth/users.ts";
import { getOwnUser } from "./own_user.ts";
import { requestCode } from "./send_code.ts";
import type { UserServices, Visitor } from "./services.ts";
import { runUserWrite } from "./run_user_write.ts";

interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/**
 * Ends all sessions except the caller's. Throws `WRONG_PASSWORD`, `SIGN_IN_LOCKED`,
 * `INVALID_PASSWORD`, `SIGN_IN_METHOD_OFF` and `PASSWORDS_BUSY`.
 */
export async function changePassword(
  services: UserServices,
  principal: SignedInUser & { readonly auth: AuthSettings },
  { currentPassword, newPassword }: PasswordChange,
  { network }: Pick<Visitor, "network">,
): Promise<void> {
  const { engine, clock, passwords, passwordQueue, sessions } = services;
  const { projectId, auth } = principal;
  if (!auth.password) throw new Problem("SIGN_IN_METHOD_OFF");
  const revoked = await passwordQueue.run(network, async () => {
    const user = await verifyOwnPassword(services, principal, currentPassword);
    await checkNewPassword(newPassword, user.email, auth.passwordLengthMin);
    const passwordHash = await passwords.hash(newPassword);
    return await engine.transaction(projectId, async (tx) => {
      const unchanged = and(eq("_id", user._id), eq("passwordHash", user.passwordHash));
      const changed = await tx.records<UserRecord>(USERS)
        .updateOne(unchanged, { set: { passwordHash, updatedAt: timestamp(clock) } });
      if (changed === null) throw new Problem("WRONG_PASSWORD");
      await dropCodes(tx, projectId, user);
      return await revokeSessions(tx, clock, user._id, principal.sessionId);
    });
  });
  sessions.forget(projectId, revoked);
}

/** Throws `WRONG_PASSWORD`, and `SIGN_IN_LOCKED`, so that a stolen session cannot guess it. */
async function verifyOwnPassword(
  services: UserServices,
  principal: SignedInUser,
  password: string,
): Promise<UserRecord> {
  const user = await getOwnUser(services, principal);
  const place = `user password in session ${principal.sessionId}`;
  const checked = await tryPassword(services, place, async () => {
    const isRight = await services.passwords.verify(user.passwordHash, password);
    return isRight ? user : null;
  });
  if (checked === null) throw new Problem("WRONG_PASSWORD");
  return checked;
}

interface EmailChange {
  readonly newEmail: string;
  /** The current password, required if the user has one. */
  readonly password?: string | undefined;
}

/**
 * Sends a code to the new address. If another user has it, nothing is sent and the response is the
 * same. Throws `WRONG_PASSWORD`, `SIGN_IN_LOCKED`, `MAIL_NOT_CONFIGURED` and `PASSWORDS_BUSY`.
 */
export async function changeEmail(
  services: UserServices,
  principal: SignedInUser,
  { newEmail, password }: EmailChange,
  { network, language }: Pick<Visitor, "network" | "language">,
): Promise<void> {
  const { projectId, userId } = principal;
  const user = await getOwnUser(services, principal);
  if (user.passwordHash !== null) {
    await services.passwordQueue.run(
      network,
      () => verifyOwnPassword(services, principal, password ?? ""),
    );
  }
  const request = { purpose: "emailChange", email: newEmail, language, userId } as const;
  await requestCode(services, projectId, request);
}

/**
 * Sets the address that the code was sent to, and notifies the old one if it was verified. Throws
 * `INVALID_CODE`, and `EMAIL_TAKEN` if another user has taken the address in the meantime.
 */
export async function confirmEmailChange(
  services: UserServices,
  { projectId, userId }: SignedInUser,
  otp: string,
  { language }: Pick<Visitor, "language">,
): Promise<UserRecord> {
  const { engine, clock, jobRunner } = services;
  const place = { space: projectId, purpose: "emailChange", holder: userId } as const;
  const code = await requireCode(services, place, otp);
  const found = await findMailContext(services, projectId, { kinds: ["emailChanged"], language });
  const context = found && await findNoticeContext(services, found, projectId);
  if (context !== null) await jobRunner.announce(projectId);
  const { user, job } = await runUserWrite(
    services,
    projectId,
    () =>
      engine.transaction(projectId, async (tx) => {
        await useCode(tx, code);
        const users = tx.records<UserRecord>(USERS);
        const before = (await users.get(userId))?.value;
        if (before === undefined) throw new Problem("ACCESS_TOKEN_INVALID");
        const { email } = code;
        const emailLower = canonicalEmail(email);
        await dropCodes(tx, projectId, before);
        await rejectTakenForms(users, email, userId);
        const changed = await users.updateOne(eq("_id", userId), {
          set: {
            email,
            emailLower,
            emailVerified: true,
            isAnonymous: false,
            updatedAt: timestamp(clock),
          },
        });
        const after = changed!.value; // The same transaction has read it.
        await recordUserEvent(tx, services.clock, { event: "changed", before, after });
        const job = context && await notifyOldAddress(tx, services, context, { before, email });
        return { user: after, job };
      }),
  );
  if (job !== null) jobRunner.begin(projectId, job);
  return user;
}

/** Skips an unverified address, because its owner may not be the user. */
async function notifyOldAddress(
  tx: Transaction,
  services: UserServices,
  context: MailContext,
  { before, email }: { readonly before: UserRecord; readonly email: string },
): Promise<JobRecord | null> {
  const { email: to, emailVerified } = before;
  if (to === null || !emailVerified || to === email) return null;
  if (!await countNotice(tx, services.clock, context, to)) return null;
  return await enqueueMail(tx, services, context, {
    kind: "emailChanged",
    to,
    variables: { email: to },
  });
}
