import { parseDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import * as collections from "@/lib/documents/save_collection.ts";
import { parseStorageInput, storageRules } from "@/lib/files/storage_input.ts";
import * as storage from "@/lib/files/storage_settings.ts";
import type { Id } from "@/lib/store/port.ts";

/** Verbs, called with what a client would send: it is read as the contract reads it. */

/** Documents of tests have members that nobody declares, so only definitions that say so are strict. */
const loose = (given: unknown) => ({ strict: false, ...given as object });

export const createCollection = async (
  services: collections.CollectionServices,
  projectId: Id,
  given: unknown,
): Promise<CollectionDefinition> =>
  await collections.createCollection(services, projectId, parseDefinition(loose(given)));

export const updateCollection = async (
  services: collections.CollectionServices,
  projectId: Id,
  given: unknown,
  seen: Partial<collections.DefinitionTags> = {},
): Promise<CollectionDefinition> =>
  await collections.updateCollection(services, projectId, parseDefinition(loose(given)), seen);

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
