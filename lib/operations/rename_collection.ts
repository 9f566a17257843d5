import { timestamp } from "../clock.ts";
import { definitionOf, tableName } from "../documents/catalog.ts";
import { checkCollectionName, referencedCollections } from "../documents/definition.ts";
import type { CollectionDefinition } from "../documents/fields.ts";
import { type OpenDefinition, redefine } from "../documents/redefine.ts";
import { type CollectionRename, withNewReference } from "../documents/references.ts";
import { asJson } from "../documents/replace_definition.ts";
import { getCollection, readCollections } from "../documents/save_collection.ts";
import { type WebhookEvents, type WebhookRecord, WEBHOOKS } from "../events/webhooks/records.ts";
import { dispatchChanges } from "../events/webhooks/dispatch.ts";
import { Problem } from "../problems.ts";
import type { Services } from "../services.ts";
import { StoreUnavailable, UniqueViolation } from "../store/errors.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Id, Transaction } from "../store/port.ts";
import { quoted } from "../text/input_text.ts";
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
  | "webhookDispatcher"
>;

/**
 * Updates references from collections, users and webhooks in the transaction of the rename. Throws
 * `INVALID_DEFINITION` for an invalid name, `COLLECTION_NOT_FOUND` and `COLLECTION_EXISTS`.
 */
export async function renameCollection(
  services: RenameServices,
  projectId: Id,
  rename: CollectionRename,
): Promise<CollectionDefinition> {
  const { from, to } = rename;
  checkCollectionName(to);
  if (from === to) return await getCollection(services, projectId, from);
  const { definition, isTold: hasEvents } = await renameInTransaction(services, projectId, rename);
  services.catalog.forgetProject(projectId); // Other collections may refer to the renamed one.
  services.userFields.forget(projectId);
  if (hasEvents) await removeOldEvents(services, projectId, rename);
  return definition;
}

async function renameInTransaction(
  services: RenameServices,
  projectId: Id,
  rename: CollectionRename,
) {
  try {
    return await redefine(services, projectId, { name: rename.from }, async (redefining) => {
      const definition = await renameDefinition(services, redefining, rename);
      await renameUserReferences(redefining.tx, rename);
      return { definition, isTold: await renameEvents(redefining.tx, rename) };
    });
  } catch (cause) {
    if (!(cause instanceof UniqueViolation)) throw cause;
    throw new Problem("COLLECTION_EXISTS", {
      cause,
      message: `A collection of this name exists already: ${quoted(rename.to)}; names that ` +
        "differ only in case are the same name.",
    });
  }
}

async function renameDefinition(
  { clock }: RenameServices,
  { records, stored: { value: own } }: OpenDefinition,
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
      storedAs: tableName(own),
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
  fields: definition.fields.map((field) => withNewReference(field, rename)),
});

/**
 * Subscribes webhooks to the new name, too: changes under the old name are not yet dispatched.
 * Returns whether any webhook is subscribed to the collection.
 */
async function renameEvents(
  tx: Transaction,
  { from, to }: CollectionRename,
): Promise<boolean> {
  let hasEvents = false;
  const webhooks = tx.records<WebhookRecord>(WEBHOOKS);
  for await (const { _id, events } of webhooks.find({ filter: ALL })) {
    if (!Object.hasOwn(events, from)) continue;
    hasEvents = true;
    const asked: WebhookEvents = { ...events, [to]: events[from]! };
    await webhooks.updateOne(eq("_id", _id), { set: { events: asked } });
  }
  return hasEvents;
}

/**
 * Dispatches changes under the old name, then removes the name from webhooks. If interrupted,
 * webhooks keep it, as after a deletion.
 */
async function removeOldEvents(
  services: RenameServices,
  projectId: Id,
  { from }: CollectionRename,
): Promise<void> {
  try {
    await dispatchChanges(services, projectId);
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
  services.webhookDispatcher.invalidate(projectId);
}
