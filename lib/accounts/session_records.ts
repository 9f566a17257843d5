import { DEVICE } from "../auth/sessions.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** An account that is signed in to the dashboard on one device, in the control space. */
export const ACCOUNT_SESSIONS = recordKind({
  name: "accountSessions",
  fields: {
    accountId: field.ref,
    /** SHA-256 of the cookie's value; the value itself is kept nowhere. */
    tokenHash: field.text,
    createdAt: field.date,
    lastUsedAt: field.date,
    expiresAt: field.date,
    ...DEVICE,
  },
  indexes: [
    { keys: [{ path: "tokenHash", descending: false }], unique: true },
    { keys: [{ path: "accountId", descending: false }, { path: "createdAt", descending: true }] },
  ],
  trash: false,
  expiry: "expiresAt",
});

export type AccountSessionRecord = RecordOf<typeof ACCOUNT_SESSIONS>;
