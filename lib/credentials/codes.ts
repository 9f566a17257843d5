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

/** What a code is good for, and nothing else. */
export type CodePurpose = "verify" | "resetPassword" | "code" | "emailChange";

/**
 * A code of six digits that was sent to an e-mail address. A new one takes its place. Stored in the
 * control space for owners' codes and in the project's space for users' codes.
 */
export const CODES = recordKind({
  name: "_codes",
  fields: {
    /** Under a key: a million codes are soon tried. The code itself stands nowhere but in the mail. */
    codeHash: field.text,
    /** Taken before the code is looked at, so that many at once get no more of them. */
    triesLeft: field.number,
    /** The address that it was sent to, as it is kept. */
    email: field.text,
    /** Whom it is for; null where a new user may come of it. */
    subjectId: nullable(field.ref),
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

type CodeRecord = RecordOf<typeof CODES>;

/** How often something was sent to an address of late. */
export const SENDINGS: Definition = { name: "_sendings", ...WINDOWS };

/**
 * Wrong codes that were entered within an hour, for whichever user: five tries of each code are many
 * where there are many users.
 */
export const WRONG_CODES: Definition = { name: "_wrongCodes", ...WINDOWS };

export interface CodeServices extends LimitNoticeServices {
  /** Keys for {@linkcode mac}: that to hash with first. */
  readonly codeKeys: readonly string[];
}

/** There is one code for each. */
export interface CodePlace {
  readonly space: Space;
  readonly purpose: CodePurpose;
  /** The canonical form of an address, or the id of whoever is signed in. */
  readonly holder: string;
}

export type CodeTarget = Pick<CodeRecord, "email" | "subjectId">;

const idOf = ({ purpose, holder }: CodePlace): Id => hashedId(`code ${purpose} ${holder}`);

const hashOf = (key: string, { space, purpose, holder }: CodePlace, code: string): string =>
  mac(key, [space, purpose, holder, code].join("\n"));

/** A fresh code; whatever code there was for the place is good no more. */
export async function issueCode(
  tx: Transaction,
  { clock, codeKeys }: Pick<CodeServices, "clock" | "codeKeys">,
  place: CodePlace,
  target: CodeTarget,
): Promise<string> {
  const code = randomCode();
  const fresh = {
    ...target,
    codeHash: hashOf(codeKeys[0]!, place, code),
    triesLeft: CODE_TRIES_MAX,
    expiresAt: new Date(clock.now() + CODE_MS).toISOString(),
  };
  const _id = idOf(place);
  await tx.records<CodeRecord>(CODES).upsert(eq("_id", _id), { set: fresh }, { _id, ...fresh });
  return code;
}

const CODES_POSSIBLE = 1_000_000;
const RANDOM_VALUES = 2 ** 32;

/** Each of the million is as likely as the others. */
function randomCode(): string {
  const fair = RANDOM_VALUES - RANDOM_VALUES % CODES_POSSIBLE;
  for (;;) {
    const [value] = crypto.getRandomValues(new Uint32Array(1));
    if (value! < fair) return String(value! % CODES_POSSIBLE).padStart(6, "0");
  }
}

/** A code that was right when it was looked at. */
export interface CheckedCode extends CodeTarget {
  readonly id: Id;
  readonly codeHash: string;
}

/**
 * Looks at a code, which takes one of its tries, whoever asks and from wherever. Null for whatever
 * is wrong, and as late where there is no code at all. Only {@linkcode redeemCode} uses it up.
 */
export async function checkCode(
  services: CodeServices,
  place: CodePlace,
  code: string,
): Promise<CheckedCode | null> {
  const { engine, clock, codeKeys } = services;
  const codes = engine.records<CodeRecord>(place.space, CODES);
  const id = idOf(place);
  const now = timestamp(clock);
  const found = await codes.get(id);
  const hasCode = found !== null && found.value.triesLeft > 0 && found.value.expiresAt > now;
  const taken = { increment: { triesLeft: -1 } };
  const isOpen = and(
    eq("_id", id),
    compare("triesLeft", "gt", 0),
    compare("expiresAt", "gt", now),
  );
  // One read and one write, whether there is a code or not: else the time would tell who was sent one.
  const tried = hasCode
    ? await codes.updateOne(isOpen, taken)
    : await upsertedNobodys(codes, clock, taken);
  if (tried === null) return null;
  const { codeHash, email, subjectId } = tried.value;
  const isRight = codeKeys.some((key) => equalInConstantTime(codeHash, hashOf(key, place, code)));
  return isRight ? { id, codeHash, email, subjectId } : null;
}

const NOBODYS = hashedId("code of nobody");

/** A code that is never right, in the place of one that there is not. */
async function upsertedNobodys(
  codes: Records<CodeRecord>,
  clock: Clock,
  change: Change,
): Promise<Stored<CodeRecord> | null> {
  const expiresAt = new Date(clock.now() + CODE_MS).toISOString();
  const nobodys = {
    _id: NOBODYS,
    codeHash: "",
    triesLeft: 0,
    email: "",
    subjectId: null,
    expiresAt,
  };
  try {
    return await codes.upsert(eq("_id", NOBODYS), change, nobodys);
  } catch (error) {
    // Written by another one in this very moment.
    if (!(error instanceof UniqueViolation)) throw error;
    return null;
  }
}

/** Uses a code up, in the transaction of what it is good for: of many at once one does. */
export async function redeemCode(
  tx: Transaction,
  { id, codeHash }: CheckedCode,
): Promise<boolean> {
  const its = and(eq("_id", id), eq("codeHash", codeHash));
  return await tx.records<CodeRecord>(CODES).deleteOne(its) !== null;
}

/** A code as somebody entered it, for an address. */
export interface EnteredCode {
  readonly email: string;
  readonly otp: string;
}

const HOUR_MS = 3_600_000;

/**
 * As {@linkcode checkCode}. Throws `INVALID_CODE`, one refusal for whatever is wrong, and
 * `SIGN_IN_LOCKED` where so many wrong codes were entered in the space that no code is looked at. A
 * code counts before it is looked at, so that many at once are no more than one after the other.
 */
export async function requireCode(
  services: CodeServices,
  place: CodePlace,
  otp: string,
): Promise<CheckedCode> {
  const { space } = place;
  const max = WRONG_CODES_PER_HOUR;
  const key = "wrong codes";
  const window = { space, definition: WRONG_CODES, key, max, windowMs: HOUR_MS };
  const counted = await countInWindow(services, window);
  if (counted === null) {
    throw new Problem("SIGN_IN_LOCKED", { retryAfter: await secondsLeft(services, window) });
  }
  const code = await checkCode(services, place, otp);
  if (code === null) {
    if (counted === max) await noteWrongCodes(services, space);
    throw new Problem("INVALID_CODE");
  }
  await uncountInWindow(services, window);
  return code;
}

async function noteWrongCodes(services: CodeServices, space: Space): Promise<void> {
  if (space !== "control") return await noteLimitReached(services, space, "wrongCodes");
  services.log.write("warn", "Too many wrong codes of accounts were entered within an hour");
}

/** The same for a code of an address. */
export const requireCodeOf = (
  services: CodeServices,
  place: Omit<CodePlace, "holder">,
  { email, otp }: EnteredCode,
): Promise<CheckedCode> => requireCode(services, { ...place, holder: canonicalEmail(email) }, otp);

/** As {@linkcode redeemCode}. Throws `INVALID_CODE` where another one was first. */
export async function useCode(tx: Transaction, code: CheckedCode): Promise<void> {
  if (!await redeemCode(tx, code)) throw new Problem("INVALID_CODE");
}

/** Whatever codes there are for somebody and their address are good no more. */
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
    if (holder !== null) await codes.deleteOne(eq("_id", idOf({ space, purpose, holder })));
  }
}

/**
 * Whether one more mail of a kind may go to an address: one a minute and five an hour. Counts it if
 * so; a job that runs again because its process was killed is counted once.
 */
export async function maySend(
  services: Pick<CodeServices, "engine" | "clock">,
  { space, purpose, holder, jobId }: Omit<CodePlace, "purpose"> & {
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
