import type { AuthSettings } from "../projects/auth_settings.ts";
import { KEY } from "../store/changes.ts";
import type { Actor, Id } from "../store/port.ts";

/** Who calls a project's operations: an application by its key, perhaps for a signed-in user. */
export type Caller =
  | {
    readonly kind: "secret";
    readonly projectId: Id;
    /** Who acts with the rights of the secret key, where it is not the key itself. */
    readonly actor?: Actor;
  }
  | {
    readonly kind: "publishable";
    readonly projectId: Id;
    /** The user of a valid bearer token; null without one. */
    readonly userId: Id | null;
  };

/** A caller with the rights of a project's secret key. */
export interface KeyHolder {
  readonly kind: "secret";
  readonly projectId: Id;
  readonly auth: AuthSettings;
  readonly actor: Actor;
}

/** Who is said to have done what a caller does. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === "secret") return caller.actor ?? KEY;
  // Nothing can be written without a signed-in user.
  return { kind: "user", id: caller.userId! };
}

/** A signed-in user, on the device that their session was opened on. */
export interface SignedInUser {
  readonly projectId: Id;
  readonly userId: Id;
  readonly sessionId: Id;
}
