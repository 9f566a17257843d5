import { collectionSizes } from "../documents/collection_sizes.ts";
import { referencedCollections } from "../documents/definition.ts";
import { deleteCollection } from "../documents/delete_collection.ts";
import type { CollectionDefinition } from "../documents/fields.ts";
import { createCollections, updateCollection } from "../documents/save_collection.ts";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  updateWebhook,
} from "../events/webhooks/manage.ts";
import { LIST_LIMIT_MAX } from "../limits.ts";
import { deleteTemplate, setTemplate } from "../mail/template_store.ts";
import { changeProject } from "../projects/change_project.ts";
import type { Services } from "../services.ts";
import { setProvider } from "../social/manage_providers.ts";
import type { Id } from "../store/port.ts";
import { saveUserFields } from "../users/user_fields.ts";
import {
  compared,
  definitionDifferences,
  differences,
  fieldDifferences,
  withOnly,
} from "./configuration_differences.ts";
import type { ProjectConfiguration, WholeConfiguration } from "./project_configuration.ts";

/** One of the changes that a push makes. */
export interface ConfigurationChange {
  readonly action: "create" | "change" | "delete";
  /** `collection posts`. */
  readonly what: string;
  /** What becomes of it, part by part. */
  readonly details: readonly string[];
  /** Data that goes with it: `12 documents`. */
  readonly loses?: string;
}

export interface Step extends ConfigurationChange {
  run(): Promise<unknown>;
}

/** Of a part of a configuration: what takes away is done last. */
interface Steps {
  readonly first: readonly Step[];
  readonly last: readonly Step[];
}

interface Push {
  readonly services: Services;
  readonly projectId: Id;
  readonly now: WholeConfiguration;
  readonly given: ProjectConfiguration;
}

/** All that a push changes, in an order in which nothing refers to what is not there. */
export async function stepsOf(push: Push): Promise<Step[]> {
  const parts = [
    settingsSteps(push),
    userFieldSteps(push),
    await collectionSteps(push),
    templateSteps(push),
    providerSteps(push),
    await webhookSteps(push),
  ];
  return [
    ...parts.flatMap(({ first }) => first),
    ...parts.toReversed().flatMap(({ last }) => last),
  ];
}

const NOTHING: Steps = { first: [], last: [] };

const create = (what: string, run: Step["run"], details: readonly string[] = []): Step => ({
  action: "create",
  what,
  details,
  run,
});

/** A change, unless nothing is different. */
const change = (what: string, details: readonly string[], run: Step["run"]): Step[] =>
  details.length === 0 ? [] : [{ action: "change", what, details, run }];

const remove = (what: string, run: Step["run"], loses?: string): Step => ({
  action: "delete",
  what,
  details: [],
  ...(loses !== undefined && { loses }),
  run,
});

function settingsSteps({ services, projectId, now, given: { settings } }: Push): Steps {
  if (settings === undefined) return NOTHING;
  const details = differences(withOnly(now.settings, settings), settings);
  const run = () => changeProject(services, projectId, settings);
  return { first: change("settings", details, run), last: [] };
}

function userFieldSteps({ services, projectId, now, given: { userFields } }: Push): Steps {
  if (userFields === undefined) return NOTHING;
  const details = fieldDifferences(now.userFields, userFields);
  const run = () => saveUserFields(services, projectId, userFields);
  return { first: change("user fields", details, run), last: [] };
}

async function collectionSteps({ services, projectId, now, given }: Push): Promise<Steps> {
  const { added, kept, gone } = compared(now.collections, given.collections, ({ name }) => name);
  const sizes = gone.length === 0 ? [] : await collectionSizes(services, projectId);
  const names = added.map(({ name }) => name);
  // Together: they may refer to each other.
  const making = () => createCollections(services, projectId, added);
  return {
    first: [
      ...(names.length === 0
        ? []
        : [create(`collection${names.length > 1 ? "s" : ""} ${names.join(", ")}`, making)]),
      ...kept.flatMap(([before, after]) =>
        change(
          `collection ${after.name}`,
          definitionDifferences(before, after),
          () => updateCollection(services, projectId, after),
        )
      ),
    ],
    last: referringFirst(gone).map(({ name }) => {
      const count = sizes.find((one) => one.name === name)?.count ?? 0;
      const run = () => deleteCollection(services, projectId, name);
      return remove(`collection ${name}`, run, count > 0 ? `${count} documents` : undefined);
    }),
  };
}

/** One that is referred to cannot be deleted before those that refer to it. */
function referringFirst(gone: readonly CollectionDefinition[]): CollectionDefinition[] {
  const left = [...gone];
  const ordered: CollectionDefinition[] = [];
  while (left.length > 0) {
    const free = left.findIndex(({ name }) =>
      left.every((other) =>
        other.name === name || !referencedCollections(other.fields).includes(name)
      )
    );
    ordered.push(...left.splice(Math.max(free, 0), 1));
  }
  return ordered;
}

function templateSteps({ services, projectId, now, given: { mailTemplates } }: Push): Steps {
  const nameOf = ({ name, language }: { name: string; language: string }) =>
    `mail template ${name} ${language}`;
  const { added, kept, gone } = compared(now.mailTemplates, mailTemplates, nameOf);
  return {
    first: [
      ...added.map((one) => create(nameOf(one), () => setTemplate(services, projectId, one))),
      ...kept.flatMap(([before, after]) =>
        change(
          nameOf(after),
          differences(withOnly(before, after), after),
          () => setTemplate(services, projectId, after),
        )
      ),
    ],
    last: gone.map((one) => remove(nameOf(one), () => deleteTemplate(services, projectId, one))),
  };
}

/** One that is not given stays as it is: to switch it off, say so. */
function providerSteps({ services, projectId, now, given: { providers = [] } }: Push): Steps {
  return {
    first: providers.flatMap(({ provider, ...input }) => {
      const before = now.providers.find((one) => one.provider === provider) ?? { enabled: false };
      const run = () => setProvider(services, projectId, provider, input);
      return change(`provider ${provider}`, differences(withOnly(before, input), input), run);
    }),
    last: [],
  };
}

const MADE_HERE = ["its secret is made here: rotate it to see it"];

async function webhookSteps({ services, projectId, now, given }: Push): Promise<Steps> {
  const { added, kept, gone } = compared(now.webhooks, given.webhooks, ({ name }) => name);
  const { items } = await listWebhooks(services, projectId, { limit: LIST_LIMIT_MAX });
  const placeOf = ({ name }: { readonly name: string }) => ({
    projectId,
    webhookId: items.find((one) => one.name === name)!.id,
  });
  return {
    first: [
      ...added.map((one) =>
        create(`webhook ${one.name}`, () => createWebhook(services, projectId, one), MADE_HERE)
      ),
      ...kept.flatMap(([before, after]) =>
        change(
          `webhook ${after.name}`,
          differences(withOnly(before, after), after),
          () => updateWebhook(services, placeOf(after), after),
        )
      ),
    ],
    last: gone.map((one) =>
      remove(`webhook ${one.name}`, () => deleteWebhook(services, placeOf(one)))
    ),
  };
}
