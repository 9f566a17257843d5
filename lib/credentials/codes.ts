import { type Clock, timestamp } from "../clock.ts";
import { equalInConstantTime, hashedId, mac } from "../crypto/hashes.ts";
import { canonicalEmail } from "../emails.ts";
import { type LimitNoticeServices, noteLimitReached } from "../jobs/limit_notices.ts";
import {
  CODE_MS,
  CODE_PAUSE_MS,
  CODE_TRIES_MAX,
  CODES_PER_HOUR,
  WRONG_CODES_PER_HOUR,
} from "../limits.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import { countInWindow, secondsLeft, uncountInWindow, WINDOWS } from "./counted_windows.ts";
import type { Change, Definition, Id, Records, Space, Stored, Transaction } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

export type CodePurpose = "verify" | "resetPassword" | "code" | "emailChange";

/** Codes of six digits that were sent to e-mail addresses. A new code replaces the old one. */
export const CODES = recordKind({
  name: "_codes",
  fields: {
    /** Keyed hash of the code, because a million codes are quickly tried. */
    codeHash: field.text,
    /** Number of tries left. Decremented before a code is checked, to limit concurrent tries. */
    triesLeft: field.number,
    /** Address that the code was sent to, as it is stored with the user. */
    email: field.text,
    /** User or account that the code is for; null if it can create a new user. */
    subjectId: nullable(field.ref),
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

type CodeRecord = RecordOf<typeof CODES>;

/** Windows that count the mails to an address. */
export const SENDINGS: Definition = { name: "_sendings", ...WINDOWS };

/** Windows of wrong codes in a space: five tries of each code are many in all. */
export const WRONG_CODES: Definition = { name: "_wrongCodes", ...WINDOWS };

export interface CodeServices extends LimitNoticeServices {
  /** Keys for {@linkcode mac}. The first one hashes new codes, all of them verify. */
  readonly codeKeys: readonly string[];
}

/** Identifies a code. There is at most one code for each slot. */
export interface CodeSlot {
  readonly space: Space;
  readonly purpose: CodePurpose;
  /** Canonical address, or the id of the signed-in user or account. */
  readonly holder: string;
}

export type CodeTarget = Pick<CodeRecord, "email" | "subjectId">;

const codeIdOf = ({ purpose, holder }: CodeSlot): Id => hashedId(`code ${purpose} ${holder}`);

const hashCode = (key: string, { space, purpose, holder }: CodeSlot, code: string): string =>
  mac(key, [space, purpose, holder, code].join("\n"));

/** Issues a new code, which replaces any other code of the slot. Returns the code. */
export async function issueCode(
  tx: Transaction,
  { clock, codeKeys }: Pick<CodeServices, "clock" | "codeKeys">,
  slot: CodeSlot,
  target: CodeTarget,
): Promise<string> {
  const code = randomCode();
  const issued = {
    ...target,
    codeHash: hashCode(codeKeys[0]!, slot, code),
    triesLeft: CODE_TRIES_MAX,
    expiresAt: new Date(clock.now() + CODE_MS).toISOString(),
  };
  const _id = codeIdOf(slot);
  await tx.records<CodeRecord>(CODES).upsert(eq("_id", _id), { set: issued }, { _id, ...issued });
  return code;
}

const CODES_COUNT = 1_000_000;
const RANDOM_VALUES_COUNT = 2 ** 32;

function randomCode(): string {
  const bound = RANDOM_VALUES_COUNT - RANDOM_VALUES_COUNT % CODES_COUNT;
  for (;;) {
    const [value] = crypto.getRandomValues(new Uint32Array(1));
    if (value! < bound) return String(value! % CODES_COUNT).padStart(6, "0");
  }
}

export interface CheckedCode extends CodeTarget {
  readonly id: Id;
  readonly codeHash: string;
}

/** Costs a try. Returns null for any error, in the same time. {@linkcode redeemCode} uses it up. */
export async function checkCode(
  services: CodeServices,
  slot: CodeSlot,
  code: string,
): Promise<CheckedCode | null> {
  const { engine, clock, codeKeys } = services;
  const codes = engine.records<CodeRecord>(slot.space, CODES);
  const id = codeIdOf(slot);
  const now = timestamp(clock);
  const found = await codes.get(id);
  const hasCode = found !== null && found.value.triesLeft > 0 && found.value.expiresAt > now;
  const takeTry = { increment: { triesLeft: -1 } };
  const isOpen = and(
    eq("_id", id),
    compare("triesLeft", "gt", 0),
    compare("expiresAt", "gt", now),
  );
  // One read and one write in each case, so that the time does not reveal whether a code exists.
  const tried = hasCode
    ? await codes.updateOne(isOpen, takeTry)
    : await updateDummyCode(codes, clock, takeTry);
  if (tried === null) return null;
  const { codeHash, email, subjectId } = tried.value;
  const isRight = codeKeys.some((key) => equalInConstantTime(codeHash, hashCode(key, slot, code)));
  return isRight ? { id, codeHash, email, subjectId } : null;
}

const DUMMY_CODE_ID = hashedId("code of nobody");

/** Updates a record that never matches, as a substitute for a code that does not exist. */
async function updateDummyCode(
  codes: Records<CodeRecord>,
  clock: Clock,
  change: Change,
): Promise<Stored<CodeRecord> | null> {
  const expiresAt = new Date(clock.now() + CODE_MS).toISOString();
  const dummy = {
    _id: DUMMY_CODE_ID,
    codeHash: "",
    triesLeft: 0,
    email: "",
    subjectId: null,
    expiresAt,
  };
  try {
    return await codes.upsert(eq("_id", DUMMY_CODE_ID), change, dummy);
  } catch (error) {
    // Another request has inserted the record at the same time.
    if (!(error instanceof UniqueViolation)) throw error;
    return null;
  }
}

/** Deletes a code, in the transaction that it permits; false if it was used before. */
export async function redeemCode(
  tx: Transaction,
  { id, codeHash }: CheckedCode,
): Promise<boolean> {
  const isUnused = and(eq("_id", id), eq("codeHash", codeHash));
  return await tx.records<CodeRecord>(CODES).deleteOne(isUnused) !== null;
}

export interface EnteredCode {
  readonly email: string;
  readonly otp: string;
}

const HOUR_MS = 3_600_000;

/**
 * Throws `INVALID_CODE`, and `SIGN_IN_LOCKED` without a check if the space has too many wrong
 * codes. Counts a code as wrong before it is checked, so that concurrent requests stay within the
 * limit.
 */
export async function requireCode(
  services: CodeServices,
  slot: CodeSlot,
  otp: string,
): Promise<CheckedCode> {
  const { space } = slot;
  const max = WRONG_CODES_PER_HOUR;
  const key = "wrong codes";
  const window = { space, definition: WRONG_CODES, key, max, windowMs: HOUR_MS };
  const counted = await countInWindow(services, window);
  if (counted === null) {
    throw new Problem("SIGN_IN_LOCKED", { retryAfter: await secondsLeft(services, window) });
  }
  const code = await checkCode(services, slot, otp);
  if (code === null) {
    if (counted === max) await reportWrongCodes(services, space);
    throw new Problem("INVALID_CODE");
  }
  await uncountInWindow(services, window);
  return code;
}

async function reportWrongCodes(services: CodeServices, space: Space): Promise<void> {
  if (space !== "control") return await noteLimitReached(services, space, "wrongCodes");
  services.log.write("warn", "Too many wrong codes of accounts were entered within an hour");
}

export const requireCodeOf = (
  services: CodeServices,
  slot: Omit<CodeSlot, "holder">,
  { email, otp }: EnteredCode,
): Promise<CheckedCode> => requireCode(services, { ...slot, holder: canonicalEmail(email) }, otp);

/** Uses a code up. Throws `INVALID_CODE` if another request has used it. */
export async function useCode(tx: Transaction, code: CheckedCode): Promise<void> {
  if (!await redeemCode(tx, code)) throw new Problem("INVALID_CODE");
}

/** Deletes all codes of a user or an account and of their address. */
export async function dropCodes(
  tx: Transaction,
  space: Space,
  { _id, emailLower }: { readonly _id: Id; readonly emailLower: string | null },
): Promise<void> {
  // Earlier versions stored another form of some addresses.
  const address = emailLower === null ? null : canonicalEmail(emailLower);
  const holders: Readonly<Record<CodePurpose, string | null>> = {
    verify: address,
    resetPassword: address,
    code: address,
    emailChange: _id,
  };
  const codes = tx.records<CodeRecord>(CODES);
  for (const [purpose, holder] of Object.entries(holders) as [CodePurpose, string | null][]) {
    if (holder !== null) await codes.deleteOne(eq("_id", codeIdOf({ space, purpose, holder })));
  }
}

/** Counts a mail if the limits allow it. A job that runs again is counted once. */
export async function countSending(
  services: Pick<CodeServices, "engine" | "clock">,
  { space, purpose, holder, jobId }: Omit<CodeSlot, "purpose"> & {
    readonly purpose: string;
    readonly jobId?: Id | undefined;
  },
): Promise<boolean> {
  const counted = await countInWindow(services, {
    space,
    definition: SENDINGS,
    key: `sent ${purpose} ${holder}`,
    max: CODES_PER_HOUR,
    windowMs: HOUR_MS,
    pauseMs: CODE_PAUSE_MS,
    jobId,
  });
  return counted !== null;
}
