import { type Clock, timestamp } from "../clock.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine } from "../store/port.ts";
import type { SignedInUser } from "./principals.ts";
import { type OwnMember, type UserRecord, USERS } from "./users.ts";

/** The signed-in user's own record. Throws `ACCESS_TOKEN_INVALID` where they were just deleted. */
export async function ownUser(
  { engine }: { engine: Engine },
  { projectId, userId }: SignedInUser,
): Promise<UserRecord> {
  const user = await engine.records<UserRecord>(projectId, USERS).get(userId);
  if (user === null) throw new Problem("ACCESS_TOKEN_INVALID");
  return user.value;
}

/** What a user sets; null takes it away. */
export type OwnChanges = { readonly [name in OwnMember]?: string | null | undefined };

/**
 * Changes what users may set themselves. It is remembered as their own, so that no provider changes
 * it any more. Throws `ACCESS_TOKEN_INVALID` as {@linkcode ownUser} does.
 */
export async function changeOwnUser(
  { engine, clock }: { engine: Engine; clock: Clock },
  { projectId, userId }: SignedInUser,
  given: OwnChanges,
): Promise<UserRecord> {
  const changes = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as { [name in OwnMember]?: string | null }; // Object.fromEntries forgets its keys.
  return await engine.transaction(projectId, async (tx) => {
    const users = tx.records<UserRecord>(USERS);
    const user = await users.get(userId);
    if (user === null) throw new Problem("ACCESS_TOKEN_INVALID");
    const own = new Set([...user.value.ownMembers ?? [], ...Object.keys(changes)]);
    const changed = await users.updateOne(eq("_id", userId), {
      set: { ...changes, ownMembers: [...own], updatedAt: timestamp(clock) },
    });
    return changed!.value; // Read in the same transaction.
  });
}
