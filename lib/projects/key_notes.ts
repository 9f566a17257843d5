import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { createLru } from "../lru.ts";
import { postponed } from "../postponed.ts";
import type { Log } from "../runtime/log.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { API_KEYS, type ApiKeyRecord, type BrowserUse } from "./api_keys.ts";

/**
 * Notes which pages secret keys were used from: whoever opens such a page can read the key. A key has
 * one note, the last, and each process writes it at most once an hour, soon after the request.
 */
export interface KeyNotes extends AsyncDisposable {
  /** @param key A secret one that is valid. */
  usedInBrowser(key: string, origin: string): void;
  /** Stores what was noted so far; happens by itself within {@linkcode STORE_AFTER_MS}. */
  store(): Promise<void>;
}

const STORE_AFTER_MS = 5_000;
const NOTE_EVERY_MS = 3_600_000;
const KEYS_KEPT = 1_000;
const ORIGIN_LENGTH_MAX = 200;

export function createKeyNotes(
  { engine, clock, log }: { engine: Engine; clock: Clock; log: Log },
): KeyNotes {
  const notedAt = createLru<string, number>(KEYS_KEPT);
  let waiting = new Map<string, BrowserUse>();
  const storing = postponed(storeAll, STORE_AFTER_MS);

  async function storeAll(): Promise<void> {
    const notes = waiting;
    waiting = new Map();
    const records = engine.records<ApiKeyRecord>("control", API_KEYS);
    try {
      for (const [hash, seenInBrowser] of notes) {
        await records.updateOne(eq("hash", hash), { set: { seenInBrowser } });
      }
    } catch (error) {
      log.write("warn", "That a secret key was used from a browser could not be noted", {
        error: String(error),
      });
    }
  }

  return {
    usedInBrowser(key, origin) {
      const hash = sha256(key);
      const now = clock.elapsed();
      const before = notedAt.get(hash);
      if (before !== undefined && now - before < NOTE_EVERY_MS) return;
      notedAt.set(hash, now);
      waiting.set(hash, { origin: origin.slice(0, ORIGIN_LENGTH_MAX), at: timestamp(clock) });
      storing.later();
    },
    store: storing.now,
    [Symbol.asyncDispose]: () => storing[Symbol.asyncDispose](),
  };
}

/** Where the project's secret key was last used from a browser; null if nowhere. */
export async function secretKeyInBrowser(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<BrowserUse | null> {
  const found = await engine.records<ApiKeyRecord>("control", API_KEYS)
    .findOne(and(eq("projectId", projectId), eq("kind", "secret")));
  return found?.value.seenInBrowser ?? null;
}
