import { type AccountRecord, ACCOUNTS, type PlanName } from "./account_records.ts";
import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import * as limits from "../limits.ts";
import type { Engine, Id } from "../store/port.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

/** What a plan allows an account, and each of its projects. */
export interface Plan {
  readonly name: PlanName;
  /** Projects that the account owns, those in the trash included. */
  readonly projects: number;
  /** Collections of a project. */
  readonly collections: number;
  /** Bytes of all documents of a project, as they are stored. */
  readonly documentBytes: number;
  /** Bytes of all files of a project in our own store. */
  readonly storageBytes: number;
  /** Bytes of one file in our own store. */
  readonly fileBytesMax: number;
  /** Files of a project and uploads that are not confirmed yet, in whichever store. */
  readonly files: number;
  /** Uploads of a project that are not confirmed yet. */
  readonly openUploads: number;
  /** Requests to the query builder on the platform's key. */
  readonly aiQueriesPerMonth: number;
  /** Designs of the collection creator on the platform's key. */
  readonly aiDesignsPerMonth: number;
  /** Turns with the collection creator on the platform's key, in all chats together. */
  readonly aiTurnsPerMonth: number;
  /** Mails of a project by the platform's server, by recipients. */
  readonly mailsPerMonth: number;
  /** Mails of sign-in and invitations of a project by the platform's server. */
  readonly signInMailsPerDay: number;
  /** Webhooks of a project. */
  readonly webhooks: number;
  /** Whether AI keys of the account's own are used, and may be saved. */
  readonly ownAiKey: boolean;
}

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: {
    name: "free",
    projects: limits.FREE_PROJECTS_MAX,
    collections: limits.FREE_COLLECTIONS_MAX,
    documentBytes: limits.FREE_DOCUMENT_BYTES,
    storageBytes: limits.FREE_STORAGE_BYTES,
    fileBytesMax: limits.FREE_FILE_BYTES_MAX,
    files: limits.FREE_FILES_MAX,
    openUploads: limits.FREE_OPEN_UPLOADS_MAX,
    aiQueriesPerMonth: limits.FREE_AI_QUERIES,
    aiDesignsPerMonth: limits.FREE_AI_DESIGNS,
    aiTurnsPerMonth: limits.FREE_AI_TURNS,
    mailsPerMonth: limits.FREE_MAILS,
    signInMailsPerDay: limits.FREE_SIGN_IN_MAILS_PER_DAY,
    webhooks: limits.FREE_WEBHOOKS,
    ownAiKey: false,
  },
  pro: {
    name: "pro",
    projects: limits.PRO_PROJECTS_MAX,
    collections: limits.PRO_COLLECTIONS_MAX,
    documentBytes: limits.PRO_DOCUMENT_BYTES,
    storageBytes: limits.PRO_STORAGE_BYTES,
    fileBytesMax: limits.PRO_FILE_BYTES_MAX,
    files: limits.PRO_FILES_MAX,
    openUploads: limits.PRO_OPEN_UPLOADS_MAX,
    aiQueriesPerMonth: limits.PRO_AI_QUERIES,
    aiDesignsPerMonth: limits.PRO_AI_DESIGNS,
    aiTurnsPerMonth: limits.PRO_AI_TURNS,
    mailsPerMonth: limits.PRO_MAILS,
    signInMailsPerDay: limits.PRO_SIGN_IN_MAILS_PER_DAY,
    webhooks: limits.PRO_WEBHOOKS,
    ownAiKey: true,
  },
};

/** Nothing is refused by it: for what is brought in by whoever runs the deployment, and with `PLANS=off`. */
export const UNLIMITED: Plan = {
  ...PLANS.pro,
  projects: Infinity,
  collections: Infinity,
  documentBytes: Infinity,
  storageBytes: Infinity,
  fileBytesMax: limits.EXTERNAL_FILE_BYTES_MAX,
  files: Infinity,
  openUploads: Infinity,
  aiQueriesPerMonth: Infinity,
  aiDesignsPerMonth: Infinity,
  aiTurnsPerMonth: Infinity,
  mailsPerMonth: Infinity,
  signInMailsPerDay: Infinity,
  webhooks: Infinity,
};

/** As it is answered: null where there is none. */
export const shownLimit = (limit: number): number | null => Number.isFinite(limit) ? limit : null;

/** Knows the plan of each project: that of the account that owns it. */
export interface Plans {
  /** Whether plans limit anything on this server. */
  readonly isOn: boolean;
  /** What the plan of an account allows. */
  named(name: PlanName): Plan;
  /** The free plan for a project without an owner. */
  of(projectId: Id): Promise<Plan>;
  /** Drops what is remembered of a project whose owner changed; others notice in `CACHE_MS`. */
  forgetProject(projectId: Id): void;
  /** The same for all projects of an account whose plan changed. */
  forgetAccount(accountId: Id): void;
}

interface Known {
  readonly ownerId: Id | null;
  readonly plan: Plan;
}

const PROJECTS_KEPT = 20_000;

/** @param isOn Without it nothing is limited by a plan, and accounts keep the names of theirs. */
export function createPlans(engine: Engine, clock: Clock, isOn = true): Plans {
  const named = (name: PlanName): Plan => isOn ? PLANS[name] : { ...UNLIMITED, name };
  const known = createReadThrough<Known>({ clock, max: PROJECTS_KEPT }, async (projectId) => {
    const project = await engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
    if (project === null) return null;
    const { ownerId = null } = project.value; // Projects of earlier versions name none.
    const owner = ownerId === null
      ? null
      : await engine.records<AccountRecord>("control", ACCOUNTS).get(ownerId);
    return { ownerId, plan: named(owner?.value.plan ?? "free") };
  });
  return {
    isOn,
    named,
    of: async (projectId) => (await known.get(projectId))?.plan ?? named("free"),
    forgetProject: (projectId) => known.drop(projectId),
    forgetAccount: (accountId) => known.forget((_key, { ownerId }) => ownerId === accountId),
  };
}
