import { parseDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import * as collections from "@/lib/documents/save_collection.ts";
import { parseStorageInput, storageRules } from "@/lib/files/storage_input.ts";
import * as storage from "@/lib/files/storage_settings.ts";
import type { Id } from "@/lib/store/port.ts";

/** Verbs that are called with the JSON of a client and parse it as the contract does. */

/** Definitions are not strict by default, because tests store documents with undeclared members. */
const notStrict = (given: unknown) => ({ strict: false, ...given as object });

export const createCollection = async (
  services: collections.CollectionServices,
  projectId: Id,
  given: unknown,
): Promise<CollectionDefinition> =>
  await collections.createCollection(services, projectId, parseDefinition(notStrict(given)));

export const updateCollection = async (
  services: collections.CollectionServices,
  projectId: Id,
  given: unknown,
  seen: Partial<collections.DefinitionTags> = {},
): Promise<CollectionDefinition> =>
  await collections.updateCollection(services, projectId, parseDefinition(notStrict(given)), seen);

export const setStorage = async (
  services: storage.StorageServices,
  projectId: Id,
  given: unknown,
): Promise<storage.StorageSettings> =>
  await storage.setStorage(
    services,
    projectId,
    parseStorageInput(storageRules(services), given),
  );
