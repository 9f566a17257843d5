import { exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { Clock } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedPlace } from "../crypto/sealed_place.ts";
import type { NewId } from "../ids.ts";
import { timestamp } from "../clock.ts";
import { createLru } from "../lru.ts";
import { ALL } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

export const ALGORITHM = "EdDSA";

/** In each project's space. */
export const SIGNING_KEYS = recordKind({
  name: "_signingKeys",
  fields: {
    createdAt: field.date,
    x: field.undeclared<string>(),
    /** The private key, sealed under the key ring for this project and purpose. */
    sealed: field.undeclared<string>(),
  },
  indexes: [],
  trash: false,
});

type SigningKeyRecord = RecordOf<typeof SIGNING_KEYS>;

/** A project's key for access tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: CryptoKey;
  /** The private key, opened when it is asked for first; nobody can take it out of the process. */
  privateKey(): Promise<CryptoKey>;
}

/** Keeps each project's signing key. */
export interface SigningKeys {
  /** Makes a key for a new project. */
  create(projectId: Id): Promise<void>;
  /** Null for a project without a key. */
  find(projectId: Id): Promise<SigningKey | null>;
}

const KEYS_KEPT = 2_000;
const binding = (projectId: Id) => ({ project: projectId, purpose: "access-token-key" });

export const SIGNING_KEY_SEALS: SealedPlace = {
  definition: SIGNING_KEYS,
  member: "sealed",
  binding: (_, projectId) => binding(projectId!),
};

export function createSigningKeys(
  services: { engine: Engine; keyRing: KeyRing; newId: NewId; clock: Clock },
): SigningKeys {
  const { engine, keyRing, newId, clock } = services;
  // A key never changes once it is made, so it may be kept for good.
  const known = createLru<Id, SigningKey>(KEYS_KEPT);
  const records = (projectId: Id) => engine.records<SigningKeyRecord>(projectId, SIGNING_KEYS);

  return {
    async create(projectId) {
      const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
      const [{ x }, { d }] = await Promise.all([exportJWK(publicKey), exportJWK(privateKey)]);
      await records(projectId).insert({
        _id: newId(),
        x: x!,
        sealed: await keyRing.seal(d!, binding(projectId)),
        createdAt: timestamp(clock),
      });
    },
    async find(projectId) {
      const kept = known.get(projectId);
      if (kept !== undefined) return kept;
      const record = await records(projectId).findOne(ALL);
      if (record === null) return null;
      const { _id: kid, x, sealed } = record.value;
      const jwk: JWK = { kty: "OKP", crv: "Ed25519", x };
      let privateKey: Promise<CryptoKey> | undefined;
      const opened = async () =>
        importKey({ ...jwk, d: await keyRing.open(sealed, binding(projectId)) });
      const key: SigningKey = {
        kid,
        publicJwk: { ...jwk, kid, use: "sig", alg: ALGORITHM },
        publicKey: await importKey(jwk),
        privateKey: () => privateKey ??= opened(),
      };
      known.set(projectId, key);
      return key;
    },
  };
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  return await importJWK(jwk, ALGORITHM) as CryptoKey; // Bytes come out of symmetric keys only.
}
