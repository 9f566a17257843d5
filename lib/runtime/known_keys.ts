import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { StoreMismatch, UniqueViolation } from "../store/errors.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Engine } from "../store/port.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** A key that values of this store may be sealed with. In the control space. */
export const KNOWN_KEYS = recordKind({
  name: "sealingKeys",
  fields: {
    /** Its id in the ring, which no other key ever has. */
    keyId: field.text,
    /** Tells it from every other key, and nothing of what it is. */
    fingerprint: field.text,
    createdAt: field.date,
    /** Since when nothing is sealed with it any more; null for one that must be there. */
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

/** Empty for a store that is new, or that an earlier version made. */
export const knownKeys = (engine: Engine): Promise<readonly KnownKeyRecord[]> =>
  Array.fromAsync(recordsOf(engine).find({ filter: ALL }));

/**
 * Remembers the keys of a ring as those of this store. Throws `StoreMismatch` where the ring lacks
 * one that the store needs, or has another one under its id.
 */
export async function rememberKeys(
  { engine, clock, newId }: KnownKeyServices & { readonly newId: NewId },
  keyRing: KeyRing,
): Promise<void> {
  const known = await knownKeys(engine);
  assertFits(known, keyRing);
  const [first, ...others] = keyRing.fingerprints();
  const records = recordsOf(engine);
  const ofId = (id: string) => known.find(({ keyId }) => keyId === id);
  for (const { id, fingerprint } of [first!, ...others]) {
    if (ofId(id) !== undefined) continue;
    const record = { keyId: id, fingerprint, createdAt: timestamp(clock), retiredAt: null };
    await records.insert({ _id: newId(), ...record }).catch(unlessKnown);
  }
  // It seals from now on, whatever was said of it earlier.
  if (ofId(first!.id)?.retiredAt) {
    await records.updateOne(eq("keyId", first!.id), { set: { retiredAt: null } });
  }
  // Another process may have remembered other keys meanwhile.
  if (known.length === 0) assertFits(await knownKeys(engine), keyRing);
}

function unlessKnown(error: unknown): void {
  if (!(error instanceof UniqueViolation)) throw error;
}

function assertFits(known: readonly KnownKeyRecord[], keyRing: KeyRing): void {
  const given = new Map(keyRing.fingerprints().map(({ id, fingerprint }) => [id, fingerprint]));
  for (const { keyId, fingerprint, retiredAt } of known) {
    const found = given.get(keyId);
    if (found === undefined && retiredAt === null) {
      throw new StoreMismatch(
        `The key "${keyId}", which values in this store are sealed with, is not in the key ring: ` +
          "add it to SECRET_KEYS behind the first one, or put back the copy of secret-keys. After " +
          "`deno task admin secrets reseal` it is needed no longer",
      );
    }
    if (found !== undefined && found !== fingerprint) {
      throw new StoreMismatch(
        `The key "${keyId}" of the key ring is not the one which values in this store are sealed ` +
          "with: give that one in SECRET_KEYS, or as secret-keys in the data folder, and a new " +
          "key another id",
      );
    }
  }
}

/** Nothing is sealed any more but with the first key of the ring: a start needs no other one. */
export async function retireOthers(
  { engine, clock }: KnownKeyServices,
  keyRing: KeyRing,
): Promise<void> {
  const [first] = keyRing.fingerprints();
  for (const { keyId, retiredAt } of await knownKeys(engine)) {
    if (keyId === first!.id || retiredAt !== null) continue;
    await recordsOf(engine).updateOne(eq("keyId", keyId), { set: { retiredAt: timestamp(clock) } });
  }
}
