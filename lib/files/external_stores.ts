import { LRUCache } from "lru-cache";
import type { KeyRing } from "../crypto/key_ring.ts";
import { findStorage, openStorageKeys, type StorageSettings } from "./storage_settings.ts";
import type { StorageKeys } from "./storage_input.ts";
import type { Engine, Id } from "../store/port.ts";
import { type Blobs, BlobsUnavailable } from "./blobs.ts";
import type { ReadSignatures } from "./read_signatures.ts";
import { RESUMABLE } from "../http/path.ts";
import type { UploadTokens } from "./upload_tokens.ts";
import { type BlobStores, INTERNAL, type StorageTarget } from "./stores.ts";

/** The stores that projects brought. */
export interface ExternalStores {
  /** The project's own store, as it is set now in whichever process; null when it has none. */
  find(projectId: Id): Promise<StorageTarget | null>;
}

/** All there is to know of a project's own store. */
export type OpenedStorage = StorageSettings & StorageKeys;

export interface ExternalServices {
  readonly engine: Engine;
  readonly keyRing: KeyRing;
  /**
   * Makes a store. It is dropped without being disposed, since calls to it may still be under way:
   * connections are the business of the egress guard.
   */
  open(storage: OpenedStorage): Promise<Blobs>;
}

const STORES_MAX = 100;

interface Kept {
  /** As it was stored: every change makes another text, by the seal alone. */
  readonly json: string;
  readonly target: Promise<StorageTarget>;
}

/** Keeps the store of a project, with its client, as long as it is set as it was. */
export function createExternalStores(
  { engine, keyRing, open }: ExternalServices,
  max = STORES_MAX,
): ExternalStores {
  const kept = new LRUCache<Id, Kept>({ max });

  return {
    async find(projectId) {
      const stored = await findStorage({ engine }, projectId);
      if (stored === null) return null;
      const { json, value } = stored;
      const known = kept.get(projectId);
      if (known?.json === json) return await known.target;
      const target = (async () => {
        const blobs = await open({ ...value, ...await openStorageKeys(keyRing, value) });
        return { name: value.target, blobs };
      })();
      kept.set(projectId, { json, target });
      try {
        return await target;
      } catch (error) {
        kept.delete(projectId); // The next call tries again.
        throw error;
      }
    },
  };
}

/** Files of a project are in its own store where it has one, and in ours where not. */
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
    current: async (projectId) =>
      await external.find(projectId) ?? { name: INTERNAL, blobs: internal },
    async named(projectId, target) {
      if (target === INTERNAL) return internal;
      const found = await external.find(projectId);
      if (found?.name === target) return found.blobs;
      throw new BlobsUnavailable(`The project's storage is no longer "${target}"`);
    },
    sizesUrl(path, expiresAt) {
      const url = `${filesUrl}/files/${path}`;
      return expiresAt === null ? url : `${url}?${readSignatures.write({ path, expiresAt })}`;
    },
    resumableUrl: (path) => `${publicUrl}${RESUMABLE}${uploadTokens.writeResumable(path)}`,
    [Symbol.asyncDispose]: () => internal[Symbol.asyncDispose](),
  };
}
