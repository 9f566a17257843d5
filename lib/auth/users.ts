import type { Definition, StoredRecord } from "../store/port.ts";

/** An end user of a project. */
export type UserRecord = StoredRecord & {
  /** As given; unique within the project by `emailLower`. Null if no provider verified one. */
  email: string | null;
  emailLower: string | null;
  emailVerified: boolean;
  name: string | null;
  username: string | null;
  avatarUrl: string | null;
  disabled: boolean;
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
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "emailLower", descending: false }], unique: true },
    { keys: [{ path: "createdAt", descending: false }] },
  ],
  trash: false,
};
