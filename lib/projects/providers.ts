import { type Clock, timestamp } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedPlace } from "../crypto/sealed_place.ts";
import { Secret } from "../crypto/secret.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * Whether a provider's verified e-mail signs in to the user who has it: `never` keeps users of
 * different providers apart.
 */
export const LINKINGS = ["verified", "never"] as const;

export type Linking = (typeof LINKINGS)[number];

/** A project's own account with a provider. */
export interface ProviderSettings {
  readonly enabled: boolean;
  /** Empty until one is given. */
  readonly clientId: string;
  /** Null until one is given. */
  readonly clientSecret: Secret | null;
  readonly linking: Linking;
}

export interface ProviderInput {
  readonly enabled: boolean;
  readonly clientId: string;
  /** Empty keeps the stored one. */
  readonly clientSecret: string;
  /** Null keeps the stored policy; without one it is `verified`. */
  readonly linking: Linking | null;
}

export interface ProviderStore {
  readonly engine: Engine;
  readonly keyRing: KeyRing;
}

/** In each project's space. */
export const PROVIDER_SETTINGS = recordKind({
  name: "_providers",
  fields: {
    provider: field.text,
    enabled: field.flag,
    clientId: field.text,
    /** The client secret, sealed under the key ring for this project and provider. */
    sealed: nullable(field.text),
    linking: field.textOf<Linking>(),
    createdAt: field.date,
    updatedAt: field.date,
  },
  indexes: [{ keys: [{ path: "provider", descending: false }], unique: true }],
  trash: false,
});

type ProviderRecord = RecordOf<typeof PROVIDER_SETTINGS>;

const bindingOf = (project: Id, provider: string) => ({
  project,
  purpose: `client-secret ${provider}`,
});

export const PROVIDER_SEALS: SealedPlace = {
  definition: PROVIDER_SETTINGS,
  member: "sealed",
  binding: ({ provider }, projectId) => bindingOf(projectId!, String(provider)),
};

/** What the project has set for a provider; null for nothing. Always as it is stored now. */
export async function findProvider(
  { engine, keyRing }: ProviderStore,
  projectId: Id,
  provider: string,
): Promise<ProviderSettings | null> {
  const found = await engine.records<ProviderRecord>(projectId, PROVIDER_SETTINGS)
    .findOne(eq("provider", provider));
  if (found === null) return null;
  const { enabled, clientId, sealed, linking } = found.value;
  const clientSecret = sealed === null
    ? null
    : new Secret(await keyRing.open(sealed, bindingOf(projectId, provider)));
  return { enabled, clientId, clientSecret, linking };
}

const TEXT = /^[\x21-\x7e]{1,500}$/;

/** Stores what a project has with a provider. Throws `INVALID_INPUT`. */
export async function saveProvider(
  services: ProviderStore & { clock: Clock; newId: NewId },
  projectId: Id,
  provider: string,
  input: ProviderInput,
): Promise<ProviderSettings> {
  const { engine, keyRing, clock, newId } = services;
  const { enabled, clientId, clientSecret, linking } = input;
  // One that is not in use may wait for its id.
  if (enabled || clientId !== "") check("client id", clientId);
  if (clientSecret !== "") check("client secret", clientSecret);
  const now = timestamp(clock);
  const change = {
    enabled,
    clientId,
    ...(linking !== null && { linking }),
    ...(clientSecret !== "" && {
      sealed: await keyRing.seal(clientSecret, bindingOf(projectId, provider)),
    }),
    updatedAt: now,
  };
  const records = engine.records<ProviderRecord>(projectId, PROVIDER_SETTINGS);
  const fresh = { provider, sealed: null, linking: "verified", createdAt: now } as const;
  const first = { _id: newId(), ...fresh, ...change };
  await records.upsert(eq("provider", provider), { set: change }, first);
  return (await findProvider(services, projectId, provider))!;
}

/** Never repeats what was given: people paste one in the place of the other. */
function check(what: string, text: string): void {
  if (TEXT.test(text)) return;
  throw new Problem("INVALID_INPUT", {
    message: `The ${what} must be 1 to 500 printable ASCII characters without spaces.`,
  });
}
