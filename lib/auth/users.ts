import { type Clock, timestamp } from "../clock.ts";
import { canonicalEmail } from "../emails.ts";
import type { NewId } from "../ids.ts";
import { USERNAME_LENGTH_MAX, USERNAME_LENGTH_MIN } from "../limits.ts";
import { findByEmail } from "../store/email_records.ts";
import { ALL } from "../store/filter.ts";
import type { Engine, Id, Json, Records } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** What users may set themselves. */
export type OwnMember = "name" | "username" | "avatarUrl";

/** A type and no interface, so that it is JSON to the compiler. */
export type LinkedProvider = {
  provider: string;
  /** The provider's own id of the user, which never changes. */
  providerUserId: string;
  linkedAt: string;
};

/** What access tokens say of a user, beside who they are. */
export interface UserMarks {
  readonly roles: readonly string[];
  readonly claims: { readonly [name: string]: Json };
}

/** An end user of a project. In each project's space. */
export const USERS = recordKind({
  name: "_users",
  fields: {
    /** As given; unique within the project by `emailLower`. Null if no provider verified one. */
    email: nullable(field.text),
    /** `canonicalEmail` of it; records of earlier versions have international domains in Unicode. */
    emailLower: nullable(field.text),
    emailVerified: field.flag,
    name: nullable(field.text),
    username: nullable(field.text),
    /** What nobody else may have; null where the username is none of their own, as one of a provider's. */
    usernameLower: optional(nullable(field.text)),
    avatarUrl: nullable(field.text),
    disabled: field.flag,
    lastSignInAt: nullable(field.date),
    createdAt: field.date,
    updatedAt: field.date,
    /** Whether they have told nothing yet by which they could sign in again. */
    isAnonymous: optional(field.undeclared<boolean>()),
    /** Null for a user who never set one. */
    passwordHash: field.undeclared<string | null>(),
    /** How they sign in; `_identities` finds them by these. */
    providers: field.undeclared<LinkedProvider[]>(),
    /** What they set themselves, which no provider changes any more. */
    ownMembers: field.undeclared<OwnMember[]>(),
    /** What a project calls them, for its rules. */
    roles: optional(field.undeclared<string[]>()),
    claims: optional(field.undeclared<{ [name: string]: Json }>()),
    /** Fields that the project has declared for its users. */
    fields: optional(field.undeclared<{ [name: string]: Json }>()),
  },
  indexes: [
    { keys: [{ path: "emailLower", descending: false }], unique: true },
    { keys: [{ path: "usernameLower", descending: false }], unique: true },
    { keys: [{ path: "createdAt", descending: false }] },
  ],
  trash: false,
  counted: true,
});

export type UserRecord = RecordOf<typeof USERS>;

/** What a username looks like. No two users have the same one, whatever the case of its letters. */
export const USERNAME_PATTERN = `^[A-Za-z0-9_.-]{${USERNAME_LENGTH_MIN},${USERNAME_LENGTH_MAX}}$`;

export const USERNAME = new RegExp(USERNAME_PATTERN);

/** What a project calls a user: users of earlier versions have no roles and no claims. */
export const marksOf = ({ roles = [], claims = {} }: UserRecord): UserMarks => ({ roles, claims });

/** What is known of somebody who becomes a user; all else is empty. */
export type GivenUser = Partial<
  Pick<
    UserRecord,
    | "email"
    | "emailVerified"
    | "name"
    | "username"
    | "avatarUrl"
    | "isAnonymous"
    | "disabled"
    | "passwordHash"
    | "providers"
    | "ownMembers"
    | "roles"
    | "claims"
    | "fields"
  >
>;

export function newUser(
  { clock, newId }: { readonly clock: Clock; readonly newId: NewId },
  given: GivenUser,
): UserRecord {
  const { email = null, username = null } = given;
  const now = timestamp(clock);
  return {
    _id: newId(),
    emailVerified: false,
    name: null,
    avatarUrl: null,
    disabled: false,
    passwordHash: null,
    providers: [],
    ownMembers: [],
    lastSignInAt: null,
    createdAt: now,
    updatedAt: now,
    ...given,
    email,
    emailLower: email === null ? null : canonicalEmail(email),
    username,
    usernameLower: username === null ? null : username.toLowerCase(),
  };
}

/** The user with an e-mail address, or with one that looks like it. */
export const findUserByEmail = (
  users: Records<UserRecord>,
  email: string,
): Promise<UserRecord | null> => findByEmail(users, email);

/** How many users a project has: an estimate where the engine would have to look at each. */
export async function countUsers(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<number> {
  const query = { filter: ALL, sort: [], limit: 1, total: "estimate" } as const;
  return (await engine.records<UserRecord>(projectId, USERS).list(query)).total ?? 0;
}
