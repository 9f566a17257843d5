import { API_KEYS, type ApiKeyRecord, newApiKey } from "../auth/api_keys.ts";
import type { KeyKind } from "../auth/principals.ts";
import type { SigningKeys } from "../auth/signing_keys.ts";
import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import type { Engine, Id } from "../store/port.ts";
import { memberKey, type MemberRecord, MEMBERS } from "./members.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";
import { checkedName, checkedSiteUrl } from "./settings.ts";

export interface CreatedProject {
  readonly projectId: Id;
  readonly name: string;
  /** Shown this once; only their hashes are kept. */
  readonly publishableKey: string;
  readonly secretKey: string;
}

export interface ProjectServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly signingKeys: SigningKeys;
}

export interface NewProject {
  readonly name: string;
  readonly siteUrl: string | null;
  readonly allowedOrigins?: string[];
  /** Null, or left out, for a project that no account owns. */
  readonly ownerId?: Id | null;
}

/** Makes a project with its space, signing key and both API keys. Throws `INVALID_INPUT`. */
export async function createProject(
  { engine, clock, newId, signingKeys }: ProjectServices,
  input: NewProject,
): Promise<CreatedProject> {
  const name = checkedName(input.name);
  const siteUrl = input.siteUrl === null ? null : checkedSiteUrl(input.siteUrl);
  const { allowedOrigins = [], ownerId = null } = input;
  const projectId = newId();
  const keys = { publishable: newApiKey("publishable"), secret: newApiKey("secret") };
  // The space first: a project that can be seen is complete.
  await engine.createSpace(projectId);
  await signingKeys.create(projectId);
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
  };
  const keyRecords = (["publishable", "secret"] satisfies KeyKind[]).map((kind) => (
    { _id: newId(), projectId, kind, hash: sha256(keys[kind]), createdAt }
  ));
  await engine.transaction("control", async (tx) => {
    await tx.records<ProjectRecord>(PROJECTS).insert(project);
    await tx.records<ApiKeyRecord>(API_KEYS).insertMany(keyRecords);
    if (ownerId !== null) {
      await tx.records<MemberRecord>(MEMBERS).insert({
        _id: newId(),
        projectId,
        accountId: ownerId,
        member: memberKey(projectId, ownerId),
        role: "owner",
        createdAt,
      });
    }
  });
  return { projectId, name, publishableKey: keys.publishable, secretKey: keys.secret };
}
