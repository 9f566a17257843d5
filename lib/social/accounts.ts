import { IDENTITIES, identityOf, type IdentityRecord } from "../auth/identities.ts";
import { reclaim } from "../auth/reclaim.ts";
import { noteUserEvent } from "../auth/user_events.ts";
import {
  findUserByEmail,
  newUser,
  type OwnMember,
  USERNAME,
  type UserRecord,
  USERS,
} from "../auth/users.ts";
import { type Clock, timestamp } from "../clock.ts";
import { canonicalEmail, isSameMailbox } from "../emails.ts";
import type { NewId } from "../ids.ts";
import type { Linking } from "../projects/providers.ts";
import { eq } from "../store/filter.ts";
import type { ByteQuota, Id, Json, Transaction } from "../store/port.ts";
import { SignInFailed } from "./failures.ts";
import type { Profile } from "./provider.ts";

interface LinkContext {
  readonly projectId: Id;
  readonly clock: Clock;
  readonly newId: NewId;
  /** What new users are stored by. */
  readonly quota?: ByteQuota | undefined;
  /** Declared fields of a new user: their defaults. */
  readonly fields: { readonly [name: string]: Json };
}

interface ProviderIdentity {
  readonly provider: string;
  readonly profile: Profile;
  readonly linking: Linking;
  /** Whether the project takes new users. */
  readonly mayCreate: boolean;
}

export interface Account {
  readonly userId: Id;
  readonly isNewUser: boolean;
  /** Whether an account that was there before was found by its e-mail. */
  readonly linkedByEmail: boolean;
  /** Whether nobody had proved its e-mail before, so that all former ways into it were dropped. */
  readonly reclaimed: boolean;
  /** Sessions that ended, for the session directory to forget after the commit. */
  readonly revoked: readonly Id[];
}

/** What most accounts are. */
const PLAIN = { isNewUser: false, linkedByEmail: false, reclaimed: false, revoked: [] } as const;

/** What of a profile is shown, and can be the user's own choice instead. */
const SHOWN: readonly OwnMember[] = ["name", "username", "avatarUrl"];

/**
 * The account of whom a provider has proved. The provider's id of a user says who they are; an e-mail
 * does so only the first time, if the provider has verified it and the project's policy allows it.
 * Throws `SignInFailed` for a disabled user and for a new one where none may come, and
 * `UniqueViolation` when another transaction made the account first.
 */
export async function accountOf(
  tx: Transaction,
  context: LinkContext,
  whom: ProviderIdentity,
): Promise<Account> {
  const identities = tx.records<IdentityRecord>(IDENTITIES);
  const users = tx.records<UserRecord>(USERS);
  const { provider, profile, linking } = whom;
  const identity = identityOf(provider, profile.providerUserId);
  const known = await identities.findOne(eq("identity", identity));
  if (known !== null) {
    const user = await users.get(known.value.userId);
    if (user !== null) return await updateExisting(tx, context, whom, known.value, user.value);
    // The user was deleted: whoever comes back is new.
    await identities.deleteOne(eq("_id", known.value._id));
  }
  const holder = profile.email === null
    ? null
    : await findUserByEmail(tx.records(USERS), profile.email);
  if (linking === "verified" && holder !== null && isSameMailbox(profile.email!, holder.email!)) {
    return await linkIdentity(tx, context, whom, holder);
  }
  if (!whom.mayCreate) throw new SignInFailed("closed");
  return await createUser(tx, context, whom, holder === null ? profile.email : null);
}

async function updateExisting(
  tx: Transaction,
  context: LinkContext,
  whom: ProviderIdentity,
  { _id, seen }: IdentityRecord,
  user: UserRecord,
): Promise<Account> {
  refuseDisabled(user);
  const { profile } = whom;
  const set: Record<string, Json> = await withFreeUsername(
    tx,
    user,
    changesOf(user, seen, profile),
  );
  const { email } = profile;
  const now = seenOf(profile);
  const isNews = email !== null && (email !== seen.email || user.email === null);
  let isProved = false;
  if (isNews && (email !== user.email || !user.emailVerified)) {
    const holder = await findUserByEmail(tx.records(USERS), email);
    isProved = holder === null || holder._id === user._id;
    // What is somebody else's stays theirs, and is still news when it is free one day.
    if (!isProved) now.email = seen.email;
  }
  // A password and other providers may be of the person who typed an unproved address in.
  const reclaimed = isProved && user.email !== null && !user.emailVerified;
  const revoked = reclaimed ? await reclaim(tx, context, user) : [];
  if (isProved) Object.assign(set, verified(email!));
  if (reclaimed) Object.assign(set, { passwordHash: null, providers: [link(context, whom)] });
  if (Object.keys(set).length > 0) await change(tx, context, user, set);
  if (reclaimed) {
    await addIdentity(tx, context, whom, user._id);
  } else if (SEEN.some((member) => now[member] !== seen[member])) {
    const change = { set: { seen: now } };
    await tx.records<IdentityRecord>(IDENTITIES).updateOne(eq("_id", _id), change);
  }
  return { ...PLAIN, userId: user._id, reclaimed, revoked };
}

/**
 * Adds a provider to the account that has its e-mail. If nobody had proved that address before, the
 * account may have been made by somebody else in waiting for its owner: whatever lets that one in
 * is dropped, and what they wrote of themselves too.
 */
async function linkIdentity(
  tx: Transaction,
  context: LinkContext,
  whom: ProviderIdentity,
  user: UserRecord,
): Promise<Account> {
  refuseDisabled(user);
  const { profile } = whom;
  const reclaimed = !user.emailVerified;
  let revoked: Id[] = [];
  let set: Record<string, Json>;
  if (!reclaimed) {
    set = {
      ...await withFreeUsername(tx, user, changesOf(user, profile, profile)),
      providers: [...providersOf(user), link(context, whom)],
    };
  } else {
    revoked = await reclaim(tx, context, user);
    const { name, username, avatarUrl } = profile;
    set = {
      ...await withFreeUsername(tx, user, { name, username, avatarUrl }),
      fields: { ...context.fields },
      ownMembers: [],
      passwordHash: null,
      providers: [link(context, whom)],
      emailVerified: true,
    };
  }
  await change(tx, context, user, set);
  await addIdentity(tx, context, whom, user._id);
  return { userId: user._id, isNewUser: false, linkedByEmail: true, reclaimed, revoked };
}

async function change(
  tx: Transaction,
  context: LinkContext,
  before: UserRecord,
  set: Record<string, Json>,
): Promise<void> {
  const changed = await tx.records<UserRecord>(USERS).updateOne(eq("_id", before._id), {
    set: { ...set, updatedAt: timestamp(context.clock) },
  });
  const after = changed!.value; // Read in the same transaction.
  await noteUserEvent(tx, context.clock, { event: "changed", before, after });
}

/** @param email Verified and free, or null. */
async function createUser(
  tx: Transaction,
  context: LinkContext,
  whom: ProviderIdentity,
  email: string | null,
): Promise<Account> {
  const { name, username, avatarUrl } = whom.profile;
  const user = newUser(context, {
    ...(email !== null && { email, emailVerified: true }),
    name,
    avatarUrl,
    providers: [link(context, whom)],
    fields: { ...context.fields },
  });
  const shown = await withFreeUsername(tx, user, { username });
  const after = { ...user, ...shown };
  await tx.records<UserRecord>(USERS, { quota: context.quota }).insert(after);
  await noteUserEvent(tx, context.clock, { event: "created", before: null, after });
  const { _id: userId } = user;
  await addIdentity(tx, context, whom, userId);
  return { ...PLAIN, userId, isNewUser: true };
}

async function addIdentity(
  tx: Transaction,
  { newId }: LinkContext,
  { provider, profile }: ProviderIdentity,
  userId: Id,
): Promise<void> {
  await tx.records<IdentityRecord>(IDENTITIES).insert({
    _id: newId(),
    identity: identityOf(provider, profile.providerUserId),
    userId,
    seen: seenOf(profile),
  });
}

function refuseDisabled({ disabled }: UserRecord): void {
  if (disabled) throw new SignInFailed("disabled");
}

const verified = (email: string) => ({
  email,
  emailLower: canonicalEmail(email),
  emailVerified: true,
});

const link = (
  { clock }: LinkContext,
  { provider, profile: { providerUserId } }: ProviderIdentity,
) => ({
  provider,
  providerUserId,
  linkedAt: timestamp(clock),
});

/** A provider's username as far as it can be one here, and nobody else has it. */
async function withFreeUsername(
  tx: Transaction,
  user: Pick<UserRecord, "_id" | "username">,
  { username, ...others }: Partial<Record<OwnMember, string | null>>,
): Promise<Record<string, string | null>> {
  if (username === undefined) return others;
  const isFree = username !== null && USERNAME.test(username) &&
    await hasNobodyElse(tx, user._id, username);
  if (isFree) return { ...others, username, usernameLower: username.toLowerCase() };
  // Who has none is not changed by every sign-in with one that cannot be theirs.
  return user.username === null ? others : { ...others, username: null, usernameLower: null };
}

async function hasNobodyElse(tx: Transaction, userId: Id, username: string): Promise<boolean> {
  const holder = await tx.records<UserRecord>(USERS)
    .findOne(eq("usernameLower", username.toLowerCase()));
  return holder === null || holder.value._id === userId;
}

/** Users of earlier versions have no list. */
const providersOf = ({ providers }: UserRecord) => providers ?? [];

type Seen = IdentityRecord["seen"];

const SEEN = ["email", ...SHOWN] as const;

const seenOf = ({ email, name, username, avatarUrl }: Profile): Seen => ({
  email,
  name,
  username,
  avatarUrl,
});

/**
 * What the provider says otherwise than the last time replaces what is stored, and what is not
 * there is filled in; what users have set themselves stays. Where the provider says no more what it
 * said, only what came from it goes.
 */
function changesOf(
  user: UserRecord,
  seen: Pick<Seen, OwnMember>,
  profile: Pick<Profile, OwnMember>,
): Partial<Record<OwnMember, string | null>> {
  const changed = SHOWN.filter((member) => {
    const [stored, said] = [user[member], profile[member]];
    if (user.ownMembers?.includes(member) || said === stored) return false;
    if (said === null) return stored === seen[member];
    return stored === null || said !== seen[member];
  });
  return Object.fromEntries(changed.map((member) => [member, profile[member]]));
}
