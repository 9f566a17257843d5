import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { USER_CLAIMS_BYTES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import { exceedsBytes } from "../store/json_text.ts";
import type { Engine, Id, Json, Stored } from "../store/port.ts";
import type { Plans } from "../projects/plans.ts";
import type { SignedInUser } from "../auth/principals.ts";
import { noteUserEvent } from "../auth/user_events.ts";
import { type OwnMember, type UserRecord, USERS } from "../auth/users.ts";
import { exactBytesText } from "../text/amounts.ts";
import {
  bounded,
  changedFields,
  type Members,
  PROFILE,
  type UserField,
  type UserFields,
} from "./user_fields.ts";
import { storedOrRefused } from "./stored_or_refused.ts";

/** The signed-in user's own record. Throws `ACCESS_TOKEN_INVALID` where they were just deleted. */
export async function ownUser(
  { engine }: { engine: Engine },
  { projectId, userId }: SignedInUser,
): Promise<UserRecord> {
  const user = await engine.records<UserRecord>(projectId, USERS).get(userId);
  if (user === null) throw new Problem("ACCESS_TOKEN_INVALID");
  return user.value;
}

/** What a user sets of themselves; null takes it away. */
export type OwnChanges =
  & {
    readonly [name in OwnMember]?: string | null | undefined;
  }
  & {
    /** Those that the project has declared. */
    readonly fields: Members;
  };

interface ProfileServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly userFields: UserFields;
  readonly plans: Plans;
}

/**
 * Changes what users may set themselves. It is remembered as their own, so that no provider changes
 * it any more. Throws `INVALID_BODY`, `USERNAME_TAKEN`,
 * `DOCUMENT_QUOTA_EXCEEDED`, and `ACCESS_TOKEN_INVALID` as {@linkcode ownUser} does.
 */
export async function changeOwnUser(
  services: ProfileServices,
  { projectId, userId }: SignedInUser,
  changes: OwnChanges,
): Promise<UserRecord> {
  const { engine, clock } = services;
  const declared = await services.userFields.of(projectId);
  const set = profileChange(declared, changes);
  const chosen = PROFILE.filter((member) => changes[member] !== undefined);
  return await storedOrRefused(
    services,
    projectId,
    (quota) =>
      engine.transaction(projectId, async (tx) => {
        const users = tx.records<UserRecord>(USERS, { quota });
        const user = (await users.get(userId))?.value;
        if (user === undefined) throw new Problem("ACCESS_TOKEN_INVALID");
        const own = new Set([...user.ownMembers ?? [], ...chosen]);
        const changed = await users.updateOne(eq("_id", userId), {
          set: { ...set, ownMembers: [...own], updatedAt: timestamp(clock) },
        });
        const { value: after } = boundedUser(changed!); // Read in the same transaction.
        await noteUserEvent(tx, services.clock, { event: "changed", before: user, after });
        return after;
      }),
  );
}

/** What is stored for a change of a profile, by its paths. Throws `INVALID_BODY`. */
export function profileChange(
  declared: readonly UserField[],
  { fields: given, name, username, avatarUrl }: OwnChanges,
): { [path: string]: Json } {
  const fields = changedFields(declared, given);
  return {
    ...(name !== undefined && { name }),
    ...(username !== undefined && {
      username,
      usernameLower: username === null ? null : username.toLowerCase(),
    }),
    ...(avatarUrl !== undefined && { avatarUrl }),
    ...Object.fromEntries(Object.entries(fields).map(([key, value]) => [`fields.${key}`, value])),
  };
}

/** In the transaction of a change, which a refusal undoes. */
export function boundedUser(stored: Stored<UserRecord>): Stored<UserRecord> {
  bounded(stored.value.fields ?? {});
  return stored;
}

/** Claims stand in every access token. Throws `INVALID_BODY`. */
export function checkClaims(claims: Members | undefined): void {
  if (claims === undefined || !exceedsBytes(JSON.stringify(claims), USER_CLAIMS_BYTES_MAX)) return;
  throw new Problem("INVALID_BODY", {
    message: `"claims" may have up to ${exactBytesText(USER_CLAIMS_BYTES_MAX)} of JSON.`,
    faults: [{
      path: "claims",
      message: `may have up to ${exactBytesText(USER_CLAIMS_BYTES_MAX)} of JSON`,
    }],
  });
}

/** The user with this username, in whatever letter case. Throws `USER_NOT_FOUND`. */
export async function publicUser(
  { engine }: { readonly engine: Engine },
  projectId: Id,
  username: string,
): Promise<UserRecord> {
  const named = and(eq("usernameLower", username.toLowerCase()), eq("disabled", false));
  const found = await engine.records<UserRecord>(projectId, USERS).findOne(named);
  if (found === null) throw new Problem("USER_NOT_FOUND");
  return found.value;
}
