import type { SignedInAccount } from "../projects/account_records.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import type { Config } from "../runtime/config.ts";
import type { Binding, KeyRing } from "../crypto/key_ring.ts";
import type { SealedPlace } from "../crypto/sealed_place.ts";
import { Secret } from "../crypto/secret.ts";
import { AI_KEY_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { ProjectMember } from "../projects/members.ts";
import type { Plan, Plans } from "../projects/plans.ts";
import { type ProjectRecord, PROJECTS } from "../projects/records.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";

/** Whose AI key a sealed value is: under another account or project it does not open. */
export const aiKeyBinding = (owner: "account" | "project", id: Id): Binding => ({
  project: id,
  purpose: `ai-key of ${owner}`,
});

export const ACCOUNT_AI_KEYS: SealedPlace = {
  definition: ACCOUNTS,
  member: "sealedAiKey",
  binding: ({ _id }) => aiKeyBinding("account", _id),
};

export const PROJECT_AI_KEYS: SealedPlace = {
  definition: PROJECTS,
  member: "sealedAiKey",
  binding: ({ _id }) => aiKeyBinding("project", _id),
};

export interface AiKeyServices {
  readonly engine: Engine;
  readonly keyRing: KeyRing;
  readonly plans: Plans;
  readonly config: Pick<Config, "ai" | "ratePerMinute">;
}

/** The key that a request to the AI provider goes with. */
export interface ResolvedKey {
  readonly apiKey: Secret;
  /** Whether it is ours, and so under the caps. */
  readonly isPlatforms: boolean;
}

/**
 * The project's key, else the account's, else the platform's. A key whose plan does not allow it is
 * passed over. Throws `AI_NOT_CONFIGURED` where there is none at all.
 */
export async function resolveKey(
  services: AiKeyServices,
  member: ProjectMember,
): Promise<ResolvedKey> {
  const { keyRing, config: { ai } } = services;
  const own = await ownKey(services, member);
  if (own !== null) {
    const { owner, id, sealed } = own;
    const apiKey = new Secret(await keyRing.open(sealed, aiKeyBinding(owner, id)));
    return { apiKey, isPlatforms: false };
  }
  if (ai.apiKey === null) throw new Problem("AI_NOT_CONFIGURED");
  return { apiKey: ai.apiKey, isPlatforms: true };
}

/** Whether there is a key with which the member's requests could go. */
export const canAskAi = async (
  services: Pick<AiKeyServices, "engine" | "plans"> & { config: Pick<Config, "ai"> },
  member: ProjectMember,
): Promise<boolean> =>
  services.config.ai.apiKey !== null || await ownKey(services, member) !== null;

interface SealedKey {
  readonly owner: "account" | "project";
  readonly id: Id;
  readonly sealed: string;
}

/** The project's or the account's key, as far as their plans allow one; null for none. */
async function ownKey(
  { engine, plans }: Pick<AiKeyServices, "engine" | "plans">,
  { account, project }: ProjectMember,
): Promise<SealedKey | null> {
  if (project.sealedAiKey && (await plans.of(project._id)).ownAiKey) {
    return { owner: "project", id: project._id, sealed: project.sealedAiKey };
  }
  if (!plans.named(account.plan).ownAiKey) return null;
  const { accountId: id } = account;
  const found = await engine.records<AccountRecord>("control", ACCOUNTS).get(id);
  const sealed = found?.value.sealedAiKey ?? null;
  return sealed === null ? null : { owner: "account", id, sealed };
}

/**
 * Stores the account's key, or clears it; resolves to whether there is one now. Throws
 * `AI_KEY_MALFORMED`, and `PRO_PLAN_REQUIRED` for a key beyond the account's plan.
 */
export async function saveAccountKey(
  { engine, keyRing, plans }: Pick<AiKeyServices, "engine" | "keyRing" | "plans">,
  { accountId, plan }: SignedInAccount,
  aiKey: string | null,
): Promise<boolean> {
  check(aiKey, plans.named(plan));
  const sealedAiKey = aiKey && await keyRing.seal(aiKey, aiKeyBinding("account", accountId));
  const saved = await engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", accountId), { set: { sealedAiKey } });
  if (saved === null) throw new Problem("SIGN_IN_REQUIRED");
  return aiKey !== null;
}

/** The same for a project, whose owner's plan rules. Throws `PROJECT_NOT_FOUND` too. */
export async function saveProjectKey(
  { engine, keyRing, plans }: Pick<AiKeyServices, "engine" | "keyRing" | "plans">,
  { project: { _id: projectId } }: ProjectMember,
  aiKey: string | null,
): Promise<boolean> {
  check(aiKey, await plans.of(projectId));
  const sealedAiKey = aiKey && await keyRing.seal(aiKey, aiKeyBinding("project", projectId));
  const saved = await engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(and(eq("_id", projectId), eq("deletedAt", null)), { set: { sealedAiKey } });
  if (saved === null) throw new Problem("PROJECT_NOT_FOUND");
  return aiKey !== null;
}

/** The key of a project, opened; null where it has none. */
export const openProjectKey = async (
  { keyRing }: Pick<AiKeyServices, "keyRing">,
  { _id, sealedAiKey }: ProjectRecord,
): Promise<string | null> =>
  sealedAiKey && await keyRing.open(sealedAiKey, aiKeyBinding("project", _id));

/** Stores a key that was the project's elsewhere; whether it is used, its plan says. */
export async function restoreProjectKey(
  { engine, keyRing }: Pick<AiKeyServices, "engine" | "keyRing">,
  projectId: Id,
  aiKey: string,
): Promise<void> {
  const sealedAiKey = await keyRing.seal(aiKey, aiKeyBinding("project", projectId));
  await engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(eq("_id", projectId), { set: { sealedAiKey } });
}

/** It travels in a header, so it holds nothing that would end one. */
const AI_KEY = new RegExp(`^(?=.{0,${AI_KEY_LENGTH_MAX}}$)gsk_[\\x21-\\x7e]*$`);

export const isAiKey = (text: string): boolean => AI_KEY.test(text);

/** Clearing is free on every plan. */
function check(aiKey: string | null, plan: Plan): void {
  if (aiKey === null) return;
  if (!isAiKey(aiKey)) throw new Problem("AI_KEY_MALFORMED");
  if (!plan.ownAiKey) throw new Problem("PRO_PLAN_REQUIRED");
}
