import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Links from accounts at providers to users, written in the transaction of the user. */
export const IDENTITIES = recordKind({
  name: "_identities",
  fields: {
    /** Unique key, see {@linkcode identityOf}. */
    identity: field.text,
    userId: field.ref,
    /** The last profile from the provider, which distinguishes its changes from the user's. */
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

/** Returns the key of an account at a provider. Providers never change the id. */
export const identityOf = (provider: string, providerUserId: string): string =>
  `${provider} ${providerUserId}`;
