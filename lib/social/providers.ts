import type { Clock } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import { Problem } from "../problems.ts";
import { didYouMean } from "../text/nearest.ts";
import type { Chooser, Provider } from "./provider.ts";
import { development } from "./providers/development.ts";
import { github } from "./providers/github.ts";
import { google } from "./providers/google.ts";

/** Providers that projects configure, by name in paths. Add a file and a row for a new provider. */
const PROVIDERS = { github, google } as const satisfies Record<
  string,
  (config: Config, clock: Clock) => Provider
>;

/** Providers without configuration, which only some processes have. */
const PRECONFIGURED_PROVIDERS = { dev: development } as const;

export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS);

/** Names of all providers with which users can sign in, if the process has them. */
export const SIGN_IN_NAMES: readonly string[] = [
  ...PROVIDER_NAMES,
  ...Object.keys(PRECONFIGURED_PROVIDERS),
];

/** Returns the name of a provider that projects configure. Throws `PROVIDER_UNKNOWN`. */
export function checkProviderName(name: string): string {
  if (PROVIDER_NAMES.includes(name)) return name;
  throw unknownProviderProblem(name);
}

/** Returns the name of any provider. Throws `PROVIDER_UNKNOWN`. */
export function checkSignInProviderName(name: string): string {
  if (SIGN_IN_NAMES.includes(name)) return name;
  throw unknownProviderProblem(name);
}

const unknownProviderProblem = (name: string): Problem =>
  new Problem("PROVIDER_UNKNOWN", {
    message: `There is no such sign-in provider: it is ${PROVIDER_NAMES.join(" or ")}.` +
      didYouMean(name, PROVIDER_NAMES),
  });

export interface Providers {
  /** Returns a provider by name. Throws `PROVIDER_UNKNOWN`. */
  find(name: string): Provider;
  /** The provider whose users choose who they are; null if the process has none. */
  readonly chooserProvider: ChooserProvider | null;
}

export interface ChooserProvider {
  readonly name: string;
  readonly title: string;
  readonly chooser: Chooser;
}

/** @param codeKeys Keys that sign the codes of this process, newest first. */
export function createProviders(
  config: Config,
  clock: Clock,
  codeKeys: readonly string[],
): Providers {
  const providers = new Map<string, Provider>(
    Object.entries(PROVIDERS).map(([name, make]) => [name, make(config, clock)]),
  );
  for (const [name, make] of Object.entries(PRECONFIGURED_PROVIDERS)) {
    const provider = make(config, { clock, keys: codeKeys });
    if (provider !== null) providers.set(name, provider);
  }
  const chosen = [...providers].flatMap(([name, { title, chooser }]) =>
    chooser === undefined ? [] : [{ name, title, chooser }]
  );
  return {
    find(name) {
      const provider = providers.get(name);
      if (provider === undefined) throw unknownProviderProblem(name);
      return provider;
    },
    chooserProvider: chosen[0] ?? null,
  };
}
