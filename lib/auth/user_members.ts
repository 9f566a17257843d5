import type { UserRecord } from "./users.ts";

/** What everybody who may see a whole user sees: no hash, and nothing of how they are found. */
export const userMembers = (user: UserRecord) => ({
  _id: user._id,
  email: user.email,
  emailVerified: user.emailVerified,
  name: user.name,
  username: user.username,
  avatarUrl: user.avatarUrl,
  // Users of earlier versions have no providers, and none is anonymous.
  providers: user.providers ?? [],
  isAnonymous: user.isAnonymous ?? false,
  roles: user.roles ?? [],
  claims: user.claims ?? {},
});

/** Users of earlier versions have no last sign-in. */
export const userTimes = ({ createdAt, updatedAt, lastSignInAt }: UserRecord) => ({
  createdAt,
  updatedAt,
  lastSignInAt: lastSignInAt ?? null,
});
