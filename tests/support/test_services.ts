import { loadConfig } from "@/lib/config.ts";
import { silentLog } from "@/lib/http/log.ts";
import type { Log } from "@/lib/http/log.ts";
import { openServices, type Services } from "@/lib/services.ts";

/** A clock that stands still until it is moved. */
export interface FakeClock {
  now(): number;
  advance(ms: number): void;
}

export function fakeClock(start = Date.parse("2026-01-31T12:00:00.000Z")): FakeClock {
  let now = start;
  return { now: () => now, advance: (ms) => void (now += ms) };
}

export interface TestServices extends AsyncDisposable {
  readonly services: Services;
  readonly clock: FakeClock;
  readonly folder: string;
}

export interface TestOptions {
  /** Environment variables beside those of a test. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: Log;
  readonly clock?: FakeClock;
  /** A folder to share with others; by default a new one that is removed at the end. */
  readonly folder?: string;
}

/** Services on a folder and a clock of their own. */
export async function openTestServices(options: TestOptions = {}): Promise<TestServices> {
  const folder = options.folder ?? await Deno.makeTempDir({ prefix: "corbel-test-" });
  const clock = options.clock ?? fakeClock();
  const config = loadConfig({
    DATABASE_URL: `sqlite:${folder}`,
    SQLITE_SYNC: "normal",
    RATE_LIMITS: "off",
    ...options.env,
  });
  const services = await openServices(config, { log: options.log ?? silentLog, clock });
  return {
    services,
    clock,
    folder,
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      if (options.folder === undefined) await Deno.remove(folder, { recursive: true });
    },
  };
}
