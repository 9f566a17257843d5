import { type Clock, timestamp } from "../clock.ts";
import { eq } from "../store/filter.ts";
import type { Actor, Definition, Json, StoredRecord, Transaction } from "../store/port.ts";
import { userMembers, userTimes } from "./user_members.ts";
import type { UserRecord } from "./users.ts";

export type UserEventName = "created" | "changed" | "deleted" | "signedIn";

/** An event, whose `_id` is the user's. */
export type UserEventRecord = StoredRecord & {
  event: UserEventName;
  /** The user as webhooks receive it after the event; null after a deletion. */
  document: Json;
  /** The user before the event; null before the creation. */
  previous: Json;
};

/** Events, inserted and deleted at once, which records them without internal user fields. */
export const USER_EVENTS: Definition = {
  name: "_userEvents",
  fields: {},
  indexes: [],
  trash: false,
  recordedAs: "users",
};

export interface UserEvent {
  readonly event: UserEventName;
  /** Null before the creation. */
  readonly before: UserRecord | null;
  /** Null after the deletion. */
  readonly after: UserRecord | null;
  /** The actor; the user if omitted. */
  readonly actor?: Actor | undefined;
}

/** Records an event in its transaction, unless a change affects only internal fields. */
export async function recordUserEvent(
  tx: Transaction,
  clock: Clock,
  { event, before, after, actor }: UserEvent,
): Promise<void> {
  const [previous, document] = [before && toEventDocument(before), after && toEventDocument(after)];
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
  // The insertion was recorded, so the event is no longer needed.
  await events.deleteOne(eq("_id", _id));
}

const toEventDocument = (user: UserRecord): { [name: string]: Json } => ({
  ...userMembers(user),
  disabled: user.disabled,
  ...user.fields,
});
