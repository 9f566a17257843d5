import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { StoreMismatch, UniqueViolation } from "../store/errors.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Engine } from "../store/port.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** A key with which values of this store may be sealed. Stored in the control space. */
export const KNOWN_KEYS = recordKind({
  name: "sealingKeys",
  fields: {
    /** The key's id in the ring, which is never used for another key. */
    keyId: field.text,
    /** Identifies the key without revealing it. */
    fingerprint: field.text,
    createdAt: field.date,
    /** Time since which no value is sealed with the key; null if the key ring must contain it. */
    retiredAt: nullable(field.date),
  },
  indexes: [{ keys: [{ path: "keyId", descending: false }], unique: true }],
  trash: false,
});

export type KnownKeyRecord = RecordOf<typeof KNOWN_KEYS>;

interface KnownKeyServices {
  readonly engine: Engine;
  readonly clock: Clock;
}

const recordsOf = (engine: Engine) => engine.records<KnownKeyRecord>("control", KNOWN_KEYS);

/** Returns the known keys. A new store has none, nor has one of an earlier version. */
export const readKnownKeys = (engine: Engine): Promise<readonly KnownKeyRecord[]> =>
  Array.fromAsync(recordsOf(engine).find({ filter: ALL }));

/** Throws `StoreMismatch` if the ring lacks a needed key, or has a different one under its id. */
export async function registerKeys(
  { engine, clock, newId }: KnownKeyServices & { readonly newId: NewId },
  keyRing: KeyRing,
): Promise<void> {
  const known = await readKnownKeys(engine);
  assertRingFits(known, keyRing);
  const [first, ...others] = keyRing.fingerprints();
  const records = recordsOf(engine);
  const ofId = (id: string) => known.find(({ keyId }) => keyId === id);
  for (const { id, fingerprint } of [first!, ...others]) {
    if (ofId(id) !== undefined) continue;
    const record = { keyId: id, fingerprint, createdAt: timestamp(clock), retiredAt: null };
    await records.insert({ _id: newId(), ...record }).catch(unlessRegistered);
  }
  // The first key seals from now on, even if it was retired.
  if (ofId(first!.id)?.retiredAt) {
    await records.updateOne(eq("keyId", first!.id), { set: { retiredAt: null } });
  }
  // Another process may have registered other keys concurrently.
  if (known.length === 0) assertRingFits(await readKnownKeys(engine), keyRing);
}

function unlessRegistered(error: unknown): void {
  if (!(error instanceof UniqueViolation)) throw error;
}

function assertRingFits(known: readonly KnownKeyRecord[], keyRing: KeyRing): void {
  const given = new Map(keyRing.fingerprints().map(({ id, fingerprint }) => [id, fingerprint]));
  for (const { keyId, fingerprint, retiredAt } of known) {
    const found = given.get(keyId);
    if (found === undefined && retiredAt === null) {
      throw new StoreMismatch(
        `The key "${keyId}", which values in this store are sealed with, is not in the key ring: ` +
          "add it to SECRET_KEYS after the first one, or put back the copy of secret-keys. After " +
          "`deno task admin secrets reseal` it is no longer needed",
      );
    }
    if (found !== undefined && found !== fingerprint) {
      throw new StoreMismatch(
        `The key "${keyId}" of the key ring is not the one with which values in this store are ` +
          "sealed: set the original key in SECRET_KEYS, or as secret-keys in the data folder, " +
          "and give a new key another id",
      );
    }
  }
}

/** Retires all keys but the ring's first one. All values must be sealed with that key. */
export async function retireOtherKeys(
  { engine, clock }: KnownKeyServices,
  keyRing: KeyRing,
): Promise<void> {
  const [first] = keyRing.fingerprints();
  for (const { keyId, retiredAt } of await readKnownKeys(engine)) {
    if (keyId === first!.id || retiredAt !== null) continue;
    await recordsOf(engine).updateOne(eq("keyId", keyId), { set: { retiredAt: timestamp(clock) } });
  }
}
