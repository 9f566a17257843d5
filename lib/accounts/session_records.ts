import { DEVICE } from "../auth/sessions.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Sessions of accounts in the dashboard, one per device. Stored in the control space. */
export const ACCOUNT_SESSIONS = recordKind({
  name: "accountSessions",
  fields: {
    accountId: field.ref,
    /** SHA-256 of the cookie's value, which is not stored. */
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
