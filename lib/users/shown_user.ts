import type { Json } from "../store/port.ts";
import type { UserRecord } from "../auth/users.ts";
import { shownFields } from "../auth/public_profile.ts";
import type { UserField } from "./user_fields.ts";

type Shown = { readonly [name: string]: Json };

/** A user as they see themselves: no hash and no inner note leaves the process. */
export const shownUser = (declared: readonly UserField[], user: UserRecord): Shown => ({
  _id: user._id,
  email: user.email,
  emailVerified: user.emailVerified,
  name: user.name,
  username: user.username,
  avatarUrl: user.avatarUrl,
  // Users of earlier versions have no providers and no last sign-in, and none is anonymous.
  providers: user.providers ?? [],
  isAnonymous: user.isAnonymous ?? false,
  roles: user.roles ?? [],
  claims: user.claims ?? {},
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
  lastSignInAt: user.lastSignInAt ?? null,
  ...shownFields(declared, user.fields),
});

/** As the project's servers and members see them. */
export const managedUser = (declared: readonly UserField[], user: UserRecord): Shown => ({
  ...shownUser(declared, user),
  disabled: user.disabled,
});
