import type { ApiKeyPrincipal } from "../projects/api_keys.ts";
import { isBcrypt } from "../credentials/passwords.ts";
import { trySignIn } from "../credentials/sign_in_attempts.ts";
import { canonicalEmail } from "../emails.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { findUserByEmail, type UserRecord, USERS } from "../auth/users.ts";
import { sendCode } from "../mail/code_mails.ts";
import type { UserServices, Visitor } from "./services.ts";
import { openUserSession, type UserSession, withAccessToken } from "./user_session.ts";

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/**
 * Signs a user in. An unknown e-mail, a wrong password and a disabled user get equal responses,
 * also in time. Replaces a bcrypt hash. Throws `INVALID_CREDENTIALS`, `EMAIL_NOT_VERIFIED` if the
 * password is right, `MAIL_NOT_CONFIGURED`, `SIGN_IN_LOCKED`, `SIGN_IN_METHOD_OFF`,
 * `PASSWORDS_BUSY`.
 */
export async function logIn(
  services: UserServices,
  holder: ApiKeyPrincipal,
  credentials: Credentials,
  visitor: Visitor,
): Promise<UserSession> {
  const { projectId, auth } = holder;
  if (!auth.password) throw new Problem("SIGN_IN_METHOD_OFF");
  const found = await services.passwordQueue
    .run(visitor.network, () => findByCredentials(services, projectId, credentials, visitor));
  if (found === null) throw new Problem("INVALID_CREDENTIALS");
  const { user, newHash } = found;
  if (auth.requireVerifiedEmail && !user.emailVerified) {
    const { _id: subjectId, email } = user;
    const { language } = visitor;
    const target = { purpose: "verify", email: email!, subjectId, language } as const;
    const isSent = await sendCode(services, projectId, target);
    throw new Problem(isSent ? "EMAIL_NOT_VERIFIED" : "MAIL_NOT_CONFIGURED");
  }
  const opened = await services.engine.transaction(projectId, async (tx) => {
    const users = tx.records<UserRecord>(USERS);
    // Conflicts with a concurrent password change or disabling, which ends all sessions.
    const unchanged = and(
      eq("_id", user._id),
      eq("passwordHash", user.passwordHash),
      eq("disabled", false),
    );
    const stored = newHash === null
      ? await users.findOne(unchanged)
      : await users.updateOne(unchanged, { set: { passwordHash: newHash } });
    if (stored === null) return null;
    return await openUserSession(tx, services, { userId: user._id, device: visitor.device });
  });
  if (opened !== null) return await withAccessToken(services, projectId, opened);
  // A concurrent sign-in may have replaced the hash, so the password is verified again.
  if (newHash !== null) return await logIn(services, holder, credentials, visitor);
  throw new Problem("INVALID_CREDENTIALS");
}

interface FoundUser {
  readonly user: UserRecord;
  /** A hash that replaces the stored one; null to keep it. */
  readonly newHash: string | null;
}

/** Finds an enabled user with the credentials. Returns null for every other case. */
async function findByCredentials(
  services: UserServices,
  projectId: Id,
  { email, password }: Credentials,
  { network }: Visitor,
): Promise<FoundUser | null> {
  const { engine, passwords } = services;
  const found = await findUserByEmail(engine.records<UserRecord>(projectId, USERS), email);
  const place = { account: `${projectId} ${canonicalEmail(email)}`, network, device: null };
  const user = await trySignIn(services, place, async () => {
    const isRight = await passwords.verify(found?.passwordHash ?? null, password);
    return isRight && !found!.disabled ? found : null;
  });
  if (user === null) return null;
  return { user, newHash: isBcrypt(user.passwordHash!) ? await passwords.hash(password) : null };
}
