import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { createLru } from "../lru.ts";
import { createDelayedTask } from "../delayed_task.ts";
import type { Log } from "../runtime/log.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { API_KEYS, type ApiKeyRecord, type BrowserUse } from "./api_keys.ts";

/**
 * Records web pages that use secret keys, because everyone who opens such a page can read the key.
 * Stores only the last use of each key, at most once an hour per process.
 */
export interface KeyNotes extends AsyncDisposable {
  /** @param key A valid secret key. */
  noteBrowserUse(key: string, origin: string): void;
  /** Runs automatically within {@linkcode STORE_AFTER_MS}. */
  store(): Promise<void>;
}

const STORE_AFTER_MS = 5_000;
const NOTE_INTERVAL_MS = 3_600_000;
const REMEMBERED_KEYS_MAX = 1_000;
const ORIGIN_LENGTH_MAX = 200;

export function createKeyNotes(
  { engine, clock, log }: { engine: Engine; clock: Clock; log: Log },
): KeyNotes {
  const notedAt = createLru<string, number>(REMEMBERED_KEYS_MAX);
  let pending = new Map<string, BrowserUse>();
  const storing = createDelayedTask(storeAll, STORE_AFTER_MS);

  async function storeAll(): Promise<void> {
    const notes = pending;
    pending = new Map();
    const records = engine.records<ApiKeyRecord>("control", API_KEYS);
    try {
      for (const [hash, seenInBrowser] of notes) {
        await records.updateOne(eq("hash", hash), { set: { seenInBrowser } });
      }
    } catch (error) {
      log.write("warn", "The use of a secret key by a browser could not be recorded", {
        error: String(error),
      });
    }
  }

  return {
    noteBrowserUse(key, origin) {
      const hash = sha256(key);
      const now = clock.elapsed();
      const before = notedAt.get(hash);
      if (before !== undefined && now - before < NOTE_INTERVAL_MS) return;
      notedAt.set(hash, now);
      pending.set(hash, { origin: origin.slice(0, ORIGIN_LENGTH_MAX), at: timestamp(clock) });
      storing.schedule();
    },
    store: storing.now,
    [Symbol.asyncDispose]: () => storing[Symbol.asyncDispose](),
  };
}

export async function lastBrowserUse(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<BrowserUse | null> {
  const found = await engine.records<ApiKeyRecord>("control", API_KEYS)
    .findOne(and(eq("projectId", projectId), eq("kind", "secret")));
  return found?.value.seenInBrowser ?? null;
}
