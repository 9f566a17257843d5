import type { Definition, Id, StoredRecord } from "../store/port.ts";

/** Whom a provider knows as which user. Written in the transaction that writes the user. */
export type IdentityRecord = StoredRecord & {
  /** As {@linkcode identityOf} spells it. */
  identity: string;
  userId: Id;
  /** What the provider said last, so that a change on its side can be told from one here. */
  seen: {
    email: string | null;
    name: string | null;
    username: string | null;
    avatarUrl: string | null;
  };
};

/** In each project's space. */
export const IDENTITIES: Definition = {
  name: "_identities",
  fields: { identity: { type: "String" }, userId: { type: "Ref" } },
  indexes: [
    { keys: [{ path: "identity", descending: false }], unique: true },
    { keys: [{ path: "userId", descending: false }] },
  ],
  trash: false,
};

/** Unique within a project: providers never change the id, and names have no spaces. */
export const identityOf = (provider: string, providerUserId: string): string =>
  `${provider} ${providerUserId}`;
