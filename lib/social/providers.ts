import type { Clock } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import { Problem } from "../problems.ts";
import { didYouMean } from "../text/nearest.ts";
import type { Chooser, Provider } from "./provider.ts";
import { development } from "./providers/development.ts";
import { github } from "./providers/github.ts";
import { google } from "./providers/google.ts";

/** Every provider that projects set up, by its name in paths. A file and a row here make another one. */
const TABLE = { github, google } as const satisfies Record<
  string,
  (config: Config, clock: Clock) => Provider
>;

/** Providers that nobody sets up, each in the processes that have it. */
const UNASKED = { dev: development } as const;

export const PROVIDER_NAMES: readonly string[] = Object.keys(TABLE);

/** Those that users may sign in with, if the process has them. */
export const SIGN_IN_NAMES: readonly string[] = [...PROVIDER_NAMES, ...Object.keys(UNASKED)];

/** The name of a provider that projects set up. Throws `PROVIDER_UNKNOWN`. */
export function knownProvider(name: string): string {
  if (PROVIDER_NAMES.includes(name)) return name;
  throw unknownProvider(name);
}

/** The name, if users may sign in with such a provider somewhere. Throws `PROVIDER_UNKNOWN`. */
export function signInProvider(name: string): string {
  if (SIGN_IN_NAMES.includes(name)) return name;
  throw unknownProvider(name);
}

const unknownProvider = (name: string): Problem =>
  new Problem("PROVIDER_UNKNOWN", {
    message: `There is no such sign-in provider: it is ${PROVIDER_NAMES.join(" or ")}.` +
      didYouMean(name, PROVIDER_NAMES),
  });

/** The providers of one process. They know nothing of projects. */
export interface Providers {
  /** Throws `PROVIDER_UNKNOWN`. */
  find(name: string): Provider;
  /** The one whose users choose who they are; null where there is none. */
  readonly chosen: ChosenProvider | null;
}

export interface ChosenProvider {
  readonly name: string;
  readonly title: string;
  readonly chooser: Chooser;
}

/** @param codeKeys To sign codes with that this process gives, the newest first. */
export function createProviders(
  config: Config,
  clock: Clock,
  codeKeys: readonly string[],
): Providers {
  const providers = new Map<string, Provider>(
    Object.entries(TABLE).map(([name, make]) => [name, make(config, clock)]),
  );
  for (const [name, make] of Object.entries(UNASKED)) {
    const provider = make(config, { clock, keys: codeKeys });
    if (provider !== null) providers.set(name, provider);
  }
  const chosen = [...providers].flatMap(([name, { title, chooser }]) =>
    chooser === undefined ? [] : [{ name, title, chooser }]
  );
  return {
    find(name) {
      const provider = providers.get(name);
      if (provider === undefined) throw unknownProvider(name);
      return provider;
    },
    chosen: chosen[0] ?? null,
  };
}
