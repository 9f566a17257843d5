import type { CollectionDefinition } from "../documents/fields.ts";
import { listCollections } from "../documents/save_collection.ts";
import { type AuthSettings, authSettingsOf } from "../projects/auth_settings.ts";
import { fileSettingsOf } from "../projects/file_settings.ts";
import { findProject } from "../projects/projects.ts";
import { listProviders, type ManageServices } from "../social/manage_providers.ts";
import type { Id } from "../store/port.ts";
import type { UserField, UserFields } from "../users/user_fields.ts";

/** Facts that determine what an application can do in a project. */
export interface ProjectFacts {
  readonly projectId: Id;
  readonly name: string;
  readonly definitions: readonly CollectionDefinition[];
  readonly userFields: readonly UserField[];
  readonly auth: AuthSettings;
  /** Enabled sign-in providers. */
  readonly providers: readonly string[];
  readonly hasUserUploads: boolean;
  /** Whether the publishable key is restricted to some origins. */
  readonly hasOrigins: boolean;
}

/** Throws `PROJECT_NOT_FOUND`. */
export async function getProjectFacts(
  services: ManageServices & { readonly userFields: UserFields },
  projectId: Id,
): Promise<ProjectFacts> {
  const project = await findProject(services, projectId);
  const providers = await listProviders(services, projectId);
  return {
    projectId,
    name: project.name,
    definitions: await listCollections(services, projectId),
    userFields: await services.userFields.ofProject(projectId),
    auth: authSettingsOf(project),
    providers: providers.filter(({ enabled, hasClientSecret }) => enabled && hasClientSecret)
      .map(({ provider }) => provider),
    hasUserUploads: fileSettingsOf(project).userUploads !== "off",
    hasOrigins: project.allowedOrigins.length > 0,
  };
}
