import type { Id } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** What an account has paid for. */
export type PlanName = "free" | "pro";

/** What an account has no longer once somebody gives it a password of their own. */
export const DEMO_MEMBERS = ["demo", "sealedDemoPassword"];

/**
 * Somebody who owns projects, or helps with them. Users of projects are no accounts. In the
 * control space.
 */
export const ACCOUNTS = recordKind({
  name: "accounts",
  fields: {
    /** As it was given. */
    email: field.text,
    /** `canonicalEmail` of it, which is unique. */
    emailLower: field.text,
    name: nullable(field.text),
    /** Whether somebody has proved that the address is theirs; accounts of earlier versions lack it. */
    emailVerified: optional(field.flag),
    /** argon2id, with its parameters; null if the owner of the mailbox has yet to choose a password. */
    passwordHash: nullable(field.text),
    plan: field.textOf<PlanName>(),
    /** The AI key, sealed under the key ring for this account; null without one. */
    sealedAiKey: nullable(field.text),
    /** Grows with every change of what it has a part in. */
    turns: optional(field.number),
    /** Of the account that `dev` makes, until it is given another password: whether it may sign in. */
    demo: optional(field.textOf<"open" | "closed">()),
    /** The password that `dev` gave it, sealed, so that each start can print it. */
    sealedDemoPassword: optional(field.text),
    /** When it created its latest projects, the oldest first: as many as an hour allows. */
    projectsCreatedAt: optional(field.shaped<string[]>({ type: "Array" })),
    lastSignInAt: nullable(field.date),
    createdAt: field.date,
    updatedAt: field.date,
  },
  indexes: [{ keys: [{ path: "emailLower", descending: false }], unique: true }],
  trash: false,
});

export type AccountRecord = RecordOf<typeof ACCOUNTS>;

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
