import { IDENTITIES, identityOf, type IdentityRecord } from "../auth/identities.ts";
import { revokeFormerAccess } from "../auth/revoke_former_access.ts";
import { recordUserEvent } from "../auth/user_events.ts";
import {
  createUserRecord,
  findUserByEmail,
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
  readonly quota?: ByteQuota | undefined;
  /** Default values of the declared fields, for a new user. */
  readonly fields: { readonly [name: string]: Json };
}

interface ProviderIdentity {
  readonly provider: string;
  readonly profile: Profile;
  readonly linking: Linking;
  readonly canCreateUser: boolean;
}

export interface ResolvedAccount {
  readonly userId: Id;
  readonly isNewUser: boolean;
  /** Whether an existing user was found by e-mail. */
  readonly linkedByEmail: boolean;
  /** Whether the e-mail was unverified before, so that former sign-in methods were removed. */
  readonly reclaimed: boolean;
  /** Ended sessions, which the caller removes from the session directory after the commit. */
  readonly revoked: readonly Id[];
}

/** The result for an existing user whose sign-in methods did not change. */
const UNCHANGED = {
  isNewUser: false,
  linkedByEmail: false,
  reclaimed: false,
  revoked: [],
} as const;

/** Members of a profile that users can set themselves. */
const PROFILE_MEMBERS: readonly OwnMember[] = ["name", "username", "avatarUrl"];

/**
 * Finds or creates the user whom a provider has authenticated. The provider's id identifies the
 * user; a verified e-mail does so only at the first sign-in, if the policy allows. Throws
 * `SignInFailed` for a disabled user or closed sign-up, and `UniqueViolation` for a concurrent
 * creation.
 */
export async function resolveAccount(
  tx: Transaction,
  context: LinkContext,
  proven: ProviderIdentity,
): Promise<ResolvedAccount> {
  const identities = tx.records<IdentityRecord>(IDENTITIES);
  const users = tx.records<UserRecord>(USERS);
  const { provider, profile, linking } = proven;
  const identity = identityOf(provider, profile.providerUserId);
  const linked = await identities.findOne(eq("identity", identity));
  if (linked !== null) {
    const user = await users.get(linked.value.userId);
    if (user !== null) return await updateExisting(tx, context, proven, linked.value, user.value);
    // The user was deleted, so the person becomes a new user.
    await identities.deleteOne(eq("_id", linked.value._id));
  }
  const holder = profile.email === null
    ? null
    : await findUserByEmail(tx.records(USERS), profile.email);
  if (linking === "verified" && holder !== null && isSameMailbox(profile.email!, holder.email!)) {
    return await linkIdentity(tx, context, proven, holder);
  }
  if (!proven.canCreateUser) throw new SignInFailed("closed");
  return await createUser(tx, context, proven, holder === null ? profile.email : null);
}

async function updateExisting(
  tx: Transaction,
  context: LinkContext,
  proven: ProviderIdentity,
  { _id, seen }: IdentityRecord,
  user: UserRecord,
): Promise<ResolvedAccount> {
  refuseDisabled(user);
  const { profile } = proven;
  const set: Record<string, Json> = await withFreeUsername(
    tx,
    user,
    profileChanges(user, seen, profile),
  );
  const { email } = profile;
  const now = toSeenProfile(profile);
  const isNewEmail = email !== null && (email !== seen.email || user.email === null);
  let isVerified = false;
  if (isNewEmail && (email !== user.email || !user.emailVerified)) {
    const holder = await findUserByEmail(tx.records(USERS), email);
    isVerified = holder === null || holder._id === user._id;
    // The address belongs to another user. Keeping the old value retries it at later sign-ins.
    if (!isVerified) now.email = seen.email;
  }
  // The password and other providers may belong to the person who entered an unverified address.
  const reclaimed = isVerified && user.email !== null && !user.emailVerified;
  const revoked = reclaimed ? await revokeFormerAccess(tx, context, user) : [];
  if (isVerified) Object.assign(set, verifiedEmail(email!));
  if (reclaimed) Object.assign(set, { passwordHash: null, providers: [toLink(context, proven)] });
  if (Object.keys(set).length > 0) await change(tx, context, user, set);
  if (reclaimed) {
    await addIdentity(tx, context, proven, user._id);
  } else if (SEEN_MEMBERS.some((member) => now[member] !== seen[member])) {
    const updateUser = { set: { seen: now } };
    await tx.records<IdentityRecord>(IDENTITIES).updateOne(eq("_id", _id), updateUser);
  }
  return { ...UNCHANGED, userId: user._id, reclaimed, revoked };
}

/** Removes methods and profile at an unverified address: another person may have set them. */
async function linkIdentity(
  tx: Transaction,
  context: LinkContext,
  proven: ProviderIdentity,
  user: UserRecord,
): Promise<ResolvedAccount> {
  refuseDisabled(user);
  const { profile } = proven;
  const reclaimed = !user.emailVerified;
  let revoked: Id[] = [];
  let set: Record<string, Json>;
  if (!reclaimed) {
    set = {
      ...await withFreeUsername(tx, user, profileChanges(user, profile, profile)),
      providers: [...providersOf(user), toLink(context, proven)],
    };
  } else {
    revoked = await revokeFormerAccess(tx, context, user);
    const { name, username, avatarUrl } = profile;
    set = {
      ...await withFreeUsername(tx, user, { name, username, avatarUrl }),
      fields: { ...context.fields },
      ownMembers: [],
      passwordHash: null,
      providers: [toLink(context, proven)],
      emailVerified: true,
    };
  }
  await change(tx, context, user, set);
  await addIdentity(tx, context, proven, user._id);
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
  const after = changed!.value; // The same transaction has read it.
  await recordUserEvent(tx, context.clock, { event: "changed", before, after });
}

/** Creates a user. @param email A verified address that no user has, or null. */
async function createUser(
  tx: Transaction,
  context: LinkContext,
  proven: ProviderIdentity,
  email: string | null,
): Promise<ResolvedAccount> {
  const { name, username, avatarUrl } = proven.profile;
  const user = createUserRecord(context, {
    ...(email !== null && { email, emailVerified: true }),
    name,
    avatarUrl,
    providers: [toLink(context, proven)],
    fields: { ...context.fields },
  });
  const usernames = await withFreeUsername(tx, user, { username });
  const after = { ...user, ...usernames };
  await tx.records<UserRecord>(USERS, { quota: context.quota }).insert(after);
  await recordUserEvent(tx, context.clock, { event: "created", before: null, after });
  const { _id: userId } = user;
  await addIdentity(tx, context, proven, userId);
  return { ...UNCHANGED, userId, isNewUser: true };
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
    seen: toSeenProfile(profile),
  });
}

function refuseDisabled({ disabled }: UserRecord): void {
  if (disabled) throw new SignInFailed("disabled");
}

const verifiedEmail = (email: string) => ({
  email,
  emailLower: canonicalEmail(email),
  emailVerified: true,
});

const toLink = (
  { clock }: LinkContext,
  { provider, profile: { providerUserId } }: ProviderIdentity,
) => ({
  provider,
  providerUserId,
  linkedAt: timestamp(clock),
});

/** Replaces an invalid or taken username by null, or omits it if the user has none. */
async function withFreeUsername(
  tx: Transaction,
  user: Pick<UserRecord, "_id" | "username">,
  { username, ...others }: Partial<Record<OwnMember, string | null>>,
): Promise<Record<string, string | null>> {
  if (username === undefined) return others;
  const isFree = username !== null && USERNAME.test(username) &&
    await isUsernameFree(tx, user._id, username);
  if (isFree) return { ...others, username, usernameLower: username.toLowerCase() };
  // A user without a username is not updated at every sign-in with an unusable one.
  return user.username === null ? others : { ...others, username: null, usernameLower: null };
}

async function isUsernameFree(tx: Transaction, userId: Id, username: string): Promise<boolean> {
  const holder = await tx.records<UserRecord>(USERS)
    .findOne(eq("usernameLower", username.toLowerCase()));
  return holder === null || holder.value._id === userId;
}

/** Returns the linked providers. Users of earlier versions lack the field. */
const providersOf = ({ providers }: UserRecord) => providers ?? [];

type SeenProfile = IdentityRecord["seen"];

const SEEN_MEMBERS = ["email", ...PROFILE_MEMBERS] as const;

const toSeenProfile = ({ email, name, username, avatarUrl }: Profile): SeenProfile => ({
  email,
  name,
  username,
  avatarUrl,
});

/** Replaces or removes values that came from the provider. Values that the user has set stay. */
function profileChanges(
  user: UserRecord,
  seen: Pick<SeenProfile, OwnMember>,
  profile: Pick<Profile, OwnMember>,
): Partial<Record<OwnMember, string | null>> {
  const changed = PROFILE_MEMBERS.filter((member) => {
    const [stored, provided] = [user[member], profile[member]];
    if (user.ownMembers?.includes(member) || provided === stored) return false;
    if (provided === null) return stored === seen[member];
    return stored === null || provided !== seen[member];
  });
  return Object.fromEntries(changed.map((member) => [member, profile[member]]));
}
