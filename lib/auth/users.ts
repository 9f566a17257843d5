import { ALL } from "../store/filter.ts";
import type { Definition, Engine, Id, StoredRecord } from "../store/port.ts";

/** What users may set themselves. */
export type OwnMember = "name" | "username" | "avatarUrl";

/** A type and no interface, so that it is JSON to the compiler. */
export type LinkedProvider = {
  provider: string;
  /** The provider's own id of the user, which never changes. */
  providerUserId: string;
  linkedAt: string;
};

/** An end user of a project. */
export type UserRecord = StoredRecord & {
  /** As given; unique within the project by `emailLower`. Null if no provider verified one. */
  email: string | null;
  /** `canonicalEmail` of it. */
  emailLower: string | null;
  emailVerified: boolean;
  name: string | null;
  username: string | null;
  avatarUrl: string | null;
  disabled: boolean;
  /** Null for a user who never set one. */
  passwordHash: string | null;
  /** How they sign in; `_identities` finds them by these. */
  providers: LinkedProvider[];
  /** What they set themselves, which no provider changes any more. */
  ownMembers: OwnMember[];
  lastSignInAt: string | null;
  createdAt: string;
  updatedAt: string;
};

/** In each project's space. */
export const USERS: Definition = {
  name: "_users",
  fields: {
    email: { type: "String" },
    emailLower: { type: "String" },
    emailVerified: { type: "Boolean" },
    name: { type: "String" },
    username: { type: "String" },
    avatarUrl: { type: "String" },
    disabled: { type: "Boolean" },
    lastSignInAt: { type: "Date" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "emailLower", descending: false }], unique: true },
    { keys: [{ path: "createdAt", descending: false }] },
  ],
  trash: false,
};

/** How many users a project has: an estimate where the engine would have to look at each. */
export async function countUsers(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<number> {
  const query = { filter: ALL, sort: [], limit: 1, total: "estimate" } as const;
  return (await engine.records<UserRecord>(projectId, USERS).list(query)).total ?? 0;
}
