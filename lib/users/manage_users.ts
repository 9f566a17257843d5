import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import type { Cursors } from "../paging/cursor.ts";
import { patternProblem } from "../text/pattern.ts";
import { dropCodes } from "../credentials/codes.ts";
import { checkNewPassword } from "../credentials/passwords.ts";
import { canonicalEmail } from "../emails.ts";
import { EMAIL_SEARCH_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { hasEmail, refuseTakenForms } from "../store/email_records.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, eq } from "../store/filter.ts";
import type { AuthSettings } from "../projects/auth_settings.ts";
import type { Actor, Engine, Filter, Id, Json } from "../store/port.ts";
import { IDENTITIES } from "../auth/identities.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { revokeSessions } from "../auth/revoke_sessions.ts";
import { type SessionDirectory, SESSIONS } from "../auth/sessions.ts";
import { noteUserEvent } from "../auth/user_events.ts";
import { newUser, type UserRecord, USERS } from "../auth/users.ts";
import { boundedUser, checkClaims, type OwnChanges, profileChange } from "./own_user.ts";
import type { UserServices } from "./services.ts";
import { storedOrRefused } from "./stored_or_refused.ts";
import { fieldsOfNewUser } from "./user_fields.ts";

interface RemovalServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly sessions: SessionDirectory;
}

/** Throws `USER_NOT_FOUND`. */
export async function findUser(
  { engine }: { readonly engine: Engine },
  projectId: Id,
  userId: Id,
): Promise<UserRecord> {
  const user = await engine.records<UserRecord>(projectId, USERS).get(userId);
  if (user === null) throw new Problem("USER_NOT_FOUND");
  return user.value;
}

export interface UserQuestion extends PageRequest {
  readonly email?: string | undefined;
  readonly search?: string | undefined;
}

/**
 * The users, the newest first: all of them, the one of an `email`, or those in whose e-mail a
 * `search` text stands; both in any letter case. Throws `INVALID_QUERY`, `INVALID_CURSOR` and
 * `QueryTooSlow`.
 */
export async function listUsers(
  services: { engine: Engine; cursors: Cursors },
  projectId: Id,
  request: UserQuestion,
): Promise<RecordPage<UserRecord>> {
  const { email, search } = request;
  const asked = and(
    ...(email === undefined ? [] : [hasEmail(email)]),
    ...(search === undefined ? [] : [containing(search)]),
  );
  return await readPage(services, { space: projectId, definition: USERS, asked }, request);
}

const PUNCTUATION = /[!-/:-@[-`{-~]/g;

function containing(search: string): Filter {
  const pattern = search.replaceAll(PUNCTUATION, "\\$&");
  const problem = search.length > EMAIL_SEARCH_LENGTH_MAX
    ? `is longer than ${EMAIL_SEARCH_LENGTH_MAX} characters`
    : patternProblem(pattern);
  if (problem !== null) throw new Problem("INVALID_QUERY", { message: `"search" ${problem}.` });
  return { op: "regex", path: "email", pattern };
}

/** What a project's servers and members set of a user. */
export interface ManagedChanges extends OwnChanges {
  readonly email?: string | null | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly password?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly roles?: string[] | undefined;
  readonly claims?: { [name: string]: Json } | undefined;
}

/** Whose settings hold for a user, who acts, and from where the request came. */
export interface ManagedIn {
  readonly projectId: Id;
  readonly actor: Actor;
  readonly auth: AuthSettings;
  readonly network: string;
}

/**
 * Makes a user. Throws `INVALID_BODY`, `INVALID_PASSWORD`, `PASSWORDS_BUSY`, `EMAIL_TAKEN`,
 * `USERNAME_TAKEN` and `DOCUMENT_QUOTA_EXCEEDED`.
 */
export async function createManagedUser(
  services: UserServices,
  within: ManagedIn,
  { fields: given, password, ...members }: ManagedChanges,
): Promise<UserRecord> {
  const { projectId, actor } = within;
  const fields = fieldsOfNewUser(await services.userFields.of(projectId), given);
  checkClaims(members.claims);
  const known = Object.entries(members).filter(([, value]) => value !== undefined);
  const passwordHash = await hashed(services, within, password, members.email ?? null);
  const user = newUser(services, { ...Object.fromEntries(known), fields, passwordHash });
  await storedOrRefused(
    services,
    projectId,
    (quota) =>
      services.engine.transaction(projectId, async (tx) => {
        const users = tx.records<UserRecord>(USERS, { quota });
        await refuseTakenForms(users, user.email, user._id);
        await users.insert(user);
        const event = { event: "created", before: null, after: user, actor } as const;
        await noteUserEvent(tx, services.clock, event);
      }),
  );
  return user;
}

/**
 * Changes a user. Another password, another e-mail, and disabling them, end all their sessions in
 * the same transaction. Throws `USER_NOT_FOUND`, and as {@linkcode createManagedUser} does.
 */
export async function changeManagedUser(
  services: UserServices,
  within: ManagedIn,
  { userId, changes }: { readonly userId: Id; readonly changes: ManagedChanges },
): Promise<UserRecord> {
  const { engine, clock, sessions } = services;
  const { projectId } = within;
  const { email, password, emailVerified, disabled, roles, claims } = changes;
  checkClaims(claims);
  const declared = await services.userFields.of(projectId);
  const before = await findUser(services, projectId, userId);
  const passwordHash = await hashed(services, within, password, email ?? before.email);
  const set = {
    ...profileChange(declared, changes),
    ...(email !== undefined &&
      { email, emailLower: email === null ? null : canonicalEmail(email) }),
    // Nobody has proved an address that was only typed in.
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
  const { user, ended } = await storedOrRefused(
    services,
    projectId,
    (quota) =>
      engine.transaction(projectId, async (tx) => {
        const users = tx.records<UserRecord>(USERS, { quota });
        await refuseTakenForms(users, email ?? null, userId);
        const was = (await users.get(userId))?.value ?? null;
        const changed = await users.updateOne(eq("_id", userId), { set });
        if (changed === null) throw new Problem("USER_NOT_FOUND");
        const { value: after } = boundedUser(changed);
        await noteUserEvent(tx, services.clock, {
          event: "changed",
          before: was,
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

/** The hash of a password that may be chosen; null where none is given. */
async function hashed(
  { passwords, passwordQueue }: UserServices,
  { auth, network }: ManagedIn,
  password: string | undefined,
  email: string | null,
): Promise<string | null> {
  if (password === undefined) return null;
  await checkNewPassword(password, email, auth.passwordLengthMin);
  return await passwordQueue.run(network, () => passwords.hash(password));
}

/**
 * Removes a user, their sessions and what providers know them by, all or nothing; whoever signs in as
 * the same person later is new. Documents that they own stay. Throws `USER_NOT_FOUND`.
 */
export async function deleteUser(
  services: RemovalServices,
  { projectId, actor }: Pick<ManagedIn, "projectId" | "actor">,
  userId: Id,
): Promise<void> {
  const { engine, clock, sessions } = services;
  const ended = await engine.transaction(projectId, async (tx) => {
    const deleted = await tx.records<UserRecord>(USERS).deleteOne(eq("_id", userId));
    if (deleted === null) throw new Problem("USER_NOT_FOUND");
    const event = { event: "deleted", before: deleted.value, after: null, actor } as const;
    await noteUserEvent(tx, services.clock, event);
    const revoked = await revokeSessions(tx, clock, userId);
    await dropCodes(tx, projectId, deleted.value);
    const theirs = eq("userId", userId);
    await deleteAll(tx.records(SESSIONS), theirs);
    await deleteAll(tx.records(IDENTITIES), theirs);
    return revoked;
  });
  sessions.forget(projectId, ended);
}
