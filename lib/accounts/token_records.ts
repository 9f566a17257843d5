import type { Id } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Access of a token: `read` allows GET and HEAD, `write` allows everything the account may do. */
export const TOKEN_ACCESS = ["read", "write"] as const;

export type TokenAccess = (typeof TOKEN_ACCESS)[number];

/** The access of a token, and the projects of its account for which it is valid. */
export interface TokenScope {
  readonly access: TokenAccess;
  readonly projects: "all" | readonly Id[];
}

/** Personal access tokens, with which programs act for an account. Stored in the control space. */
export const ACCOUNT_TOKENS = recordKind({
  name: "accountTokens",
  fields: {
    accountId: field.ref,
    /** SHA-256 of the token, which is shown once and never stored. */
    tokenHash: field.text,
    createdAt: field.date,
    expiresAt: field.date,
    /** Time of the last use, updated at most once an hour; null until the first use. */
    lastUsedAt: nullable(field.date),
    name: field.undeclared<string>(),
    lastFour: field.undeclared<string>(),
    access: field.undeclared<TokenAccess>(),
    projects: field.undeclared<"all" | Id[]>(),
  },
  indexes: [
    { keys: [{ path: "tokenHash", descending: false }], unique: true },
    { keys: [{ path: "accountId", descending: false }, { path: "createdAt", descending: true }] },
  ],
  trash: false,
  expiry: "expiresAt",
});

export type AccountTokenRecord = RecordOf<typeof ACCOUNT_TOKENS>;
