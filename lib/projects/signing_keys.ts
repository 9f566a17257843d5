import { exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { Clock } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedField } from "../crypto/sealed_field.ts";
import type { NewId } from "../ids.ts";
import { timestamp } from "../clock.ts";
import { createLru } from "../lru.ts";
import { ALL } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

export const KEY_ALGORITHM = "EdDSA";

/** Key pairs that sign access tokens. Stored in the project's space. */
export const SIGNING_KEYS = recordKind({
  name: "_signingKeys",
  fields: {
    createdAt: field.date,
    x: field.undeclared<string>(),
    /** The private key, sealed for this project and purpose. */
    sealed: field.undeclared<string>(),
  },
  indexes: [],
  trash: false,
});

type SigningKeyRecord = RecordOf<typeof SIGNING_KEYS>;

export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: CryptoKey;
  /** Unseals the key at the first call. The key cannot be exported. */
  privateKey(): Promise<CryptoKey>;
}

export interface SigningKeys {
  create(projectId: Id): Promise<void>;
  find(projectId: Id): Promise<SigningKey | null>;
}

const CACHED_KEYS_MAX = 2_000;
const bindingOf = (projectId: Id) => ({ project: projectId, purpose: "access-token-key" });

export const SIGNING_KEY_SEALS: SealedField = {
  definition: SIGNING_KEYS,
  member: "sealed",
  binding: (_, projectId) => bindingOf(projectId!),
};

export function createSigningKeys(
  services: { engine: Engine; keyRing: KeyRing; newId: NewId; clock: Clock },
): SigningKeys {
  const { engine, keyRing, newId, clock } = services;
  // Entries do not expire, because a key never changes.
  const cache = createLru<Id, SigningKey>(CACHED_KEYS_MAX);
  const records = (projectId: Id) => engine.records<SigningKeyRecord>(projectId, SIGNING_KEYS);

  return {
    async create(projectId) {
      const { publicKey, privateKey } = await generateKeyPair(KEY_ALGORITHM, { extractable: true });
      const [{ x }, { d }] = await Promise.all([exportJWK(publicKey), exportJWK(privateKey)]);
      await records(projectId).insert({
        _id: newId(),
        x: x!,
        sealed: await keyRing.seal(d!, bindingOf(projectId)),
        createdAt: timestamp(clock),
      });
    },
    async find(projectId) {
      const cached = cache.get(projectId);
      if (cached !== undefined) return cached;
      const record = await records(projectId).findOne(ALL);
      if (record === null) return null;
      const { _id: kid, x, sealed } = record.value;
      const jwk: JWK = { kty: "OKP", crv: "Ed25519", x };
      let privateKey: Promise<CryptoKey> | undefined;
      const opened = async () =>
        importKey({ ...jwk, d: await keyRing.open(sealed, bindingOf(projectId)) });
      const key: SigningKey = {
        kid,
        publicJwk: { ...jwk, kid, use: "sig", alg: KEY_ALGORITHM },
        publicKey: await importKey(jwk),
        privateKey: () => privateKey ??= opened(),
      };
      cache.set(projectId, key);
      return key;
    },
  };
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  // importJWK() returns bytes only for symmetric keys.
  return await importJWK(jwk, KEY_ALGORITHM) as CryptoKey;
}
