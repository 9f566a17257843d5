import { hashedId } from "../crypto/hashes.ts";
import { type Clock, timestamp } from "../clock.ts";
import type { KeyedMutex } from "../keyed_mutex.ts";
import {
  PASSWORD_TRIES_MAX,
  PASSWORD_TRIES_MEMORY_MS,
  PASSWORD_WAIT_MS,
  PASSWORD_WAIT_MS_MAX,
  SIGN_IN_FAILURES_MAX,
} from "../limits.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Id, Records } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * Wrong passwords from one place for one account. The first tries are free; then each one more
 * must wait, twice as long every time. A try is taken before the password is looked at, and given
 * back when it was right, so that many at once get no more tries than one after the other. In the
 * control space.
 */
export const PASSWORD_TRIES = recordKind({
  name: "passwordTries",
  fields: {
    /** Free tries that are left. */
    left: field.number,
    /** Tries that waited. */
    waited: field.number,
    /** When the next one may come, once none is free. */
    openAt: field.date,
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

type TriesRecord = RecordOf<typeof PASSWORD_TRIES>;

/** Wrong passwords for one account from everywhere, within an hour. */
export const SIGN_IN_FAILURES = recordKind({
  name: "signInFailures",
  fields: {
    count: field.number,
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

type FailuresRecord = RecordOf<typeof SIGN_IN_FAILURES>;

export interface TryServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly passwordMutex: KeyedMutex;
}

/** Looks at a password; null where it is wrong. */
type Check<T> = () => Promise<T | null>;

/**
 * Looks at a password if the place has a try for it; null where it was wrong. Those of one place are
 * let in one after the other, so that right ones that come together do not use up the tries.
 * Throws `SIGN_IN_LOCKED`.
 * @param place Tells who tries, and what for: its tries are counted apart from all others.
 */
export async function tryPassword<T>(
  services: TryServices,
  place: string,
  check: Check<T>,
): Promise<T | null> {
  const key = hashedId(place);
  return await services.passwordMutex.run(key, async () => {
    await take(services, key, PASSWORD_TRIES_MAX);
    const checked = await check();
    if (checked !== null) await forget(services, key);
    return checked;
  });
}

/**
 * As {@linkcode tryPassword}, to sign in to an account, whether there is one or not. Places have
 * their own tries, so that nobody can use up another's. After many failures from many places a place
 * that comes new must wait before its first try too: guessing goes on slowly from wherever, and
 * whoever has the right password gets in after one wait. A device that was signed in before has
 * tries of its own, for which no place can make it wait.
 */
export async function trySignIn<T>(
  services: TryServices,
  { account, network, device }: { account: string; network: string; device: string | null },
  check: Check<T>,
): Promise<T | null> {
  if (device !== null) {
    return await tryPassword(services, `sign-in ${account} device ${device}`, check);
  }
  const key = hashedId(`sign-in ${account} from ${network}`);
  const all = hashedId(`sign-in ${account}`);
  return await services.passwordMutex.run(key, async () => {
    const failures = await addFailure(services, all, 1);
    const free = failures > SIGN_IN_FAILURES_MAX ? 0 : PASSWORD_TRIES_MAX;
    const taken = take(services, key, free);
    // Whoever is not let in has not failed.
    await taken.catch(() => addFailure(services, all, -1));
    await taken;
    const checked = await check();
    if (checked === null) return null;
    await forget(services, key);
    await addFailure(services, all, -1);
    return checked;
  });
}

const triesOf = ({ engine }: TryServices): Records<TriesRecord> =>
  engine.records<TriesRecord>("control", PASSWORD_TRIES);

const forget = async (services: TryServices, key: Id): Promise<void> =>
  void await triesOf(services).deleteOne(eq("_id", key));

const later = ({ clock }: TryServices, ms: number): string =>
  new Date(clock.now() + ms).toISOString();

/** How long the try after so many that waited has to wait. */
const waitMs = (waited: number): number =>
  Math.min(PASSWORD_WAIT_MS * 2 ** waited, PASSWORD_WAIT_MS_MAX);

/** Each step is one statement that finds and changes: two at once never take the same try. */
async function take(services: TryServices, key: Id, free: number): Promise<void> {
  const tries = triesOf(services);
  const now = timestamp(services.clock);
  const memory = { expiresAt: later(services, PASSWORD_TRIES_MEMORY_MS) };
  const first = { openAt: later(services, waitMs(0)), ...memory };
  const known = and(eq("_id", key), compare("expiresAt", "gt", now));
  const isFree = and(known, compare("left", "gt", 0));
  if (await tries.updateOne(isFree, { set: first, increment: { left: -1 } }) !== null) return;

  const used = (await tries.findOne(known))?.value;
  if (used !== undefined) {
    const { left, waited, openAt } = used;
    if (left > 0) return await take(services, key, free); // Begun to count meanwhile.
    const isOpen = and(known, compare("openAt", "lte", now));
    const next = { openAt: later(services, waitMs(waited + 1)), ...memory };
    const taken = await tries.updateOne(isOpen, { set: next, increment: { waited: 1 } });
    if (taken !== null) return;
    throw locked(services, (await tries.findOne(known))?.value.openAt ?? openAt);
  }

  const fresh = { left: Math.max(free - 1, 0), waited: 0, ...first };
  if (!await start(tries, key, now, fresh)) return await take(services, key, free);
  if (free === 0) throw locked(services, fresh.openAt);
}

/** Begins to count; false where another did so in the same moment. */
async function start(
  tries: Records<TriesRecord>,
  key: Id,
  now: string,
  fresh: Omit<TriesRecord, "_id">,
): Promise<boolean> {
  const expired = and(eq("_id", key), compare("expiresAt", "lte", now));
  try {
    const first = { _id: key, ...fresh } as TriesRecord; // `Omit` forgets its members.
    await tries.upsert(expired, { set: fresh }, first);
    return true;
  } catch (error) {
    if (error instanceof UniqueViolation) return false;
    throw error;
  }
}

function locked({ clock }: TryServices, openAt: string): Problem {
  const seconds = Math.ceil((Date.parse(openAt) - clock.now()) / 1000);
  return new Problem("SIGN_IN_LOCKED", { retryAfter: Math.max(seconds, 1) });
}

/** Resolves to how many there are; they are forgotten an hour after the first. */
async function addFailure(services: TryServices, key: Id, count: number): Promise<number> {
  const { engine, clock } = services;
  const records = engine.records<FailuresRecord>("control", SIGN_IN_FAILURES);
  const now = timestamp(clock);
  const known = and(eq("_id", key), compare("expiresAt", "gt", now));
  const added = await records.updateOne(known, { increment: { count } });
  if (added !== null) return added.value.count;
  if (count < 0) return 0;
  const fresh = { count, expiresAt: later(services, PASSWORD_TRIES_MEMORY_MS) };
  const expired = and(eq("_id", key), compare("expiresAt", "lte", now));
  try {
    await records.upsert(expired, { set: fresh }, { _id: key, ...fresh });
    return count;
  } catch (error) {
    if (error instanceof UniqueViolation) return await addFailure(services, key, count);
    throw error;
  }
}
