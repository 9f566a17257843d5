import type { ApiKeyPrincipal } from "../projects/api_keys.ts";
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
 * Signs a user in by their password. An unknown e-mail, a wrong password and a disabled user are one
 * answer and take one time. Throws `INVALID_CREDENTIALS`, `EMAIL_NOT_VERIFIED` where the password is
 * right, `SIGN_IN_LOCKED`, `SIGN_IN_METHOD_OFF` and `PASSWORDS_BUSY`.
 */
export async function logIn(
  services: UserServices,
  { projectId, auth }: ApiKeyPrincipal,
  credentials: Credentials,
  visitor: Visitor,
): Promise<UserSession> {
  if (!auth.password) throw new Problem("SIGN_IN_METHOD_OFF");
  const found = await services.passwordQueue
    .run(visitor.network, () => userBy(services, projectId, credentials, visitor));
  if (found === null) throw new Problem("INVALID_CREDENTIALS");
  if (auth.requireVerifiedEmail && !found.emailVerified) {
    const { _id: subjectId, email } = found;
    const { language } = visitor;
    const target = { purpose: "verify", email: email!, subjectId, language } as const;
    const isSent = await sendCode(services, projectId, target);
    throw new Problem(isSent ? "EMAIL_NOT_VERIFIED" : "MAIL_NOT_CONFIGURED");
  }
  const opened = await services.engine.transaction(projectId, async (tx) => {
    // Whoever changes the password or disables the user in this moment ends every session: this
    // one comes before.
    const unchanged = and(
      eq("_id", found._id),
      eq("passwordHash", found.passwordHash),
      eq("disabled", false),
    );
    if (await tx.records<UserRecord>(USERS).findOne(unchanged) === null) return null;
    return await openUserSession(tx, services, { userId: found._id, device: visitor.device });
  });
  if (opened === null) throw new Problem("INVALID_CREDENTIALS");
  return await withAccessToken(services, projectId, opened);
}

/** The user whose credentials these are; null for whatever is wrong. */
async function userBy(
  services: UserServices,
  projectId: Id,
  { email, password }: Credentials,
  { network }: Visitor,
): Promise<UserRecord | null> {
  const users = services.engine.records<UserRecord>(projectId, USERS);
  const found = await findUserByEmail(users, email);
  const place = { account: `${projectId} ${canonicalEmail(email)}`, network, device: null };
  return await trySignIn(services, place, async () => {
    const isRight = await services.passwords.verify(found?.passwordHash ?? null, password);
    return isRight && !found!.disabled ? found : null;
  });
}
