import { type Clock, timestamp } from "../clock.ts";
import type { ApiKeyPrincipal } from "../projects/api_keys.ts";
import {
  type CheckedCode,
  dropCodes,
  type EnteredCode,
  requireCodeOf,
  useCode,
} from "../credentials/codes.ts";
import { checkNewPassword } from "../credentials/passwords.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Id, Json, Transaction } from "../store/port.ts";
import { revokeFormerAccess } from "../auth/revoke_former_access.ts";
import { revokeSessions } from "../auth/revoke_sessions.ts";
import { recordUserEvent } from "../auth/user_events.ts";
import { createUserRecord, findUserByEmail, type UserRecord, USERS } from "../auth/users.ts";
import type { UserServices, Visitor } from "./services.ts";
import { runUserWrite } from "./run_user_write.ts";
import { toNewUserFields } from "./user_fields.ts";
import { openUserSession, type UserSession, withAccessToken } from "./user_session.ts";

/** Finds the user of a code if they still have its address. Throws `INVALID_CODE`. */
async function findAddressee(
  tx: Transaction,
  { subjectId, email }: CheckedCode,
): Promise<UserRecord> {
  const isAddressee = and(eq("_id", subjectId), eq("email", email), eq("disabled", false));
  const found = subjectId === null
    ? null
    : await tx.records<UserRecord>(USERS).findOne(isAddressee);
  if (found === null) throw new Problem("INVALID_CODE");
  return found.value;
}

async function updateUser(
  tx: Transaction,
  services: UserServices,
  before: UserRecord,
  set: { readonly [path: string]: Json },
): Promise<void> {
  const changed = await tx.records<UserRecord>(USERS).updateOne(eq("_id", before._id), {
    set: { ...set, updatedAt: timestamp(services.clock) },
  });
  const after = changed!.value; // The same transaction has read it.
  await recordUserEvent(tx, services.clock, { event: "changed", before, after });
}

/** Changes to a user whose mailbox's owner is not the person who signed up. */
const VERIFIED_BY_OWNER = { passwordHash: null, providers: [], emailVerified: true };

/** A code, with a password that can prove that the person who enters the code has signed up. */
interface Verification extends EnteredCode {
  readonly password?: string | undefined;
}

/** The user of the request's access token, or null, and the network of the request. */
interface Verifier extends Pick<Visitor, "network"> {
  readonly userId: Id | null;
}

/**
 * Verifies the e-mail. If the request has neither the user's access token nor password, another
 * person may have signed up; their password, providers and sessions are removed. Returns whether a
 * password was. Throws `INVALID_CODE`, `PASSWORDS_BUSY`, and `WRONG_PASSWORD`, which keeps the
 * code.
 */
export async function verifyEmail(
  services: UserServices,
  projectId: Id,
  { password, ...entered }: Verification,
  { userId, network }: Verifier,
): Promise<{ readonly isPasswordDropped: boolean }> {
  const { engine, clock, sessions, passwordQueue } = services;
  const check = () => requireCodeOf(services, { space: projectId, purpose: "verify" }, entered);
  const { code, provenHash } = password === undefined
    ? { code: await check(), provenHash: null }
    // The code is checked inside the queue, so that a full queue costs no attempt.
    : await passwordQueue.run(network, async () => {
      const code = await check();
      return { code, provenHash: await requirePassword(services, projectId, code, password) };
    });
  const { isPasswordDropped, revoked } = await engine.transaction(projectId, async (tx) => {
    await useCode(tx, code);
    const user = await findAddressee(tx, code);
    const isSamePerson = user._id === userId || provenHash !== null;
    // The password may have been changed since it was verified.
    if (provenHash !== null && user.passwordHash !== provenHash) {
      throw new Problem("WRONG_PASSWORD");
    }
    if (isSamePerson || user.emailVerified) {
      await updateUser(tx, services, user, { emailVerified: true });
      return { isPasswordDropped: false, revoked: [] };
    }
    const revoked = await revokeFormerAccess(tx, { projectId, clock }, user);
    await updateUser(tx, services, user, VERIFIED_BY_OWNER);
    return { isPasswordDropped: user.passwordHash !== null, revoked };
  });
  sessions.forget(projectId, revoked);
  return { isPasswordDropped };
}

/** Verifies the password of a code's user and returns its hash. Throws `WRONG_PASSWORD`. */
async function requirePassword(
  { engine, passwords }: UserServices,
  projectId: Id,
  { subjectId }: CheckedCode,
  password: string,
): Promise<string> {
  const users = engine.records<UserRecord>(projectId, USERS);
  const hash = subjectId === null ? null : (await users.get(subjectId))?.value.passwordHash ?? null;
  if (hash === null || !await passwords.verify(hash, password)) throw new Problem("WRONG_PASSWORD");
  return hash;
}

/**
 * Also verifies the address and ends all sessions. Throws `INVALID_PASSWORD`, `INVALID_CODE`,
 * `SIGN_IN_METHOD_OFF` and `PASSWORDS_BUSY`.
 */
export async function resetPassword(
  services: UserServices,
  { projectId, auth }: ApiKeyPrincipal,
  { newPassword, ...entered }: EnteredCode & { readonly newPassword: string },
  { network }: Pick<Visitor, "network">,
): Promise<void> {
  const { engine, clock, passwords, passwordQueue, sessions } = services;
  if (!auth.password) throw new Problem("SIGN_IN_METHOD_OFF");
  // An invalid password is refused first, so that it costs no attempt.
  await checkNewPassword(newPassword, entered.email, auth.passwordLengthMin);
  // The code is checked inside the queue, so that a full queue costs no attempt.
  const { code, passwordHash } = await passwordQueue.run(network, async () => ({
    code: await requireCodeOf(services, { space: projectId, purpose: "resetPassword" }, entered),
    passwordHash: await passwords.hash(newPassword),
  }));
  const revoked = await engine.transaction(projectId, async (tx) => {
    await useCode(tx, code);
    const user = await findAddressee(tx, code);
    const ended = await revokeAccess(tx, { projectId, clock }, user);
    await updateUser(tx, services, user, {
      passwordHash,
      emailVerified: true,
      ...(!user.emailVerified && { providers: [] }),
    });
    return ended;
  });
  sessions.forget(projectId, revoked);
}

/** Ends sessions and codes, and removes provider links if the address was not verified before. */
async function revokeAccess(
  tx: Transaction,
  context: { readonly projectId: Id; readonly clock: Clock },
  user: UserRecord,
): Promise<Id[]> {
  if (!user.emailVerified) return await revokeFormerAccess(tx, context, user);
  await dropCodes(tx, context.projectId, user);
  return await revokeSessions(tx, context.clock, user._id);
}

/** May create the user. Throws `INVALID_CODE`, `SIGN_IN_METHOD_OFF`, `DOCUMENT_QUOTA_EXCEEDED`. */
export async function signInByCode(
  services: UserServices,
  { projectId, auth }: ApiKeyPrincipal,
  entered: EnteredCode,
  { device }: Pick<Visitor, "device">,
): Promise<UserSession> {
  const { engine, clock, sessions, userFields } = services;
  if (!auth.emailCode) throw new Problem("SIGN_IN_METHOD_OFF");
  const code = await requireCodeOf(services, { space: projectId, purpose: "code" }, entered);
  const fields = toNewUserFields(await userFields.ofProject(projectId), {}, true);
  const { opened, revoked } = await runUserWrite(
    services,
    projectId,
    (quota) =>
      engine.transaction(projectId, async (tx) => {
        await useCode(tx, code);
        const holder = await findUserByEmail(tx.records(USERS), code.email);
        let revoked: Id[] = [];
        let userId: Id;
        if (holder === null) {
          if (auth.signUp === "closed") throw new Problem("INVALID_CODE");
          const user = createUserRecord(services, {
            email: code.email,
            emailVerified: true,
            fields,
          });
          await tx.records<UserRecord>(USERS, { quota }).insert(user);
          await recordUserEvent(tx, services.clock, {
            event: "created",
            before: null,
            after: user,
          });
          userId = user._id;
        } else {
          // The address may belong to another user since the code was sent.
          if (holder.email !== code.email || holder.disabled) throw new Problem("INVALID_CODE");
          userId = holder._id;
          if (!holder.emailVerified) {
            revoked = await revokeFormerAccess(tx, { projectId, clock }, holder);
            await updateUser(tx, services, holder, VERIFIED_BY_OWNER);
          }
        }
        return { opened: await openUserSession(tx, services, { userId, device }), revoked };
      }),
  );
  sessions.forget(projectId, revoked);
  return await withAccessToken(services, projectId, opened);
}
