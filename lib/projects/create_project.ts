import { type AccountRecord, ACCOUNTS } from "./account_records.ts";
import { API_KEYS, type ApiKeyRecord, generateApiKey, toStoredKey } from "./api_keys.ts";
import type { KeyKind } from "./api_keys.ts";
import type { SigningKeys } from "./signing_keys.ts";
import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { memberKey, type MemberRecord, MEMBERS } from "./members.ts";
import { checkCreationRate, checkProjectLimit, lockAccount } from "./ownership.ts";
import type { Plans } from "./plans.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";
import { parseOrigins, parseProjectName, parseSiteUrl } from "./settings.ts";

export interface CreatedProject {
  readonly projectId: Id;
  readonly name: string;
  readonly publishableKey: string;
  /** Cannot be shown again, because only its hash is stored. */
  readonly secretKey: string;
}

export interface ProjectServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly signingKeys: SigningKeys;
  readonly plans: Plans;
}

export interface NewProject {
  readonly name: string;
  readonly siteUrl: string | null;
  readonly allowedOrigins?: readonly string[];
  /** Null or omitted for a project without an owner. */
  readonly ownerId?: Id | null;
  /** Exempts the creation from the hourly limit. */
  readonly isByOperator?: boolean;
  readonly projectId?: Id;
  /** Digest of the archive that is imported into the project. */
  readonly importDigest?: string;
}

/**
 * Throws `INVALID_INPUT`, `PLAN_LIMIT_REACHED`, `RATE_LIMITED` if the owner created too many
 * projects within an hour, and `SIGN_IN_REQUIRED` if the owner's account was deleted.
 */
export async function createProject(
  { engine, clock, newId, signingKeys, plans }: ProjectServices,
  input: NewProject,
): Promise<CreatedProject> {
  const name = parseProjectName(input.name);
  const siteUrl = input.siteUrl === null ? null : parseSiteUrl(input.siteUrl);
  const allowedOrigins = parseOrigins(input.allowedOrigins ?? []);
  const { ownerId = null, isByOperator = false } = input;
  const { projectId = newId(), importDigest } = input;
  const keys = { publishable: generateApiKey("publishable"), secret: generateApiKey("secret") };
  const createdAt = timestamp(clock);
  const project = {
    _id: projectId,
    name,
    siteUrl,
    allowedOrigins,
    ownerId,
    sealedAiKey: null,
    createdAt,
    deletedAt: null,
    ...(importDigest !== undefined && { importDigest, importTouchedAt: createdAt, importBeats: 1 }),
  };
  const keyRecords = (["publishable", "secret"] satisfies KeyKind[]).map((kind) => (
    { _id: newId(), projectId, kind, ...toStoredKey(kind, keys[kind]), createdAt }
  ));
  // Most refusals happen here, before anything is created. The check is repeated at the end.
  const creation = { ownerId, createdAt, isByOperator, plans };
  if (ownerId !== null) await engine.transaction("control", (tx) => checkOwnerLimits(tx, creation));
  // The space comes first, so that a visible project is always complete.
  await engine.createSpace(projectId);
  await signingKeys.create(projectId);
  try {
    await engine.transaction("control", async (tx) => {
      if (ownerId !== null) {
        await storeCreationTimes(tx, ownerId, await checkOwnerLimits(tx, creation));
        await insertOwner(tx, { _id: newId(), projectId, accountId: ownerId, createdAt });
      }
      await tx.records<ProjectRecord>(PROJECTS).insert(project);
      await tx.records<ApiKeyRecord>(API_KEYS).insertMany(keyRecords);
    });
  } catch (error) {
    // After any other error the project may have been stored, so its space stays.
    if (error instanceof Problem) await engine.dropSpace(projectId);
    throw error;
  }
  return { projectId, name, publishableKey: keys.publishable, secretKey: keys.secret };
}

export const insertOwner = async (
  tx: Transaction,
  { projectId, accountId, ...rest }: Pick<
    MemberRecord,
    "_id" | "projectId" | "accountId" | "createdAt"
  >,
): Promise<void> =>
  void await tx.records<MemberRecord>(MEMBERS).insert({
    ...rest,
    projectId,
    accountId,
    member: memberKey(projectId, accountId),
    role: "owner",
  });

interface ProjectCreation {
  readonly ownerId: Id | null;
  readonly createdAt: string;
  readonly isByOperator: boolean;
  readonly plans: Plans;
}

/**
 * Locks the owner's account, so that concurrent creations cannot exceed the limits. Returns the
 * times of the owner's recent creations, including this one.
 */
async function checkOwnerLimits(
  tx: Transaction,
  { ownerId, createdAt, isByOperator, plans }: ProjectCreation,
): Promise<string[]> {
  if (ownerId === null) return [];
  const owner = await lockAccount(tx, ownerId);
  if (owner === null) throw new Problem("SIGN_IN_REQUIRED");
  await checkProjectLimit(tx, plans, owner);
  if (isByOperator) return owner.projectsCreatedAt ?? [];
  return [...checkCreationRate(owner, createdAt), createdAt];
}

async function storeCreationTimes(
  tx: Transaction,
  ownerId: Id,
  projectsCreatedAt: string[],
): Promise<void> {
  await tx.records<AccountRecord>(ACCOUNTS)
    .updateOne(eq("_id", ownerId), { set: { projectsCreatedAt } });
}
