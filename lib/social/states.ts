import type { Definition, StoredRecord } from "../store/port.ts";

/** A sign-in between start and callback. */
export type SignInStateRecord = StoredRecord & {
  /** SHA-256 of the state; the state itself travels and is kept nowhere. */
  stateHash: string;
  provider: string;
  /** SHA-256 of what the browser holds in its cookie. */
  browserHash: string;
  /** What the callback needs and nobody else may know, sealed for this state alone. */
  sealed: string;
  expiresAt: string;
};

/** In each project's space. */
export const SIGN_IN_STATES: Definition = {
  name: "_signInStates",
  fields: {
    stateHash: { type: "String" },
    provider: { type: "String" },
    browserHash: { type: "String" },
    sealed: { type: "String" },
    expiresAt: { type: "Date" },
  },
  indexes: [{ keys: [{ path: "stateHash", descending: false }], unique: true }],
  trash: false,
  expiry: "expiresAt",
};
