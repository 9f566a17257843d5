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
import { reclaim } from "../auth/reclaim.ts";
import { revokeSessions } from "../auth/revoke_sessions.ts";
import { noteUserEvent } from "../auth/user_events.ts";
import { findUserByEmail, newUser, type UserRecord, USERS } from "../auth/users.ts";
import type { UserServices, Visitor } from "./services.ts";
import { storedOrRefused } from "./stored_or_refused.ts";
import { fieldsOfNewUser } from "./user_fields.ts";
import { openUserSession, type UserSession, withAccessToken } from "./user_session.ts";

/** The user whom a code was sent to, if the address is still theirs. Throws `INVALID_CODE`. */
async function addressee(
  tx: Transaction,
  { subjectId, email }: CheckedCode,
): Promise<UserRecord> {
  const its = and(eq("_id", subjectId), eq("email", email), eq("disabled", false));
  const found = subjectId === null ? null : await tx.records<UserRecord>(USERS).findOne(its);
  if (found === null) throw new Problem("INVALID_CODE");
  return found.value;
}

async function change(
  tx: Transaction,
  services: UserServices,
  before: UserRecord,
  set: { readonly [path: string]: Json },
): Promise<void> {
  const changed = await tx.records<UserRecord>(USERS).updateOne(eq("_id", before._id), {
    set: { ...set, updatedAt: timestamp(services.clock) },
  });
  const after = changed!.value; // Read in the same transaction.
  await noteUserEvent(tx, services.clock, { event: "changed", before, after });
}

/** What a user becomes whose address was proved by somebody else than the person who signed up. */
const RECLAIMED = { passwordHash: null, providers: [], emailVerified: true };

/** A code with what may show that the person who enters it also signed up. */
interface Verification extends EnteredCode {
  /** The user's password. */
  readonly password?: string | undefined;
}

/** The user whose access token the request carries, or null, and the network it came from. */
interface Verifier extends Pick<Visitor, "network"> {
  readonly userId: Id | null;
}

/**
 * Verifies a user's e-mail. If the request carries neither the user's access token nor their
 * password, the code may have been entered by the owner of the mailbox, who is not the person that
 * signed up: then the password, providers and sessions of that person are dropped. Resolves to
 * whether a password was dropped. Throws `INVALID_CODE`, `PASSWORDS_BUSY`, and `WRONG_PASSWORD`, by
 * which the code is not used up.
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
    // A full queue costs none of the code's tries.
    : await passwordQueue.run(network, async () => {
      const code = await check();
      return { code, provenHash: await rightHash(services, projectId, code, password) };
    });
  const { isPasswordDropped, revoked } = await engine.transaction(projectId, async (tx) => {
    await useCode(tx, code);
    const user = await addressee(tx, code);
    const isSamePerson = user._id === userId || provenHash !== null;
    // The password may have been changed since it was compared.
    if (provenHash !== null && user.passwordHash !== provenHash) {
      throw new Problem("WRONG_PASSWORD");
    }
    if (isSamePerson || user.emailVerified) {
      await change(tx, services, user, { emailVerified: true });
      return { isPasswordDropped: false, revoked: [] };
    }
    const revoked = await reclaim(tx, { projectId, clock }, user);
    await change(tx, services, user, RECLAIMED);
    return { isPasswordDropped: user.passwordHash !== null, revoked };
  });
  sessions.forget(projectId, revoked);
  return { isPasswordDropped };
}

/** The hash of the password of the user whom a code was sent to. Throws `WRONG_PASSWORD`. */
async function rightHash(
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
 * Gives a user another password, or their first, and ends all their sessions: whoever has the code
 * has the mailbox, so the address counts as verified. Throws `INVALID_PASSWORD`, `INVALID_CODE`,
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
  // A password that cannot be chosen costs none of the code's tries.
  await checkNewPassword(newPassword, entered.email, auth.passwordLengthMin);
  // Nor does a crowd that keeps everybody from having one hashed.
  const { code, passwordHash } = await passwordQueue.run(network, async () => ({
    code: await requireCodeOf(services, { space: projectId, purpose: "resetPassword" }, entered),
    passwordHash: await passwords.hash(newPassword),
  }));
  const revoked = await engine.transaction(projectId, async (tx) => {
    await useCode(tx, code);
    const user = await addressee(tx, code);
    const ended = await dropWaysIn(tx, { projectId, clock }, user);
    await change(tx, services, user, {
      passwordHash,
      emailVerified: true,
      ...(!user.emailVerified && { providers: [] }),
    });
    return ended;
  });
  sessions.forget(projectId, revoked);
}

/** Sessions and codes; where nobody had proved the address before, all other ways into it, too. */
async function dropWaysIn(
  tx: Transaction,
  context: { readonly projectId: Id; readonly clock: Clock },
  user: UserRecord,
): Promise<Id[]> {
  if (!user.emailVerified) return await reclaim(tx, context, user);
  await dropCodes(tx, context.projectId, user);
  return await revokeSessions(tx, context.clock, user._id);
}

/**
 * Signs in by a code, and makes a new user where nobody has the address and the project takes new
 * ones. Throws `INVALID_CODE`, `SIGN_IN_METHOD_OFF` and `DOCUMENT_QUOTA_EXCEEDED`.
 */
export async function signInByCode(
  services: UserServices,
  { projectId, auth }: ApiKeyPrincipal,
  entered: EnteredCode,
  { device }: Pick<Visitor, "device">,
): Promise<UserSession> {
  const { engine, clock, sessions, userFields } = services;
  if (!auth.emailCode) throw new Problem("SIGN_IN_METHOD_OFF");
  const code = await requireCodeOf(services, { space: projectId, purpose: "code" }, entered);
  const fields = fieldsOfNewUser(await userFields.of(projectId), {}, true);
  const { opened, revoked } = await storedOrRefused(
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
          const user = newUser(services, { email: code.email, emailVerified: true, fields });
          await tx.records<UserRecord>(USERS, { quota }).insert(user);
          await noteUserEvent(tx, services.clock, { event: "created", before: null, after: user });
          userId = user._id;
        } else {
          // The address may have changed hands since the code was sent.
          if (holder.email !== code.email || holder.disabled) throw new Problem("INVALID_CODE");
          userId = holder._id;
          if (!holder.emailVerified) {
            revoked = await reclaim(tx, { projectId, clock }, holder);
            await change(tx, services, holder, RECLAIMED);
          }
        }
        return { opened: await openUserSession(tx, services, { userId, device }), revoked };
      }),
  );
  sessions.forget(projectId, revoked);
  return await withAccessToken(services, projectId, opened);
}
