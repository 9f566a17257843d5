import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { USER_CLAIMS_BYTES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import { exceedsBytes } from "../store/json_text.ts";
import type { Engine, Id, Json, Stored } from "../store/port.ts";
import type { Plans } from "../projects/plans.ts";
import type { SignedInUser } from "../auth/principals.ts";
import { recordUserEvent } from "../auth/user_events.ts";
import { type OwnMember, type UserRecord, USERS } from "../auth/users.ts";
import { exactBytesText } from "../text/amounts.ts";
import {
  checkFieldsSize,
  type Members,
  PROFILE_MEMBERS,
  toChangedFields,
  type UserField,
  type UserFields,
} from "./user_fields.ts";
import { runUserWrite } from "./run_user_write.ts";

/** Reads the signed-in user. Throws `ACCESS_TOKEN_INVALID` if the user was deleted. */
export async function getOwnUser(
  { engine }: { engine: Engine },
  { projectId, userId }: SignedInUser,
): Promise<UserRecord> {
  const user = await engine.records<UserRecord>(projectId, USERS).get(userId);
  if (user === null) throw new Problem("ACCESS_TOKEN_INVALID");
  return user.value;
}

/** Changes that users make to themselves. Null removes a value. */
export type OwnChanges =
  & {
    readonly [name in OwnMember]?: string | null | undefined;
  }
  & {
    /** Values of the fields that the project declares. */
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
 * Keeps providers from changing members that the user has set. Throws `INVALID_BODY`,
 * `USERNAME_TAKEN`, `DOCUMENT_QUOTA_EXCEEDED`, and `ACCESS_TOKEN_INVALID` if the user was deleted.
 */
export async function changeOwnUser(
  services: ProfileServices,
  { projectId, userId }: SignedInUser,
  changes: OwnChanges,
): Promise<UserRecord> {
  const { engine, clock } = services;
  const declared = await services.userFields.ofProject(projectId);
  const set = toProfileUpdate(declared, changes);
  const chosen = PROFILE_MEMBERS.filter((member) => changes[member] !== undefined);
  return await runUserWrite(
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
        const { value: after } = checkUserSize(changed!); // The same transaction has read it.
        await recordUserEvent(tx, services.clock, { event: "changed", before: user, after });
        return after;
      }),
  );
}

/** Returns the stored values of a profile change, by their paths. Throws `INVALID_BODY`. */
export function toProfileUpdate(
  declared: readonly UserField[],
  { fields: given, name, username, avatarUrl }: OwnChanges,
): { [path: string]: Json } {
  const fields = toChangedFields(declared, given);
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

/** Checks the size of a user after a change, in its transaction. Throws `INVALID_BODY`. */
export function checkUserSize(stored: Stored<UserRecord>): Stored<UserRecord> {
  checkFieldsSize(stored.value.fields ?? {});
  return stored;
}

/** Throws `INVALID_BODY` if claims are too large for the access tokens that contain them. */
export function checkClaimsSize(claims: Members | undefined): void {
  if (claims === undefined || !exceedsBytes(JSON.stringify(claims), USER_CLAIMS_BYTES_MAX)) return;
  throw new Problem("INVALID_BODY", {
    message: `"claims" may have up to ${exactBytesText(USER_CLAIMS_BYTES_MAX)} of JSON.`,
    faults: [{
      path: "claims",
      message: `may have up to ${exactBytesText(USER_CLAIMS_BYTES_MAX)} of JSON`,
    }],
  });
}

/** Finds a user by username, ignoring case. Throws `USER_NOT_FOUND`. */
export async function findPublicUser(
  { engine }: { readonly engine: Engine },
  projectId: Id,
  username: string,
): Promise<UserRecord> {
  const named = and(eq("usernameLower", username.toLowerCase()), eq("disabled", false));
  const found = await engine.records<UserRecord>(projectId, USERS).findOne(named);
  if (found === null) throw new Problem("USER_NOT_FOUND");
  return found.value;
}
