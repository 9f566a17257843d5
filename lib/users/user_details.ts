import type { Json } from "../store/port.ts";
import type { UserRecord } from "../auth/users.ts";
import { declaredValues } from "../auth/public_profile.ts";
import { userMembers, userTimes } from "../auth/user_members.ts";
import type { UserField } from "./user_fields.ts";

type UserDetails = { readonly [name: string]: Json };

/** Returns a user as the API shows them to themselves, without internal fields. */
export const toUserDetails = (declared: readonly UserField[], user: UserRecord): UserDetails => ({
  ...userMembers(user),
  ...userTimes(user),
  ...declaredValues(declared, user.fields),
});

/** Returns a user as the API shows them to the project's servers and members. */
export const toManagedUser = (declared: readonly UserField[], user: UserRecord): UserDetails => ({
  ...toUserDetails(declared, user),
  disabled: user.disabled,
});
