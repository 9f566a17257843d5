import type { UserRecord } from "./users.ts";

/** Returns the members for callers with access to all of them, without internal fields. */
export const userMembers = (user: UserRecord) => ({
  _id: user._id,
  email: user.email,
  emailVerified: user.emailVerified,
  name: user.name,
  username: user.username,
  avatarUrl: user.avatarUrl,
  // Users of earlier versions lack these fields.
  providers: user.providers ?? [],
  isAnonymous: user.isAnonymous ?? false,
  roles: user.roles ?? [],
  claims: user.claims ?? {},
});

/** Returns the times of a user. Users of earlier versions lack the last sign-in. */
export const userTimes = ({ createdAt, updatedAt, lastSignInAt }: UserRecord) => ({
  createdAt,
  updatedAt,
  lastSignInAt: lastSignInAt ?? null,
});
