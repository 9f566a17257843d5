import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import type { Cursors } from "../paging/cursor.ts";
import { patternProblem } from "../text/pattern.ts";
import { dropCodes } from "../credentials/codes.ts";
import { checkNewPassword } from "../credentials/passwords.ts";
import { canonicalEmail } from "../emails.ts";
import { EMAIL_SEARCH_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { emailFilter, rejectTakenForms } from "../store/email_records.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, eq } from "../store/filter.ts";
import type { AuthSettings } from "../projects/auth_settings.ts";
import type { Actor, Engine, Filter, Id, Json } from "../store/port.ts";
import { IDENTITIES } from "../auth/identities.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { revokeSessions } from "../auth/revoke_sessions.ts";
import { type SessionDirectory, SESSIONS } from "../auth/sessions.ts";
import { recordUserEvent } from "../auth/user_events.ts";
import { createUserRecord, type UserRecord, USERS } from "../auth/users.ts";
import { checkClaimsSize, checkUserSize, type OwnChanges, toProfileUpdate } from "./own_user.ts";
import type { UserServices } from "./services.ts";
import { runUserWrite } from "./run_user_write.ts";
import { toNewUserFields } from "./user_fields.ts";

interface RemovalServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly sessions: SessionDirectory;
}

/** Reads a user. Throws `USER_NOT_FOUND`. */
export async function findUser(
  { engine }: { readonly engine: Engine },
  projectId: Id,
  userId: Id,
): Promise<UserRecord> {
  const user = await engine.records<UserRecord>(projectId, USERS).get(userId);
  if (user === null) throw new Problem("USER_NOT_FOUND");
  return user.value;
}

export interface UserQuery extends PageRequest {
  readonly email?: string | undefined;
  readonly search?: string | undefined;
}

/** Lists users, newest first. Throws `INVALID_QUERY`, `INVALID_CURSOR` and `QueryTooSlow`. */
export async function listUsers(
  services: { engine: Engine; cursors: Cursors },
  projectId: Id,
  request: UserQuery,
): Promise<RecordPage<UserRecord>> {
  const { email, search } = request;
  const asked = and(
    ...(email === undefined ? [] : [emailFilter(email)]),
    ...(search === undefined ? [] : [emailContains(search)]),
  );
  return await readPage(services, { space: projectId, definition: USERS, filter: asked }, request);
}

const PUNCTUATION = /[!-/:-@[-`{-~]/g;

function emailContains(search: string): Filter {
  const pattern = search.replaceAll(PUNCTUATION, "\\$&");
  const problem = search.length > EMAIL_SEARCH_LENGTH_MAX
    ? `is longer than ${EMAIL_SEARCH_LENGTH_MAX} characters`
    : patternProblem(pattern);
  if (problem !== null) throw new Problem("INVALID_QUERY", { message: `"search" ${problem}.` });
  return { op: "regex", path: "email", pattern };
}

export interface ManagedChanges extends OwnChanges {
  readonly email?: string | null | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly password?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly roles?: string[] | undefined;
  readonly claims?: { [name: string]: Json } | undefined;
}

export interface ManagementContext {
  readonly projectId: Id;
  readonly actor: Actor;
  readonly auth: AuthSettings;
  readonly network: string;
}

/**
 * Creates a user. Throws `INVALID_BODY`, `INVALID_PASSWORD`, `PASSWORDS_BUSY`, `EMAIL_TAKEN`,
 * `USERNAME_TAKEN` and `DOCUMENT_QUOTA_EXCEEDED`.
 */
export async function createManagedUser(
  services: UserServices,
  within: ManagementContext,
  { fields: given, password, ...members }: ManagedChanges,
): Promise<UserRecord> {
  const { projectId, actor } = within;
  const fields = toNewUserFields(await services.userFields.ofProject(projectId), given);
  checkClaimsSize(members.claims);
  const givenMembers = Object.entries(members).filter(([, value]) => value !== undefined);
  const passwordHash = await hashNewPassword(services, within, password, members.email ?? null);
  const user = createUserRecord(services, {
    ...Object.fromEntries(givenMembers),
    fields,
    passwordHash,
  });
  await runUserWrite(
    services,
    projectId,
    (quota) =>
      services.engine.transaction(projectId, async (tx) => {
        const users = tx.records<UserRecord>(USERS, { quota });
        await rejectTakenForms(users, user.email, user._id);
        await users.insert(user);
        const event = { event: "created", before: null, after: user, actor } as const;
        await recordUserEvent(tx, services.clock, event);
      }),
  );
  return user;
}

/**
 * Changes a user. A new password, a new e-mail and disabling the user end all their sessions in the
 * same transaction. Throws `USER_NOT_FOUND` and the problems of {@linkcode createManagedUser}.
 */
export async function changeManagedUser(
  services: UserServices,
  within: ManagementContext,
  { userId, changes }: { readonly userId: Id; readonly changes: ManagedChanges },
): Promise<UserRecord> {
  const { engine, clock, sessions } = services;
  const { projectId } = within;
  const { email, password, emailVerified, disabled, roles, claims } = changes;
  checkClaimsSize(claims);
  const declared = await services.userFields.ofProject(projectId);
  const before = await findUser(services, projectId, userId);
  const passwordHash = await hashNewPassword(services, within, password, email ?? before.email);
  const set = {
    ...toProfileUpdate(declared, changes),
    ...(email !== undefined &&
      { email, emailLower: email === null ? null : canonicalEmail(email) }),
    // An address that was only entered is not verified.
    ...(email !== undefined && email !== before.email && { emailVerified: false }),
    ...(emailVerified !== undefined && { emailVerified }),
    ...(passwordHash !== null && { passwordHash }),
    ...((email ?? null) !== null && { isAnonymous: false }),
    ...(disabled !== undefined && { disabled }),
    ...(roles !== undefined && { roles }),
    ...(claims !== undefined && { claims }),
    updatedAt: timestamp(clock),
  };
  const isMoved = email !== undefined && email !== before.email;
  const { user, ended } = await runUserWrite(
    services,
    projectId,
    (quota) =>
      engine.transaction(projectId, async (tx) => {
        const users = tx.records<UserRecord>(USERS, { quota });
        await rejectTakenForms(users, email ?? null, userId);
        const stored = (await users.get(userId))?.value ?? null;
        const changed = await users.updateOne(eq("_id", userId), { set });
        if (changed === null) throw new Problem("USER_NOT_FOUND");
        const { value: after } = checkUserSize(changed);
        await recordUserEvent(tx, services.clock, {
          event: "changed",
          before: stored,
          after,
          actor: within.actor,
        });
        const ends = disabled === true || passwordHash !== null || isMoved;
        const ended = ends ? await revokeSessions(tx, clock, userId) : [];
        if (ends) await dropCodes(tx, projectId, before);
        return { user: changed.value, ended };
      }),
  );
  sessions.forget(projectId, ended);
  return user;
}

/** Validates and hashes a password. Returns null without one. */
async function hashNewPassword(
  { passwords, passwordQueue }: UserServices,
  { auth, network }: ManagementContext,
  password: string | undefined,
  email: string | null,
): Promise<string | null> {
  if (password === undefined) return null;
  await checkNewPassword(password, email, auth.passwordLengthMin);
  return await passwordQueue.run(network, () => passwords.hash(password));
}

/** Ends sessions and links. Documents of the user stay. Throws `USER_NOT_FOUND`. */
export async function deleteUser(
  services: RemovalServices,
  { projectId, actor }: Pick<ManagementContext, "projectId" | "actor">,
  userId: Id,
): Promise<void> {
  const { engine, clock, sessions } = services;
  const ended = await engine.transaction(projectId, async (tx) => {
    const deleted = await tx.records<UserRecord>(USERS).deleteOne(eq("_id", userId));
    if (deleted === null) throw new Problem("USER_NOT_FOUND");
    const event = { event: "deleted", before: deleted.value, after: null, actor } as const;
    await recordUserEvent(tx, services.clock, event);
    const revoked = await revokeSessions(tx, clock, userId);
    await dropCodes(tx, projectId, deleted.value);
    const ofUser = eq("userId", userId);
    await deleteAll(tx.records(SESSIONS), ofUser);
    await deleteAll(tx.records(IDENTITIES), ofUser);
    return revoked;
  });
  sessions.forget(projectId, ended);
}
