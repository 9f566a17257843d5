import type { Definition, Id, StoredRecord } from "../store/port.ts";

/** One refresh token. It is used once; those of one session are a family, and fall together. */
export type RefreshTokenRecord = StoredRecord & {
  sessionId: Id;
  /** SHA-256 of the secret part; the token itself is kept nowhere. */
  secretHash: string;
  /** When it was first used; null before. */
  usedAt: string | null;
  /** How often it came again within the grace of its first use. */
  siblings: number;
  /** When the session ends, however often it is refreshed. */
  sessionEndsAt: string;
  expiresAt: string;
};

/** In each project's space. */
export const REFRESH_TOKENS: Definition = {
  name: "_refreshTokens",
  fields: {
    sessionId: { type: "Ref" },
    secretHash: { type: "String" },
    usedAt: { type: "Date" },
    siblings: { type: "Number" },
    sessionEndsAt: { type: "Date" },
    expiresAt: { type: "Date" },
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
};
