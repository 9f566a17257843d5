import type { CollectionDefinition } from "../documents/fields.ts";
import { listCollections } from "../documents/save_collection.ts";
import { listWebhooks, type WebhookInput } from "../events/webhooks/manage.ts";
import { LIST_LIMIT_MAX } from "../limits.ts";
import { listTemplates, type TemplateInput, type TemplatePlace } from "../mail/template_store.ts";
import type { PageRequest, RecordPage } from "../paging/record_page.ts";
import { authSettingsOf } from "../projects/auth_settings.ts";
import { fileSettingsOf } from "../projects/file_settings.ts";
import { findProject } from "../projects/projects.ts";
import type { GivenSettings } from "../projects/settings.ts";
import type { Services } from "../services.ts";
import { listProviders, type ProviderInput } from "../social/manage_providers.ts";
import type { Id } from "../store/port.ts";
import type { GivenUserFields, UserField } from "../users/user_fields.ts";

/** What a file says that holds a configuration. */
export const CONFIGURATION_FORMAT = "corbel-project/1";

/**
 * What an owner has set of a project, without a secret and without what only one deployment has: as
 * it is pulled, and pushed into another.
 */
export interface WholeConfiguration {
  readonly settings: Omit<GivenSettings, "name">;
  readonly userFields: GivenUserFields;
  readonly collections: readonly CollectionDefinition[];
  readonly mailTemplates: readonly (TemplatePlace & TemplateInput)[];
  readonly webhooks: readonly WebhookInput[];
  readonly providers: readonly GivenProvider[];
}

/** A part that is left out stays as it is. */
export type ProjectConfiguration = {
  readonly [Part in keyof WholeConfiguration]?: WholeConfiguration[Part] | undefined;
};

export interface GivenProvider extends Omit<ProviderInput, "clientSecret"> {
  readonly provider: string;
}

export type ConfigurationServices = Pick<
  Services,
  "engine" | "keyRing" | "cursors" | "userFields" | "config" | "clock"
>;

/** All of it as it is now. Throws `PROJECT_NOT_FOUND`. */
export async function pullConfiguration(
  services: ConfigurationServices,
  projectId: Id,
): Promise<WholeConfiguration> {
  const project = await findProject(services, projectId);
  const { siteUrl, allowedOrigins } = project;
  const fields = await services.userFields.of(projectId);
  const webhooks = await all((request) => listWebhooks(services, projectId, request));
  const templates = await all((request) => listTemplates(services, projectId, request));
  const providers = await listProviders(services, projectId);
  return {
    settings: {
      siteUrl,
      allowedOrigins,
      auth: authSettingsOf(project),
      files: fileSettingsOf(project),
    },
    userFields: fields.map(givenField),
    collections: await listCollections(services, projectId),
    mailTemplates: templates
      .map(({ name, language, subject, text, html }) => ({
        name,
        language,
        subject,
        text,
        ...(html !== null && { html }),
      }))
      .sort((a, b) => `${a.name} ${a.language}` < `${b.name} ${b.language}` ? -1 : 1),
    webhooks: webhooks
      .map(({ name, url, events, enabled }) => ({ name, url, events, enabled }))
      .sort((a, b) => a.name < b.name ? -1 : 1),
    providers: providers
      .filter(({ enabled, clientId }) => enabled || clientId !== null)
      .map(({ provider, enabled, clientId, linking }) => ({
        provider,
        enabled,
        ...(clientId !== null && { clientId }),
        linking,
      })),
  };
}

/** As it is given: without what fields of users never have. */
const givenField = (
  { unique: _unique, index: _index, search: _search, ...field }: UserField,
): GivenUserFields[number] => ({ ...field });

async function all<T>(pageOf: (request: PageRequest) => Promise<RecordPage<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined = undefined;;) {
    const page = await pageOf({ limit: LIST_LIMIT_MAX, cursor });
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    cursor = page.nextCursor;
  }
}
