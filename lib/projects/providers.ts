import { type Clock, timestamp } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedField } from "../crypto/sealed_field.ts";
import { Secret } from "../crypto/secret.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** `verified` signs in as the existing user with the verified e-mail; `never` does not. */
export const LINKINGS = ["verified", "never"] as const;

export type Linking = (typeof LINKINGS)[number];

/** Settings of a project's OAuth client at a provider. */
export interface ProviderSettings {
  readonly enabled: boolean;
  /** Empty until it is set. */
  readonly clientId: string;
  /** Null until it is set. */
  readonly clientSecret: Secret | null;
  readonly linking: Linking;
}

export interface ProviderInput {
  readonly enabled: boolean;
  readonly clientId: string;
  /** An empty text keeps the stored secret. */
  readonly clientSecret: string;
  /** Null keeps the stored policy, which is `verified` at first. */
  readonly linking: Linking | null;
}

export interface ProviderStore {
  readonly engine: Engine;
  readonly keyRing: KeyRing;
}

/** Settings of sign-in providers. Stored in the project's space. */
export const PROVIDER_SETTINGS = recordKind({
  name: "_providers",
  fields: {
    provider: field.text,
    enabled: field.flag,
    clientId: field.text,
    /** The client secret, sealed under the key ring for this project and provider. */
    sealed: nullable(field.text),
    linking: field.oneOf<Linking>(),
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

export const PROVIDER_SEALS: SealedField = {
  definition: PROVIDER_SETTINGS,
  member: "sealed",
  binding: ({ provider }, projectId) => bindingOf(projectId!, String(provider)),
};

/** Does not cache. */
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

/** Returns the stored settings. Throws `INVALID_INPUT`. */
export async function saveProvider(
  services: ProviderStore & { clock: Clock; newId: NewId },
  projectId: Id,
  provider: string,
  input: ProviderInput,
): Promise<ProviderSettings> {
  const { engine, keyRing, clock, newId } = services;
  const { enabled, clientId, clientSecret, linking } = input;
  // A provider that is not enabled needs no client id yet.
  if (enabled || clientId !== "") checkCredential("client id", clientId);
  if (clientSecret !== "") checkCredential("client secret", clientSecret);
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

/** Throws `INVALID_INPUT`. The message omits the text, because people mix up id and secret. */
function checkCredential(what: string, text: string): void {
  if (TEXT.test(text)) return;
  throw new Problem("INVALID_INPUT", {
    message: `The ${what} must be 1 to 500 printable ASCII characters without spaces.`,
  });
}
