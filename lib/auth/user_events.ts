import { type Clock, timestamp } from "../clock.ts";
import { eq } from "../store/filter.ts";
import type { Actor, Definition, Json, StoredRecord, Transaction } from "../store/port.ts";
import { userMembers, userTimes } from "./user_members.ts";
import type { UserRecord } from "./users.ts";

/** What became of a user: what webhooks are told. */
export type UserEventName = "created" | "changed" | "deleted" | "signedIn";

/** Its `_id` is the user's. */
export type UserEventRecord = StoredRecord & {
  event: UserEventName;
  /** The user as a project's servers see them; null where there was or is none. */
  document: Json;
  previous: Json;
};

/**
 * In each project's space, though none stays there. Users are no documents, and the record of changes
 * is to hold nothing that only Corbel may know of them: so it is these that are recorded, under a
 * name that no collection has.
 */
export const USER_EVENTS: Definition = {
  name: "_userEvents",
  fields: {},
  indexes: [],
  trash: false,
  recordedAs: "users",
};

export interface UserEvent {
  readonly event: UserEventName;
  /** Null before they were created. */
  readonly before: UserRecord | null;
  /** Null once they are deleted. */
  readonly after: UserRecord | null;
  /** The user themselves, if left out. */
  readonly actor?: Actor | undefined;
}

/** In the transaction of what became of them. A change that nobody would see is none. */
export async function noteUserEvent(
  tx: Transaction,
  clock: Clock,
  { event, before, after, actor }: UserEvent,
): Promise<void> {
  const [previous, document] = [before && told(before), after && told(after)];
  if (event === "changed" && JSON.stringify(previous) === JSON.stringify(document)) return;
  const { _id } = (after ?? before)!;
  const by = { actor: actor ?? { kind: "user", id: _id }, at: timestamp(clock) } as const;
  const events = tx.records<UserEventRecord>(USER_EVENTS, { by });
  await events.insert({
    _id,
    event,
    document: document && { ...document, ...userTimes(after!) },
    previous: previous && { ...previous, ...userTimes(before!) },
  });
  // Its making is recorded: that is what it was for.
  await events.deleteOne(eq("_id", _id));
}

const told = (user: UserRecord): { [name: string]: Json } => ({
  ...userMembers(user),
  disabled: user.disabled,
  ...user.fields,
});
