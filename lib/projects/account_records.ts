import type { Definition, Id, StoredRecord } from "../store/port.ts";

/** What an account has paid for. */
export type PlanName = "free" | "pro";

/** Somebody who owns projects, or helps with them. Users of projects are no accounts. */
export type AccountRecord = StoredRecord & {
  /** As it was given. */
  email: string;
  /** `canonicalEmail` of it, which is unique. */
  emailLower: string;
  name: string | null;
  /** Whether somebody has proved that the address is theirs; accounts of earlier versions lack it. */
  emailVerified?: boolean;
  /** argon2id, with its parameters; null if the owner of the mailbox has yet to choose a password. */
  passwordHash: string | null;
  plan: PlanName;
  /** The AI key, sealed under the key ring for this account; null without one. */
  sealedAiKey: string | null;
  /** Grows with every change of what it has a part in. */
  turns?: number;
  /** Of the account that `dev` makes, until it is given another password: whether it may sign in. */
  demo?: "open" | "closed";
  /** The password that `dev` gave it, sealed, so that each start can print it. */
  sealedDemoPassword?: string;
  /** When it created its latest projects, the oldest first: as many as an hour allows. */
  projectsCreatedAt?: string[];
  lastSignInAt: string | null;
  createdAt: string;
  updatedAt: string;
};

/** What an account has no longer once somebody gives it a password of their own. */
export const DEMO_MEMBERS = ["demo", "sealedDemoPassword"];

/** In the control space. */
export const ACCOUNTS: Definition = {
  name: "accounts",
  fields: {
    email: { type: "String" },
    emailLower: { type: "String" },
    name: { type: "String" },
    emailVerified: { type: "Boolean" },
    passwordHash: { type: "String" },
    plan: { type: "String" },
    sealedAiKey: { type: "String" },
    turns: { type: "Number" },
    demo: { type: "String" },
    sealedDemoPassword: { type: "String" },
    projectsCreatedAt: { type: "Array" },
    lastSignInAt: { type: "Date" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
  },
  indexes: [{ keys: [{ path: "emailLower", descending: false }], unique: true }],
  trash: false,
};

/** An account that something is done for, by its session or by a token of its own. */
export interface AccountPrincipal {
  readonly accountId: Id;
  readonly email: string;
  readonly plan: PlanName;
}

/** An account, signed in to the dashboard on one device. */
export interface SignedInAccount extends AccountPrincipal {
  readonly sessionId: Id;
}
