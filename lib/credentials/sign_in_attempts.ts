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
 * Wrong passwords of one account from one source. After the free tries, each wait doubles. A try is
 * counted before the check and taken back if right, so concurrent requests get no more tries.
 */
export const PASSWORD_TRIES = recordKind({
  name: "passwordTries",
  fields: {
    /** Number of free tries that are left. */
    left: field.number,
    /** Number of tries that had to wait. */
    waited: field.number,
    /** Time of the next try once no free try is left. */
    openAt: field.date,
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

type TriesRecord = RecordOf<typeof PASSWORD_TRIES>;

/** Number of wrong passwords of one account from all sources within an hour. */
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

/** Checks a password; null if it is wrong. */
type PasswordCheck<T> = () => Promise<T | null>;

/**
 * Returns null for a wrong password. Requests of one source run in turn, so that concurrent right
 * passwords do not use up the tries. Throws `SIGN_IN_LOCKED`. @param source The caller and the
 * action.
 */
export async function tryPassword<T>(
  services: TryServices,
  source: string,
  check: PasswordCheck<T>,
): Promise<T | null> {
  const key = hashedId(source);
  return await services.passwordMutex.run(key, async () => {
    await takeTry(services, key, PASSWORD_TRIES_MAX);
    const checked = await check();
    if (checked !== null) await deleteTries(services, key);
    return checked;
  });
}

/**
 * Checks a password to sign in to an account, which need not exist. Each network has its own tries.
 * After many failures from many networks, a new network must wait before its first try, which slows
 * guessing down. A known device has its own tries, so that no network can make it wait.
 */
export async function trySignIn<T>(
  services: TryServices,
  { account, network, device }: { account: string; network: string; device: string | null },
  check: PasswordCheck<T>,
): Promise<T | null> {
  if (device !== null) {
    return await tryPassword(services, `sign-in ${account} device ${device}`, check);
  }
  const key = hashedId(`sign-in ${account} from ${network}`);
  const accountKey = hashedId(`sign-in ${account}`);
  return await services.passwordMutex.run(key, async () => {
    const failures = await addFailure(services, accountKey, 1);
    const free = failures > SIGN_IN_FAILURES_MAX ? 0 : PASSWORD_TRIES_MAX;
    const admission = takeTry(services, key, free);
    // A try that is not admitted is not a failure.
    await admission.catch(() => addFailure(services, accountKey, -1));
    await admission;
    const checked = await check();
    if (checked === null) return null;
    await deleteTries(services, key);
    await addFailure(services, accountKey, -1);
    return checked;
  });
}

const triesOf = ({ engine }: TryServices): Records<TriesRecord> =>
  engine.records<TriesRecord>("control", PASSWORD_TRIES);

const deleteTries = async (services: TryServices, key: Id): Promise<void> =>
  void await triesOf(services).deleteOne(eq("_id", key));

const timeAfter = ({ clock }: TryServices, ms: number): string =>
  new Date(clock.now() + ms).toISOString();

/** Returns the wait of the next try in milliseconds, after a number of tries that had to wait. */
const waitMs = (waited: number): number =>
  Math.min(PASSWORD_WAIT_MS * 2 ** waited, PASSWORD_WAIT_MS_MAX);

/** Takes a try, atomically. Throws `SIGN_IN_LOCKED` if it must wait. */
async function takeTry(services: TryServices, key: Id, free: number): Promise<void> {
  const tries = triesOf(services);
  const now = timestamp(services.clock);
  const memory = { expiresAt: timeAfter(services, PASSWORD_TRIES_MEMORY_MS) };
  const first = { openAt: timeAfter(services, waitMs(0)), ...memory };
  const isCurrent = and(eq("_id", key), compare("expiresAt", "gt", now));
  const isFree = and(isCurrent, compare("left", "gt", 0));
  if (await tries.updateOne(isFree, { set: first, increment: { left: -1 } }) !== null) return;

  const used = (await tries.findOne(isCurrent))?.value;
  if (used !== undefined) {
    const { left, waited, openAt } = used;
    if (left > 0) return await takeTry(services, key, free); // Counting began in the meantime.
    const isOpen = and(isCurrent, compare("openAt", "lte", now));
    const next = { openAt: timeAfter(services, waitMs(waited + 1)), ...memory };
    const admitted = await tries.updateOne(isOpen, { set: next, increment: { waited: 1 } });
    if (admitted !== null) return;
    throw lockedProblem(services, (await tries.findOne(isCurrent))?.value.openAt ?? openAt);
  }

  const fresh = { left: Math.max(free - 1, 0), waited: 0, ...first };
  if (!await insertTries(tries, key, now, fresh)) return await takeTry(services, key, free);
  if (free === 0) throw lockedProblem(services, fresh.openAt);
}

/** Begins to count tries; false if another request has begun at the same time. */
async function insertTries(
  tries: Records<TriesRecord>,
  key: Id,
  now: string,
  fresh: Omit<TriesRecord, "_id">,
): Promise<boolean> {
  const isOver = and(eq("_id", key), compare("expiresAt", "lte", now));
  try {
    const first = { _id: key, ...fresh } as TriesRecord; // `Omit` loses the members.
    await tries.upsert(isOver, { set: fresh }, first);
    return true;
  } catch (error) {
    if (error instanceof UniqueViolation) return false;
    throw error;
  }
}

function lockedProblem({ clock }: TryServices, openAt: string): Problem {
  const seconds = Math.ceil((Date.parse(openAt) - clock.now()) / 1000);
  return new Problem("SIGN_IN_LOCKED", { retryAfter: Math.max(seconds, 1) });
}

/** Adds to the failures of an account, which expire after an hour, and returns their number. */
async function addFailure(services: TryServices, key: Id, count: number): Promise<number> {
  const { engine, clock } = services;
  const records = engine.records<FailuresRecord>("control", SIGN_IN_FAILURES);
  const now = timestamp(clock);
  const isCurrent = and(eq("_id", key), compare("expiresAt", "gt", now));
  const added = await records.updateOne(isCurrent, { increment: { count } });
  if (added !== null) return added.value.count;
  if (count < 0) return 0;
  const fresh = { count, expiresAt: timeAfter(services, PASSWORD_TRIES_MEMORY_MS) };
  const isOver = and(eq("_id", key), compare("expiresAt", "lte", now));
  try {
    await records.upsert(isOver, { set: fresh }, { _id: key, ...fresh });
    return count;
  } catch (error) {
    if (error instanceof UniqueViolation) return await addFailure(services, key, count);
    throw error;
  }
}
