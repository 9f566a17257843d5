import { API_KEYS, type ApiKeyRecord, newApiKey } from "../auth/api_keys.ts";
import type { KeyKind } from "../auth/principals.ts";
import type { SigningKeys } from "../auth/signing_keys.ts";
import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import { LOCAL_HOSTS } from "../local_hosts.ts";
import { Problem } from "../problems.ts";
import type { Engine, Id } from "../store/port.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

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

const NAME_LENGTH_MAX = 100;

/** Makes a project with its space, signing key and both API keys. Throws `INVALID_INPUT`. */
export async function createProject(
  { engine, clock, newId, signingKeys }: ProjectServices,
  input: { name: string; siteUrl: string | null },
): Promise<CreatedProject> {
  const name = input.name.trim();
  if (name === "" || name.length > NAME_LENGTH_MAX) {
    throw new Problem("INVALID_INPUT", {
      message: `A project's name must have 1 to ${NAME_LENGTH_MAX} characters.`,
    });
  }
  const siteUrl = input.siteUrl === null ? null : checkedSiteUrl(input.siteUrl);
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
    allowedOrigins: [],
    ownerId: null,
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
  });
  return { projectId, name, publishableKey: keys.publishable, secretKey: keys.secret };
}

/** The origin, https or local http. */
function checkedSiteUrl(text: string): string {
  const url = URL.parse(text);
  const secure = url?.protocol === "https:" ||
    (url?.protocol === "http:" && LOCAL_HOSTS.includes(url.hostname));
  if (url === null || !secure) {
    throw new Problem("INVALID_INPUT", {
      message: "The Site URL must be https, or http on localhost, 127.0.0.1 or [::1].",
    });
  }
  return url.origin;
}
