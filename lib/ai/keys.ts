import type { SignedInAccount } from "../projects/account_records.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import type { Config } from "../runtime/config.ts";
import type { KeyRing, SealBinding } from "../crypto/key_ring.ts";
import type { SealedField } from "../crypto/sealed_field.ts";
import { Secret } from "../crypto/secret.ts";
import { AI_KEY_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { ProjectMember } from "../projects/members.ts";
import type { Plan, Plans } from "../projects/plans.ts";
import { type ProjectRecord, PROJECTS } from "../projects/records.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";

/** Returns the binding of a sealed AI key, which prevents opening it for another owner. */
export const aiKeyBinding = (owner: "account" | "project", id: Id): SealBinding => ({
  project: id,
  purpose: `ai-key of ${owner}`,
});

export const ACCOUNT_AI_KEYS: SealedField = {
  definition: ACCOUNTS,
  member: "sealedAiKey",
  binding: ({ _id }) => aiKeyBinding("account", _id),
};

export const PROJECT_AI_KEYS: SealedField = {
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

export interface ResolvedKey {
  readonly apiKey: Secret;
  /** Whether the key is the server's, to which the caps of plans apply. */
  readonly isServerKey: boolean;
}

/** Prefers the project's key, then the account's, if allowed. Throws `AI_NOT_CONFIGURED`. */
export async function resolveKey(
  services: AiKeyServices,
  member: ProjectMember,
): Promise<ResolvedKey> {
  const { keyRing, config: { ai } } = services;
  const own = await findOwnKey(services, member);
  if (own !== null) {
    const { owner, id, sealed } = own;
    const apiKey = new Secret(await keyRing.open(sealed, aiKeyBinding(owner, id)));
    return { apiKey, isServerKey: false };
  }
  if (ai.apiKey === null) throw new Problem("AI_NOT_CONFIGURED");
  return { apiKey: ai.apiKey, isServerKey: true };
}

export const canAskAi = async (
  services: Pick<AiKeyServices, "engine" | "plans"> & { config: Pick<Config, "ai"> },
  member: ProjectMember,
): Promise<boolean> =>
  services.config.ai.apiKey !== null || await findOwnKey(services, member) !== null;

interface SealedKey {
  readonly owner: "account" | "project";
  readonly id: Id;
  readonly sealed: string;
}

async function findOwnKey(
  { engine, plans }: Pick<AiKeyServices, "engine" | "plans">,
  { account, project }: ProjectMember,
): Promise<SealedKey | null> {
  if (project.sealedAiKey && (await plans.ofProject(project._id)).ownAiKey) {
    return { owner: "project", id: project._id, sealed: project.sealedAiKey };
  }
  if (!plans.named(account.plan).ownAiKey) return null;
  const { accountId: id } = account;
  const found = await engine.records<AccountRecord>("control", ACCOUNTS).get(id);
  const sealed = found?.value.sealedAiKey ?? null;
  return sealed === null ? null : { owner: "account", id, sealed };
}

/** Returns whether there is a key now. Throws `AI_KEY_MALFORMED` and `PRO_PLAN_REQUIRED`. */
export async function saveAccountKey(
  { engine, keyRing, plans }: Pick<AiKeyServices, "engine" | "keyRing" | "plans">,
  { accountId, plan }: SignedInAccount,
  aiKey: string | null,
): Promise<boolean> {
  checkKey(aiKey, plans.named(plan));
  const sealedAiKey = aiKey && await keyRing.seal(aiKey, aiKeyBinding("account", accountId));
  const saved = await engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", accountId), { set: { sealedAiKey } });
  if (saved === null) throw new Problem("SIGN_IN_REQUIRED");
  return aiKey !== null;
}

/** Throws `AI_KEY_MALFORMED`, `PRO_PLAN_REQUIRED` and `PROJECT_NOT_FOUND`. */
export async function saveProjectKey(
  { engine, keyRing, plans }: Pick<AiKeyServices, "engine" | "keyRing" | "plans">,
  { project: { _id: projectId } }: ProjectMember,
  aiKey: string | null,
): Promise<boolean> {
  checkKey(aiKey, await plans.ofProject(projectId));
  const sealedAiKey = aiKey && await keyRing.seal(aiKey, aiKeyBinding("project", projectId));
  const saved = await engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(and(eq("_id", projectId), eq("deletedAt", null)), { set: { sealedAiKey } });
  if (saved === null) throw new Problem("PROJECT_NOT_FOUND");
  return aiKey !== null;
}

export const openProjectKey = async (
  { keyRing }: Pick<AiKeyServices, "keyRing">,
  { _id, sealedAiKey }: ProjectRecord,
): Promise<string | null> =>
  sealedAiKey && await keyRing.open(sealedAiKey, aiKeyBinding("project", _id));

/** Stores the key of an imported project. It is used only if the plan allows it. */
export async function restoreProjectKey(
  { engine, keyRing }: Pick<AiKeyServices, "engine" | "keyRing">,
  projectId: Id,
  aiKey: string,
): Promise<void> {
  const sealedAiKey = await keyRing.seal(aiKey, aiKeyBinding("project", projectId));
  await engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(eq("_id", projectId), { set: { sealedAiKey } });
}

/** Format of a key. It is sent in a header, so control characters are not allowed. */
const AI_KEY = new RegExp(`^(?=.{0,${AI_KEY_LENGTH_MAX}}$)gsk_[\\x21-\\x7e]*$`);

export const isAiKey = (text: string): boolean => AI_KEY.test(text);

/** Checks a key. Removing it is allowed on every plan. */
function checkKey(aiKey: string | null, plan: Plan): void {
  if (aiKey === null) return;
  if (!isAiKey(aiKey)) throw new Problem("AI_KEY_MALFORMED");
  if (!plan.ownAiKey) throw new Problem("PRO_PLAN_REQUIRED");
}
