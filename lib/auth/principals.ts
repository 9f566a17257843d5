import type { Id } from "../store/port.ts";

/** Who calls a project's operations: an application by its key, perhaps for a signed-in user. */
export type Caller =
  | { readonly kind: "secret"; readonly projectId: Id }
  | {
    readonly kind: "publishable";
    readonly projectId: Id;
    /** The user of a valid bearer token; null without one. */
    readonly userId: Id | null;
  };

/** A signed-in user, on the device that their session was opened on. */
export interface SignedInUser {
  readonly projectId: Id;
  readonly userId: Id;
  readonly sessionId: Id;
}
