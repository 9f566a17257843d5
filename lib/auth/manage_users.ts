import { type Clock, timestamp } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { patternProblem } from "../text/pattern.ts";
import { canonicalEmail } from "../emails.ts";
import { EMAIL_SEARCH_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { IDENTITIES } from "./identities.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { revokeSessions } from "./revoke_sessions.ts";
import { type SessionDirectory, SESSIONS } from "./sessions.ts";
import { type UserRecord, USERS } from "./users.ts";

/** What a project's servers do with its users. */
export interface UserServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly sessions: SessionDirectory;
}

/** Throws `USER_NOT_FOUND`. */
export async function findUser(
  { engine }: Pick<UserServices, "engine">,
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
  const filter = and(
    ...(email === undefined ? [] : [eq("emailLower", canonicalEmail(email))]),
    ...(search === undefined ? [] : [containing(search)]),
  );
  const records = services.engine.records<UserRecord>(projectId, USERS);
  const list = { projectId, name: USERS.name, records, asked: filter, filter };
  return await readPage(services, list, request);
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

/**
 * Lets a user sign in, or no more. Disabling ends their sessions in the same transaction. Throws
 * `USER_NOT_FOUND`.
 */
export async function setDisabled(
  { engine, clock, sessions }: UserServices,
  projectId: Id,
  { userId, disabled }: { userId: Id; disabled: boolean },
): Promise<UserRecord> {
  const { user, ended } = await engine.transaction(projectId, async (tx) => {
    const changed = await tx.records<UserRecord>(USERS)
      .updateOne(eq("_id", userId), { set: { disabled, updatedAt: timestamp(clock) } });
    if (changed === null) throw new Problem("USER_NOT_FOUND");
    const ended = disabled ? await revokeSessions(tx, clock, userId) : [];
    return { user: changed.value, ended };
  });
  sessions.forget(projectId, ended);
  return user;
}

/**
 * Removes a user, their sessions and what providers know them by, all or nothing; whoever signs in as
 * the same person later is new. Documents that they own stay. Throws `USER_NOT_FOUND`.
 */
export async function deleteUser(
  { engine, clock, sessions }: UserServices,
  projectId: Id,
  userId: Id,
): Promise<void> {
  const ended = await engine.transaction(projectId, async (tx) => {
    const deleted = await tx.records<UserRecord>(USERS).deleteOne(eq("_id", userId));
    if (deleted === null) throw new Problem("USER_NOT_FOUND");
    const revoked = await revokeSessions(tx, clock, userId);
    const theirs = eq("userId", userId);
    await deleteAll(tx.records(SESSIONS), theirs);
    await deleteAll(tx.records(IDENTITIES), theirs);
    return revoked;
  });
  sessions.forget(projectId, ended);
}
