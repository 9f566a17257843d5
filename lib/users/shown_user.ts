import type { Json } from "../store/port.ts";
import type { UserRecord } from "../auth/users.ts";
import { shownFields } from "../auth/public_profile.ts";
import { userMembers, userTimes } from "../auth/user_members.ts";
import type { UserField } from "./user_fields.ts";

type Shown = { readonly [name: string]: Json };

/** A user as they see themselves: no hash and no inner note leaves the process. */
export const shownUser = (declared: readonly UserField[], user: UserRecord): Shown => ({
  ...userMembers(user),
  ...userTimes(user),
  ...shownFields(declared, user.fields),
});

/** As the project's servers and members see them. */
export const managedUser = (declared: readonly UserField[], user: UserRecord): Shown => ({
  ...shownUser(declared, user),
  disabled: user.disabled,
});
