import { readCollectionSizes } from "../documents/collection_sizes.ts";
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
  compareLists,
  describeDefinitionDifferences,
  describeDifferences,
  describeFieldDifferences,
  pickGiven,
} from "./configuration_differences.ts";
import type { FullConfiguration, ProjectConfiguration } from "./project_configuration.ts";

export interface ConfigurationChange {
  readonly action: "create" | "change" | "delete";
  /** The changed part, such as `collection posts`. */
  readonly what: string;
  readonly details: readonly string[];
  /** Data that the change deletes, such as `12 documents`. */
  readonly loses?: string;
}

export interface ConfigurationStep extends ConfigurationChange {
  run(): Promise<unknown>;
}

/** The steps of one part of a configuration. Deletions run last. */
interface PartSteps {
  readonly first: readonly ConfigurationStep[];
  readonly last: readonly ConfigurationStep[];
}

interface Push {
  readonly services: Services;
  readonly projectId: Id;
  readonly now: FullConfiguration;
  readonly given: ProjectConfiguration;
}

/** Orders the steps so that each refers only to what exists. */
export async function planSteps(push: Push): Promise<ConfigurationStep[]> {
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

const NO_STEPS: PartSteps = { first: [], last: [] };

const creationStep = (
  what: string,
  run: ConfigurationStep["run"],
  details: readonly string[] = [],
): ConfigurationStep => ({ action: "create", what, details, run });

/** Returns no step if nothing differs. */
const changeSteps = (
  what: string,
  details: readonly string[],
  run: ConfigurationStep["run"],
): ConfigurationStep[] => details.length === 0 ? [] : [{ action: "change", what, details, run }];

const deletionStep = (
  what: string,
  run: ConfigurationStep["run"],
  loses?: string,
): ConfigurationStep => ({
  action: "delete",
  what,
  details: [],
  ...(loses !== undefined && { loses }),
  run,
});

function settingsSteps({ services, projectId, now, given: { settings } }: Push): PartSteps {
  if (settings === undefined) return NO_STEPS;
  const details = describeDifferences(pickGiven(now.settings, settings), settings);
  const run = () => changeProject(services, projectId, settings);
  return { first: changeSteps("settings", details, run), last: [] };
}

function userFieldSteps({ services, projectId, now, given: { userFields } }: Push): PartSteps {
  if (userFields === undefined) return NO_STEPS;
  const details = describeFieldDifferences(now.userFields, userFields);
  const run = () => saveUserFields(services, projectId, userFields);
  return { first: changeSteps("user fields", details, run), last: [] };
}

async function collectionSteps({ services, projectId, now, given }: Push): Promise<PartSteps> {
  const { added, kept, removed } = compareLists(
    now.collections,
    given.collections,
    ({ name }) => name,
  );
  const sizes = removed.length === 0 ? [] : await readCollectionSizes(services, projectId);
  const names = added.map(({ name }) => name);
  // One step for all, because new collections may refer to each other.
  const createAll = () => createCollections(services, projectId, added);
  return {
    first: [
      ...(names.length === 0 ? [] : [
        creationStep(`collection${names.length > 1 ? "s" : ""} ${names.join(", ")}`, createAll),
      ]),
      ...kept.flatMap(([before, after]) =>
        changeSteps(
          `collection ${after.name}`,
          describeDefinitionDifferences(before, after),
          () => updateCollection(services, projectId, after),
        )
      ),
    ],
    last: orderForDeletion(removed).map(({ name }) => {
      const count = sizes.find((one) => one.name === name)?.count ?? 0;
      const run = () => deleteCollection(services, projectId, name);
      return deletionStep(`collection ${name}`, run, count > 0 ? `${count} documents` : undefined);
    }),
  };
}

/** Each collection is deleted after those that refer to it. */
function orderForDeletion(removed: readonly CollectionDefinition[]): CollectionDefinition[] {
  const left = [...removed];
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

function templateSteps({ services, projectId, now, given: { mailTemplates } }: Push): PartSteps {
  const nameOf = ({ name, language }: { name: string; language: string }) =>
    `mail template ${name} ${language}`;
  const { added, kept, removed } = compareLists(now.mailTemplates, mailTemplates, nameOf);
  return {
    first: [
      ...added.map((one) => creationStep(nameOf(one), () => setTemplate(services, projectId, one))),
      ...kept.flatMap(([before, after]) =>
        changeSteps(
          nameOf(after),
          describeDifferences(pickGiven(before, after), after),
          () => setTemplate(services, projectId, after),
        )
      ),
    ],
    last: removed.map((one) =>
      deletionStep(nameOf(one), () => deleteTemplate(services, projectId, one))
    ),
  };
}

/** Omitted providers stay unchanged. */
function providerSteps({ services, projectId, now, given: { providers = [] } }: Push): PartSteps {
  return {
    first: providers.flatMap(({ provider, ...input }) => {
      const before = now.providers.find((one) => one.provider === provider) ?? { enabled: false };
      const run = () => setProvider(services, projectId, provider, input);
      return changeSteps(
        `provider ${provider}`,
        describeDifferences(pickGiven(before, input), input),
        run,
      );
    }),
    last: [],
  };
}

const SECRET_DETAILS = ["the server generates its secret: rotate it to see it"];

async function webhookSteps({ services, projectId, now, given }: Push): Promise<PartSteps> {
  const { added, kept, removed } = compareLists(now.webhooks, given.webhooks, ({ name }) => name);
  const { items } = await listWebhooks(services, projectId, { limit: LIST_LIMIT_MAX });
  const webhookKeyOf = ({ name }: { readonly name: string }) => ({
    projectId,
    webhookId: items.find((one) => one.name === name)!.id,
  });
  return {
    first: [
      ...added.map((one) =>
        creationStep(
          `webhook ${one.name}`,
          () => createWebhook(services, projectId, one),
          SECRET_DETAILS,
        )
      ),
      ...kept.flatMap(([before, after]) =>
        changeSteps(
          `webhook ${after.name}`,
          describeDifferences(pickGiven(before, after), after),
          () => updateWebhook(services, webhookKeyOf(after), after),
        )
      ),
    ],
    last: removed.map((one) =>
      deletionStep(`webhook ${one.name}`, () => deleteWebhook(services, webhookKeyOf(one)))
    ),
  };
}
