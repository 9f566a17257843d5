import type { Id } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

export type PlanName = "free" | "pro";

/** Fields that are removed when the demo account gets another password. */
export const DEMO_FIELDS = ["demo", "sealedDemoPassword"];

/** Accounts of owners and members, but not of projects' users. Stored in the control space. */
export const ACCOUNTS = recordKind({
  name: "accounts",
  fields: {
    /** Spelt as it was entered. */
    email: field.text,
    /** Unique: `canonicalEmail` of the address. */
    emailLower: field.text,
    name: nullable(field.text),
    /** Missing in earlier versions. */
    emailVerified: optional(field.flag),
    /** Argon2id with its parameters; null until the account chooses a password. */
    passwordHash: nullable(field.text),
    plan: field.oneOf<PlanName>(),
    /** Sealed under the key ring for this account; null without a key. */
    sealedAiKey: nullable(field.text),
    /** Incremented by every change of the account's memberships. */
    turns: optional(field.number),
    /** Whether the account that `dev` creates can sign in; removed with its initial password. */
    demo: optional(field.oneOf<"open" | "closed">()),
    /** The initial password, sealed, which each start of `dev` prints. */
    sealedDemoPassword: optional(field.text),
    /** The latest, oldest first: at most `PROJECTS_PER_HOUR`. */
    projectsCreatedAt: optional(field.shaped<string[]>({ type: "Array" })),
    lastSignInAt: nullable(field.date),
    createdAt: field.date,
    updatedAt: field.date,
  },
  indexes: [{ keys: [{ path: "emailLower", descending: false }], unique: true }],
  trash: false,
});

export type AccountRecord = RecordOf<typeof ACCOUNTS>;

/** An account that was authenticated by a session or by an account token. */
export interface AccountPrincipal {
  readonly accountId: Id;
  readonly email: string;
  readonly plan: PlanName;
}

export interface SignedInAccount extends AccountPrincipal {
  readonly sessionId: Id;
}
