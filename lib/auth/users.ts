import { type Clock, timestamp } from "../clock.ts";
import { canonicalEmail } from "../emails.ts";
import type { NewId } from "../ids.ts";
import { USERNAME_LENGTH_MAX, USERNAME_LENGTH_MIN } from "../limits.ts";
import { findByEmail } from "../store/email_records.ts";
import { ALL } from "../store/filter.ts";
import type { Engine, Id, Json, Records } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

export type OwnMember = "name" | "username" | "avatarUrl";

/** A type instead of an interface, so that it is assignable to `Json`. */
export type LinkedProvider = {
  provider: string;
  /** The user's id at the provider, which never changes. */
  providerUserId: string;
  linkedAt: string;
};

/** Roles and claims of a user, which access tokens contain. */
export interface RolesAndClaims {
  readonly roles: readonly string[];
  readonly claims: { readonly [name: string]: Json };
}

/** End users of a project. Stored in the project's space. */
export const USERS = recordKind({
  name: "_users",
  fields: {
    /** The address as it was entered; null if no provider verified one. */
    email: nullable(field.text),
    /** Unique: `canonicalEmail` of the address. Earlier versions stored domains in Unicode. */
    emailLower: nullable(field.text),
    emailVerified: field.flag,
    name: nullable(field.text),
    username: nullable(field.text),
    /** Unique: the username in lower case; null if the username comes from a provider. */
    usernameLower: optional(nullable(field.text)),
    avatarUrl: nullable(field.text),
    disabled: field.flag,
    lastSignInAt: nullable(field.date),
    createdAt: field.date,
    updatedAt: field.date,
    /** Whether the user has no credentials with which they could sign in again. */
    isAnonymous: optional(field.undeclared<boolean>()),
    /** Hash of the password; null without one. */
    passwordHash: field.undeclared<string | null>(),
    /** Linked providers. `_identities` has an index of them. */
    providers: field.undeclared<LinkedProvider[]>(),
    /** Members that the user has set, which providers no longer change. */
    ownMembers: field.undeclared<OwnMember[]>(),
    roles: optional(field.undeclared<string[]>()),
    claims: optional(field.undeclared<{ [name: string]: Json }>()),
    /** Values of the fields that the project declares for its users. */
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

/** Pattern of usernames, which are unique regardless of case. */
export const USERNAME_PATTERN = `^[A-Za-z0-9_.-]{${USERNAME_LENGTH_MIN},${USERNAME_LENGTH_MAX}}$`;

export const USERNAME = new RegExp(USERNAME_PATTERN);

/** Returns roles and claims of a user. Users of earlier versions lack both. */
export const rolesAndClaimsOf = ({ roles = [], claims = {} }: UserRecord): RolesAndClaims => ({
  roles,
  claims,
});

/** Members of a new user. Omitted members are empty. */
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

export function createUserRecord(
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

/** Finds a user by e-mail, or by an address that looks the same. */
export const findUserByEmail = (
  users: Records<UserRecord>,
  email: string,
): Promise<UserRecord | null> => findByEmail(users, email);

/** Counts a project's users. Returns an estimate if an exact count would read all users. */
export async function countUsers(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<number> {
  const query = { filter: ALL, sort: [], limit: 1, total: "estimate" } as const;
  return (await engine.records<UserRecord>(projectId, USERS).list(query)).total ?? 0;
}
