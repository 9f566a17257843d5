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

/** Proves the e-mail of whoever signed up with it. Throws `INVALID_CODE`. */
export async function verifyEmail(
  services: UserServices,
  projectId: Id,
  entered: EnteredCode,
): Promise<void> {
  const code = await requireCodeOf(services, { space: projectId, purpose: "verify" }, entered);
  await services.engine.transaction(projectId, async (tx) => {
    await useCode(tx, code);
    const user = await addressee(tx, code);
    await change(tx, services, user, { emailVerified: true });
  });
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
 * ones. Throws `INVALID_CODE` and `SIGN_IN_METHOD_OFF`.
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
  const { opened, revoked } = await storedOrRefused(() =>
    engine.transaction(projectId, async (tx) => {
      await useCode(tx, code);
      const holder = await findUserByEmail(tx.records(USERS), code.email);
      let revoked: Id[] = [];
      let userId: Id;
      if (holder === null) {
        if (auth.signUp === "closed") throw new Problem("INVALID_CODE");
        const user = newUser(services, { email: code.email, emailVerified: true, fields });
        await tx.records<UserRecord>(USERS).insert(user);
        await noteUserEvent(tx, services.clock, { event: "created", before: null, after: user });
        userId = user._id;
      } else {
        // The address may have changed hands since the code was sent.
        if (holder.email !== code.email || holder.disabled) throw new Problem("INVALID_CODE");
        userId = holder._id;
        if (!holder.emailVerified) {
          revoked = await reclaim(tx, { projectId, clock }, holder);
          const unproved = { passwordHash: null, providers: [], emailVerified: true };
          await change(tx, services, holder, unproved);
        }
      }
      return { opened: await openUserSession(tx, services, { userId, device }), revoked };
    })
  );
  sessions.forget(projectId, revoked);
  return await withAccessToken(services, projectId, opened);
}
