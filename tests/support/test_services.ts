import type { Passwords } from "@/lib/credentials/passwords.ts";
import type { Clock } from "@/lib/clock.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import type { Log } from "@/lib/runtime/log.ts";
import type { NewId } from "@/lib/ids.ts";
import { openServices, type Services } from "@/lib/services.ts";
import { createTestStore, database, type TestStore } from "./test_store.ts";

// Imported lazily because the MongoDB driver takes longer to load than most test files run.
const shared = database === "mongodb" ? await import("../contract/file_mongodb.ts") : null;

/** A clock that only moves when a test moves it. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Moves the clock backwards, as when the clock of a machine is corrected. */
  setBack(ms: number): void;
}

export function fakeClock(start = Date.parse("2026-01-31T12:00:00.000Z")): FakeClock {
  let [elapsed, ahead] = [0, start];
  return {
    now: () => elapsed + ahead,
    elapsed: () => elapsed,
    advance: (ms) => void (elapsed += ms),
    setBack: (ms) => void (ahead -= ms),
  };
}

export interface TestServices extends AsyncDisposable {
  readonly services: Services;
  readonly clock: FakeClock;
  readonly store: TestStore;
  readonly folder: string;
}

export interface TestOptions {
  /** Environment variables in addition to those of a test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the services run as in `dev`. */
  readonly isDev?: boolean;
  readonly log?: Log;
  readonly clock?: FakeClock;
  readonly newId?: NewId;
  /** A store to share with other services; by default a new store, removed at the end. */
  readonly store?: TestStore;
}

export async function openTestServices(options: TestOptions = {}): Promise<TestServices> {
  await using opening = new AsyncDisposableStack();
  const prefix = options.store === undefined ? shared?.newPrefix() : undefined;
  const store = options.store ?? opening.use(await createTestStore(database, prefix));
  const clock = options.clock ?? fakeClock();
  const config = loadConfig({
    ...store.settings,
    SQLITE_SYNC: "normal",
    RATE_LIMITS: "off",
    MAIL_URL: "keep:",
    REGISTRATION: "open",
    ...options.env,
    isDev: options.isDev ?? false,
  });
  const opened = opening.use(
    await openServices(config, {
      log: options.log ?? silentLog,
      clock,
      ...(options.newId && { newId: options.newId }),
      ...(prefix !== undefined && { engine: shared!.engineOver(prefix, config.queryTimeLimitMs) }),
    }),
  );
  const services = { ...opened, passwords: withCachedHash(opened.passwords) };
  const resources = opening.move();
  return {
    services,
    clock,
    store,
    folder: store.folder,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export const PASSWORD = "seven wet stones 41";

let hashed: Promise<string> | undefined;

/**
 * Hashes {@linkcode PASSWORD} once for all tests of a file, because a hash takes as long as a
 * hundred requests. Other passwords, and all checks of passwords, are not cached.
 */
const withCachedHash = (passwords: Passwords): Passwords => ({
  ...passwords,
  hash: (...[password, ...rest]: Parameters<Passwords["hash"]>) =>
    password === PASSWORD
      ? hashed ??= passwords.hash(password, ...rest)
      : passwords.hash(password, ...rest),
});
