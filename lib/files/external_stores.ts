import { LRUCache } from "lru-cache";
import type { KeyRing } from "../crypto/key_ring.ts";
import { findStorage, openStorageKeys, type StorageSettings } from "./storage_settings.ts";
import type { StorageKeys } from "./storage_input.ts";
import type { Engine, Id } from "../store/port.ts";
import { type Blobs, BlobsUnavailable } from "./blobs.ts";
import type { ReadSignatures } from "./read_signatures.ts";
import { RESUMABLE } from "../http/path.ts";
import type { UploadTokens } from "./upload_tokens.ts";
import { type BlobStores, INTERNAL_TARGET, type StorageTarget } from "./stores.ts";

export interface ExternalStores {
  /** Returns the project's own store by the current stored settings; null if it has none. */
  find(projectId: Id): Promise<StorageTarget | null>;
}

export type OpenedStorage = StorageSettings & StorageKeys;

export interface ExternalServices {
  readonly engine: Engine;
  readonly keyRing: KeyRing;
  /** Opens a store. It is never disposed, because calls to it may still be running. */
  open(storage: OpenedStorage): Promise<Blobs>;
}

const STORES_MAX = 100;

interface CachedStore {
  /** Settings as they are stored. Every change alters this text, because keys are sealed again. */
  readonly json: string;
  readonly target: Promise<StorageTarget>;
}

/** Caches the store of each project until its settings change. */
export function createExternalStores(
  { engine, keyRing, open }: ExternalServices,
  max = STORES_MAX,
): ExternalStores {
  const cache = new LRUCache<Id, CachedStore>({ max });

  return {
    async find(projectId) {
      const stored = await findStorage({ engine }, projectId);
      if (stored === null) return null;
      const { json, value } = stored;
      const cached = cache.get(projectId);
      if (cached?.json === json) return await cached.target;
      const target = (async () => {
        const blobs = await open({ ...value, ...await openStorageKeys(keyRing, value) });
        return { name: value.target, blobs };
      })();
      cache.set(projectId, { json, target });
      try {
        return await target;
      } catch (error) {
        cache.delete(projectId); // The next call tries again.
        throw error;
      }
    },
  };
}

/** Creates the stores of all projects: a project's own store if it has one, else `internal`. */
export function createBlobStores(
  internal: Blobs,
  external: ExternalStores,
  { filesUrl, publicUrl, readSignatures, uploadTokens }: {
    readonly filesUrl: string;
    readonly publicUrl: string;
    readonly readSignatures: ReadSignatures;
    readonly uploadTokens: UploadTokens;
  },
): BlobStores {
  return {
    internal,
    currentTarget: async (projectId) =>
      await external.find(projectId) ?? { name: INTERNAL_TARGET, blobs: internal },
    async blobsOf(projectId, target) {
      if (target === INTERNAL_TARGET) return internal;
      const found = await external.find(projectId);
      if (found?.name === target) return found.blobs;
      throw new BlobsUnavailable(`The project's storage is no longer "${target}"`);
    },
    sizesUrl(path, expiresAt) {
      const url = `${filesUrl}/files/${path}`;
      return expiresAt === null ? url : `${url}?${readSignatures.sign({ path, expiresAt })}`;
    },
    resumableUrl: (path) => `${publicUrl}${RESUMABLE}${uploadTokens.writeResumable(path)}`,
    [Symbol.asyncDispose]: () => internal[Symbol.asyncDispose](),
  };
}
