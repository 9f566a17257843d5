import type { Device } from "../auth/sessions.ts";
import type { Definition, Id, StoredRecord } from "../store/port.ts";

/** An account that is signed in to the dashboard on one device. */
export type AccountSessionRecord = StoredRecord & {
  accountId: Id;
  /** SHA-256 of the cookie's value; the value itself is kept nowhere. */
  tokenHash: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
} & Device;

/** In the control space. */
export const ACCOUNT_SESSIONS: Definition = {
  name: "accountSessions",
  fields: {
    accountId: { type: "Ref" },
    tokenHash: { type: "String" },
    createdAt: { type: "Date" },
    lastUsedAt: { type: "Date" },
    expiresAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "tokenHash", descending: false }], unique: true },
    { keys: [{ path: "accountId", descending: false }, { path: "createdAt", descending: true }] },
  ],
  trash: false,
  expiry: "expiresAt",
};
