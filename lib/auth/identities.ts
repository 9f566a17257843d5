import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * Whom a provider knows as which user. Written in the transaction that writes the user. In each
 * project's space.
 */
export const IDENTITIES = recordKind({
  name: "_identities",
  fields: {
    /** As {@linkcode identityOf} spells it. */
    identity: field.text,
    userId: field.ref,
    /** What the provider said last, so that a change on its side can be told from one here. */
    seen: field.undeclared<
      {
        email: string | null;
        name: string | null;
        username: string | null;
        avatarUrl: string | null;
      }
    >(),
  },
  indexes: [
    { keys: [{ path: "identity", descending: false }], unique: true },
    { keys: [{ path: "userId", descending: false }] },
  ],
  trash: false,
});

export type IdentityRecord = RecordOf<typeof IDENTITIES>;

/** Unique within a project: providers never change the id, and names have no spaces. */
export const identityOf = (provider: string, providerUserId: string): string =>
  `${provider} ${providerUserId}`;
