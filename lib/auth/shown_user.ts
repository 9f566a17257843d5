import type { Json } from "../store/port.ts";
import type { UserRecord } from "./users.ts";

/** A user as they and the project's servers see them: no hash and no inner note leaves the process. */
export const shownUser = (user: UserRecord): { [name: string]: Json } => ({
  _id: user._id,
  email: user.email,
  emailVerified: user.emailVerified,
  name: user.name,
  username: user.username,
  avatarUrl: user.avatarUrl,
  // Users of earlier versions have no providers and no last sign-in.
  providers: user.providers ?? [],
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
  lastSignInAt: user.lastSignInAt ?? null,
});

/** As servers see them: whether they may sign in is not theirs to read. */
export const managedUser = (user: UserRecord): { [name: string]: Json } => ({
  ...shownUser(user),
  disabled: user.disabled,
});
