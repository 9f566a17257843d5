import type { CollectionDefinition } from "../documents/fields.ts";
import { listCollections } from "../documents/save_collection.ts";
import { listWebhooks, type WebhookInput } from "../events/webhooks/manage.ts";
import { LIST_LIMIT_MAX } from "../limits.ts";
import { listTemplates, type TemplateInput, type TemplateKey } from "../mail/template_store.ts";
import type { PageRequest, RecordPage } from "../paging/record_page.ts";
import { authSettingsOf } from "../projects/auth_settings.ts";
import { fileSettingsOf } from "../projects/file_settings.ts";
import { findProject } from "../projects/projects.ts";
import type { GivenSettings } from "../projects/settings.ts";
import type { Services } from "../services.ts";
import { listProviders, type ProviderInput } from "../social/manage_providers.ts";
import type { Id } from "../store/port.ts";
import type { GivenUserFields, UserField } from "../users/user_fields.ts";

export const CONFIGURATION_FORMAT = "corbel-project/1";

/** A configuration without secrets and without what belongs to one deployment. */
export interface FullConfiguration {
  readonly settings: Omit<GivenSettings, "name">;
  readonly userFields: GivenUserFields;
  readonly collections: readonly CollectionDefinition[];
  readonly mailTemplates: readonly (TemplateKey & TemplateInput)[];
  readonly webhooks: readonly WebhookInput[];
  readonly providers: readonly GivenProvider[];
}

/** A configuration to push. Omitted parts stay unchanged. */
export type ProjectConfiguration = {
  readonly [Part in keyof FullConfiguration]?: FullConfiguration[Part] | undefined;
};

export interface GivenProvider extends Omit<ProviderInput, "clientSecret"> {
  readonly provider: string;
}

export type ConfigurationServices = Pick<
  Services,
  "engine" | "keyRing" | "cursors" | "userFields" | "config" | "clock"
>;

/** Throws `PROJECT_NOT_FOUND`. */
export async function pullConfiguration(
  services: ConfigurationServices,
  projectId: Id,
): Promise<FullConfiguration> {
  const project = await findProject(services, projectId);
  const { siteUrl, allowedOrigins } = project;
  const fields = await services.userFields.ofProject(projectId);
  const webhooks = await readAllPages((request) => listWebhooks(services, projectId, request));
  const templates = await readAllPages((request) => listTemplates(services, projectId, request));
  const providers = await listProviders(services, projectId);
  return {
    settings: {
      siteUrl,
      allowedOrigins,
      auth: authSettingsOf(project),
      files: fileSettingsOf(project),
    },
    userFields: fields.map(toGivenField),
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

/** User fields never have the removed properties. */
const toGivenField = (
  { unique: _unique, index: _index, search: _search, ...field }: UserField,
): GivenUserFields[number] => ({ ...field });

async function readAllPages<T>(
  pageOf: (request: PageRequest) => Promise<RecordPage<T>>,
): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined = undefined;;) {
    const page = await pageOf({ limit: LIST_LIMIT_MAX, cursor });
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    cursor = page.nextCursor;
  }
}
