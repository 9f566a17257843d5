import { type AccountRecord, ACCOUNTS } from "./account_records.ts";
import { API_KEYS, type ApiKeyRecord, keptOfKey, newApiKey } from "./api_keys.ts";
import type { KeyKind } from "./api_keys.ts";
import type { SigningKeys } from "./signing_keys.ts";
import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { memberKey, type MemberRecord, MEMBERS } from "./members.ts";
import { lockAccount, refuseMoreProjects, refuseMoreThisHour } from "./ownership.ts";
import type { Plans } from "./plans.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";
import { checkedName, checkedOrigins, checkedSiteUrl } from "./settings.ts";

export interface CreatedProject {
  readonly projectId: Id;
  readonly name: string;
  readonly publishableKey: string;
  /** Shown this once; only its hash is kept. */
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
  /** Null, or left out, for a project that no account owns. */
  readonly ownerId?: Id | null;
  /** Made by whoever runs the deployment: the limit of an hour does not hold. */
  readonly isOperators?: boolean;
  /** Its id; a new one if left out. */
  readonly projectId?: Id;
  /** As in `ProjectRecord`. */
  readonly importDigest?: string;
}

/**
 * Makes a project with its space, signing key and both API keys. Throws `INVALID_INPUT`,
 * `PLAN_LIMIT_REACHED` by the owner's plan, `RATE_LIMITED` where they made many within an hour, and
 * `SIGN_IN_REQUIRED` where they have just ceased to be.
 */
export async function createProject(
  { engine, clock, newId, signingKeys, plans }: ProjectServices,
  input: NewProject,
): Promise<CreatedProject> {
  const name = checkedName(input.name);
  const siteUrl = input.siteUrl === null ? null : checkedSiteUrl(input.siteUrl);
  const allowedOrigins = checkedOrigins(input.allowedOrigins ?? []);
  const { ownerId = null, isOperators = false } = input;
  const { projectId = newId(), importDigest } = input;
  const keys = { publishable: newApiKey("publishable"), secret: newApiKey("secret") };
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
    { _id: newId(), projectId, kind, ...keptOfKey(kind, keys[kind]), createdAt }
  ));
  // Most who may not are told before anything is made for them.
  const creation = { ownerId, createdAt, isOperators, plans };
  if (ownerId !== null) await engine.transaction("control", (tx) => admitOwner(tx, creation));
  // The space first: a project that can be seen is complete.
  await engine.createSpace(projectId);
  await signingKeys.create(projectId);
  try {
    await engine.transaction("control", async (tx) => {
      if (ownerId !== null) {
        await countCreation(tx, ownerId, await admitOwner(tx, creation));
        await insertOwner(tx, { _id: newId(), projectId, accountId: ownerId, createdAt });
      }
      await tx.records<ProjectRecord>(PROJECTS).insert(project);
      await tx.records<ApiKeyRecord>(API_KEYS).insertMany(keyRecords);
    });
  } catch (error) {
    // Of what failed otherwise nobody knows whether it was stored.
    if (error instanceof Problem) await engine.dropSpace(projectId);
    throw error;
  }
  return { projectId, name, publishableKey: keys.publishable, secretKey: keys.secret };
}

/** Makes an account the member of a project that owns it. */
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

interface Creation {
  readonly ownerId: Id | null;
  readonly createdAt: string;
  readonly isOperators: boolean;
  readonly plans: Plans;
}

/**
 * The account, locked until the transaction's end, so that of many at once no more pass than may;
 * resolves to when it created projects of late, this one included.
 */
async function admitOwner(
  tx: Transaction,
  { ownerId, createdAt, isOperators, plans }: Creation,
): Promise<string[]> {
  if (ownerId === null) return [];
  const owner = await lockAccount(tx, ownerId);
  if (owner === null) throw new Problem("SIGN_IN_REQUIRED");
  await refuseMoreProjects(tx, plans, owner);
  if (isOperators) return owner.projectsCreatedAt ?? [];
  return [...refuseMoreThisHour(owner, createdAt), createdAt];
}

async function countCreation(
  tx: Transaction,
  ownerId: Id,
  projectsCreatedAt: string[],
): Promise<void> {
  await tx.records<AccountRecord>(ACCOUNTS)
    .updateOne(eq("_id", ownerId), { set: { projectsCreatedAt } });
}
