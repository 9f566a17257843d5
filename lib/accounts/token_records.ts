import type { Id } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** What a token may do: `read` nothing but GET and HEAD, `write` whatever its account may. */
export const TOKEN_ACCESS = ["read", "write"] as const;

export type TokenAccess = (typeof TOKEN_ACCESS)[number];

/** How far a token goes, in the projects in which its account has a part at the time. */
export interface TokenScope {
  readonly access: TokenAccess;
  readonly projects: "all" | readonly Id[];
}

/** A personal access token, by which a program acts for an account. In the control space. */
export const ACCOUNT_TOKENS = recordKind({
  name: "accountTokens",
  fields: {
    accountId: field.ref,
    /** SHA-256 of the token; the token itself is shown once and kept nowhere. */
    tokenHash: field.text,
    createdAt: field.date,
    expiresAt: field.date,
    /** Moved on at most once an hour; null until it is used. */
    lastUsedAt: nullable(field.date),
    name: field.undeclared<string>(),
    /** By which its owner tells it from others. */
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
