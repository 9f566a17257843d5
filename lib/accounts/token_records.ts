import type { Definition, Id, StoredRecord } from "../store/port.ts";

/** What a token may do: `read` nothing but GET and HEAD, `write` whatever its account may. */
export const TOKEN_ACCESS = ["read", "write"] as const;

export type TokenAccess = (typeof TOKEN_ACCESS)[number];

/** How far a token goes, in the projects in which its account has a part at the time. */
export interface TokenScope {
  readonly access: TokenAccess;
  readonly projects: "all" | readonly Id[];
}

/** A personal access token, by which a program acts for an account. */
export type AccountTokenRecord = StoredRecord & {
  accountId: Id;
  name: string;
  /** SHA-256 of the token; the token itself is shown once and kept nowhere. */
  tokenHash: string;
  /** By which its owner tells it from others. */
  lastFour: string;
  access: TokenAccess;
  projects: "all" | Id[];
  createdAt: string;
  expiresAt: string;
  /** Moved on at most once an hour; null until it is used. */
  lastUsedAt: string | null;
};

/** In the control space. */
export const ACCOUNT_TOKENS: Definition = {
  name: "accountTokens",
  fields: {
    accountId: { type: "Ref" },
    tokenHash: { type: "String" },
    createdAt: { type: "Date" },
    expiresAt: { type: "Date" },
    lastUsedAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "tokenHash", descending: false }], unique: true },
    { keys: [{ path: "accountId", descending: false }, { path: "createdAt", descending: true }] },
  ],
  trash: false,
  expiry: "expiresAt",
};
