import type { AuthSettings } from "../projects/auth_settings.ts";
import { KEY } from "../store/changes.ts";
import type { Actor, Id } from "../store/port.ts";

/** The caller of a project's operations: an application, possibly for a signed-in user. */
export type Caller =
  | {
    readonly kind: "secret";
    readonly projectId: Id;
    /** The actor that has the permissions of the secret key, if it is not the key itself. */
    readonly actor?: Actor;
  }
  | {
    readonly kind: "publishable";
    readonly projectId: Id;
    /** The user of a valid bearer token; null without one. */
    readonly userId: Id | null;
  };

export interface KeyHolder {
  readonly kind: "secret";
  readonly projectId: Id;
  readonly auth: AuthSettings;
  readonly actor: Actor;
}

/** Returns the actor that is recorded for a caller's changes. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === "secret") return caller.actor ?? KEY;
  // Without a secret key, only signed-in users can write.
  return { kind: "user", id: caller.userId! };
}

export interface SignedInUser {
  readonly projectId: Id;
  readonly userId: Id;
  readonly sessionId: Id;
}
