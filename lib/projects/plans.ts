import { type AccountRecord, ACCOUNTS, type PlanName } from "./account_records.ts";
import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import * as limits from "../limits.ts";
import type { Engine, Id } from "../store/port.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

export interface Plan {
  readonly name: PlanName;
  /** Number that the account owns, including the trash. */
  readonly projects: number;
  /** Number in a project. */
  readonly collections: number;
  /** Bytes of all documents of a project, as they are stored. */
  readonly documentBytes: number;
  /** Bytes of all files of a project in the server's own store. */
  readonly storageBytes: number;
  /** Bytes of one file in the server's own store. */
  readonly fileBytesMax: number;
  /** Number of files and unconfirmed uploads of a project, in all stores together. */
  readonly files: number;
  /** Number of unconfirmed uploads of a project. */
  readonly openUploads: number;
  /** Number of requests to the query builder with the server's AI key. */
  readonly aiQueriesPerMonth: number;
  /** Number of designs by the collection creator with the server's AI key. */
  readonly aiDesignsPerMonth: number;
  /** Number of messages to the collection creator with the server's AI key, in all chats. */
  readonly aiTurnsPerMonth: number;
  /** Number of recipients of a project's mails through the server's mail provider. */
  readonly mailsPerMonth: number;
  /** Number of a project's sign-in and invitation mails through the server's mail provider. */
  readonly signInMailsPerDay: number;
  /** Number in a project. */
  readonly webhooks: number;
  /** Whether the account can save and use its own AI keys. */
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

/** A plan without limits, for imports by the operator and for `PLANS=off`. */
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

/** Returns null if the limit is infinite. */
export const toJsonLimit = (limit: number): number | null => Number.isFinite(limit) ? limit : null;

/** Finds the plan of a project's owner, with a cache. */
export interface Plans {
  /** Whether plans limit anything on this server. */
  readonly isOn: boolean;
  named(name: PlanName): Plan;
  /** A project without an owner has the free plan. */
  ofProject(projectId: Id): Promise<Plan>;
  /** Called if the owner changed. Other processes notice the change within `CACHE_MS`. */
  forgetProject(projectId: Id): void;
  /** Called if the account's plan changed. */
  forgetAccount(accountId: Id): void;
}

interface CachedPlan {
  readonly ownerId: Id | null;
  readonly plan: Plan;
}

const CACHED_PROJECTS_MAX = 20_000;

/** @param isOn If false, plans keep their names and lose their limits. */
export function createPlans(engine: Engine, clock: Clock, isOn = true): Plans {
  const named = (name: PlanName): Plan => isOn ? PLANS[name] : { ...UNLIMITED, name };
  const bounds = { clock, max: CACHED_PROJECTS_MAX };
  const cache = createReadThrough<CachedPlan>(bounds, async (projectId) => {
    const project = await engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
    if (project === null) return null;
    const { ownerId = null } = project.value; // Projects of earlier versions lack the field.
    const owner = ownerId === null
      ? null
      : await engine.records<AccountRecord>("control", ACCOUNTS).get(ownerId);
    return { ownerId, plan: named(owner?.value.plan ?? "free") };
  });
  return {
    isOn,
    named,
    ofProject: async (projectId) => (await cache.get(projectId))?.plan ?? named("free"),
    forgetProject: (projectId) => cache.drop(projectId),
    forgetAccount: (accountId) => cache.invalidate((_key, { ownerId }) => ownerId === accountId),
  };
}
