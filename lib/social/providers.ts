import type { Clock } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import { Problem } from "../problems.ts";
import type { Provider } from "./provider.ts";
import { github } from "./providers/github.ts";
import { google } from "./providers/google.ts";

/** Every provider by its name in paths. A file and a row here make another one. */
const TABLE = { github, google } as const satisfies Record<
  string,
  (config: Config, clock: Clock) => Provider
>;

export const PROVIDER_NAMES: readonly string[] = Object.keys(TABLE);

/** The name, if a provider has it. Throws `PROVIDER_UNKNOWN`. */
export function knownProvider(name: string): string {
  if (PROVIDER_NAMES.includes(name)) return name;
  throw new Problem("PROVIDER_UNKNOWN", {
    message: `There is no such sign-in provider: it is ${PROVIDER_NAMES.join(" or ")}.`,
  });
}

/** The providers of one process. They know nothing of projects. */
export interface Providers {
  /** Throws `PROVIDER_UNKNOWN`. */
  find(name: string): Provider;
}

export function createProviders(config: Config, clock: Clock): Providers {
  const providers = new Map<string, Provider>(
    Object.entries(TABLE).map(([name, make]) => [name, make(config, clock)]),
  );
  return {
    find: (name) => providers.get(knownProvider(name))!,
  };
}
