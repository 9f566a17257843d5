import { identityOf, type IdentityRecord } from "../../auth/identities.ts";
import {
  type LinkedProvider,
  type OwnMember,
  USERNAME,
  type UserRecord,
} from "../../auth/users.ts";
import { BCRYPT_COST_MAX, isBcrypt } from "../../credentials/passwords.ts";
import { canonicalEmail, isPlainEmail } from "../../emails.ts";
import { PERSON_NAME_LENGTH_MAX, USER_FIELDS_BYTES_MAX } from "../../limits.ts";
import { toLine, toPictureUrl } from "../../social/profile.ts";
import { exceedsBytes } from "../../store/json_text.ts";
import type { Id, Json } from "../../store/port.ts";
import { exactBytesText } from "../../text/amounts.ts";
import { foreignId } from "./foreign_project.ts";
import type { Notes } from "./notes.ts";

export interface ForeignUser {
  readonly _id: Id;
  /** The address; null as well if another user has it. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly username: string | null;
  readonly avatarUrl: string | null;
  readonly disabled: boolean;
  /** The hash; null as well if Corbel cannot verify its algorithm. */
  readonly passwordHash: string | null;
  readonly providers: readonly LinkedProvider[];
  readonly claims: { [name: string]: Json };
  readonly fields: { [name: string]: Json };
  readonly lastSignInAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const OWN_MEMBERS: readonly OwnMember[] = ["name", "username", "avatarUrl"];

/** Leaves out and notes members that cannot be stored. */
export function toUserRecord(user: ForeignUser, notes: Notes): UserRecord {
  const { _id, emailVerified, disabled, lastSignInAt, createdAt, updatedAt } = user;
  const email = emailOf(user, notes);
  const name = toLine(user.name, PERSON_NAME_LENGTH_MAX);
  const username = usernameOf(user, notes);
  const avatarUrl = toPictureUrl(user.avatarUrl);
  if (user.name && name !== user.name) notes.count("users: names that were shortened to a line");
  if (user.avatarUrl && avatarUrl === null) {
    notes.count("users: pictures left out, because they have no https address");
  }
  return {
    _id,
    emailVerified: email !== null && emailVerified,
    name,
    avatarUrl,
    disabled,
    passwordHash: passwordOf(user, notes),
    providers: [...user.providers],
    // A later sign-in with a provider must not overwrite these members.
    ownMembers: OWN_MEMBERS.filter((member) => ({ name, username, avatarUrl })[member] !== null),
    roles: [],
    claims: user.claims,
    fields: fieldsOf(user, notes),
    lastSignInAt,
    createdAt,
    updatedAt,
    email,
    emailLower: email === null ? null : canonicalEmail(email),
    username,
    usernameLower: username === null ? null : username.toLowerCase(),
  };
}

function emailOf(user: ForeignUser, notes: Notes): string | null {
  const email = user.email?.trim();
  if (!email || isPlainEmail(email)) return email || null;
  notes.count("users: e-mails left out, because they are not plain addresses");
  return null;
}

function usernameOf({ username }: ForeignUser, notes: Notes): string | null {
  if (!username || USERNAME.test(username)) return username || null;
  notes.count("users: usernames left out, because they are invalid in Corbel");
  return null;
}

function passwordOf({ passwordHash }: ForeignUser, notes: Notes): string | null {
  if (passwordHash === null || isBcrypt(passwordHash)) return passwordHash;
  notes.count(
    "users: passwords left out, because their hash is not of bcrypt with a cost from 4 to " +
      `${BCRYPT_COST_MAX}; these users ask for a code`,
  );
  return null;
}

function fieldsOf({ fields }: ForeignUser, notes: Notes): { [name: string]: Json } {
  if (!exceedsBytes(JSON.stringify(fields), USER_FIELDS_BYTES_MAX)) return fields;
  const most = exactBytesText(USER_FIELDS_BYTES_MAX);
  notes.count(`users: fields left out, because they have more than ${most}`);
  return {};
}

/** @param email Address from the provider. */
export const toIdentityRecord = (
  userId: Id,
  { provider, providerUserId }: LinkedProvider,
  email: string | null,
): IdentityRecord => ({
  _id: identityId(provider, providerUserId),
  identity: identityOf(provider, providerUserId),
  userId,
  seen: { email, name: null, username: null, avatarUrl: null },
});

export const identityId = (provider: string, providerUserId: string): Id =>
  foreignId("identity", provider, providerUserId);
