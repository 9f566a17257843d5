import { timestamp } from "../clock.ts";
import { definitionOf, placeOf } from "../documents/catalog.ts";
import { checkCollectionName, referencedCollections } from "../documents/definition.ts";
import type { CollectionDefinition } from "../documents/fields.ts";
import { redefine, type Redefining } from "../documents/redefine.ts";
import { type CollectionRename, withReference } from "../documents/references.ts";
import { asJson } from "../documents/replace_definition.ts";
import { getCollection, readCollections } from "../documents/save_collection.ts";
import { type WebhookEvents, type WebhookRecord, WEBHOOKS } from "../events/webhooks/records.ts";
import { tellWebhooks } from "../events/webhooks/tell.ts";
import { Problem } from "../problems.ts";
import type { Services } from "../services.ts";
import { StoreUnavailable, UniqueViolation } from "../store/errors.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Id, Transaction } from "../store/port.ts";
import { shown } from "../text/input_text.ts";
import { renameUserReferences } from "../users/user_fields.ts";

type RenameServices = Pick<
  Services,
  | "plans"
  | "engine"
  | "catalog"
  | "userFields"
  | "clock"
  | "newId"
  | "log"
  | "jobRunner"
  | "webhookTeller"
>;

/**
 * Gives a collection another name. Its documents stay where they are; what refers to it follows in
 * the same transaction: Refs of all collections and of users, and what webhooks are told. Throws
 * `INVALID_DEFINITION` for a name that no collection can have, `COLLECTION_NOT_FOUND` and
 * `COLLECTION_EXISTS`.
 */
export async function renameCollection(
  services: RenameServices,
  projectId: Id,
  rename: CollectionRename,
): Promise<CollectionDefinition> {
  const { from, to } = rename;
  checkCollectionName(to);
  if (from === to) return await getCollection(services, projectId, from);
  const { definition, isTold } = await attempt(services, projectId, rename);
  services.catalog.forgetProject(projectId); // Others refer to it.
  services.userFields.forget(projectId);
  if (isTold) await endFormerEvents(services, projectId, rename);
  return definition;
}

async function attempt(services: RenameServices, projectId: Id, rename: CollectionRename) {
  try {
    return await redefine(services, projectId, { name: rename.from }, async (redefining) => {
      const definition = await renameRecord(services, redefining, rename);
      await renameUserReferences(redefining.tx, rename);
      return { definition, isTold: await renameEvents(redefining.tx, rename) };
    });
  } catch (cause) {
    if (!(cause instanceof UniqueViolation)) throw cause;
    throw new Problem("COLLECTION_EXISTS", {
      cause,
      message: `A collection of this name exists already: ${shown(rename.to)}; names that ` +
        "differ only in case are one.",
    });
  }
}

async function renameRecord(
  { clock }: RenameServices,
  { records, stored: { value: own } }: Redefining,
  rename: CollectionRename,
): Promise<CollectionDefinition> {
  const { from, to: name } = rename;
  const updatedAt = timestamp(clock);
  for (const record of await readCollections(records)) {
    if (record._id === own._id || !referencedCollections(record.definition.fields).includes(from)) {
      continue;
    }
    const definition = asJson(withReferences(definitionOf(record), rename));
    await records.updateOne(eq("_id", record._id), { set: { definition, updatedAt } });
  }
  const definition = { ...withReferences(definitionOf(own), rename), name };
  await records.updateOne(eq("_id", own._id), {
    set: {
      name,
      nameLower: name.toLowerCase(),
      storedAs: placeOf(own),
      definition: asJson(definition),
      updatedAt,
    },
  });
  return definition;
}

const withReferences = (
  definition: CollectionDefinition,
  rename: CollectionRename,
): CollectionDefinition => ({
  ...definition,
  fields: definition.fields.map((field) => withReference(field, rename)),
});

/**
 * Has webhooks told by the new name. They hear by the former one as well, until they are told of the
 * changes that were noted under it. Resolves to whether any is told at all.
 */
async function renameEvents(
  tx: Transaction,
  { from, to }: CollectionRename,
): Promise<boolean> {
  let isTold = false;
  const webhooks = tx.records<WebhookRecord>(WEBHOOKS);
  for await (const { _id, events } of webhooks.find({ filter: ALL })) {
    if (!Object.hasOwn(events, from)) continue;
    isTold = true;
    const asked: WebhookEvents = { ...events, [to]: events[from]! };
    await webhooks.updateOne(eq("_id", _id), { set: { events: asked } });
  }
  return isTold;
}

/** Where it is cut off, webhooks keep a name that no collection has, as behind a deletion. */
async function endFormerEvents(
  services: RenameServices,
  projectId: Id,
  { from }: CollectionRename,
): Promise<void> {
  try {
    await tellWebhooks(services, projectId);
    await services.engine.transaction(projectId, async (tx) => {
      const webhooks = tx.records<WebhookRecord>(WEBHOOKS);
      for await (const { _id, events } of webhooks.find({ filter: ALL })) {
        const { [from]: former, ...rest } = events;
        if (former !== undefined) {
          await webhooks.updateOne(eq("_id", _id), { set: { events: rest } });
        }
      }
    });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
  services.webhookTeller.forget(projectId);
}
