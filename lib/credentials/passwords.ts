import pLimit from "p-limit";
import { Problem } from "../problems.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../limits.ts";
import { exceedsBytes } from "../store/json_text.ts";
import { textProblem } from "../text/input_text.ts";

/** Hashes passwords and checks them, away from the thread that answers requests. */
export interface Passwords {
  /** argon2id, with its parameters and a salt of its own. */
  hash(password: string): Promise<string>;
  /**
   * Takes as long for null, where there is no account, as for a hash that does not match. A hash that
   * {@linkcode isBcrypt} takes the time of its own cost. One that is not {@linkcode isUsableHash} is
   * not looked at, and matches no password.
   */
  verify(hash: string | null, password: string): Promise<boolean>;
}

type Argon2 = Pick<typeof import("@node-rs/argon2"), "hash" | "verify">;

/** Native code, loaded only by those who sign in. */
const loadArgon2 = (): Promise<Argon2> => import("@node-rs/argon2");

/** The same, loaded only where a user is imported with such a hash. */
const loadBcrypt = () => import("@node-rs/bcrypt");

/** A hash that came with a user from elsewhere: who signs in by it gets one of argon2id. */
export const isBcrypt = (hash: string): boolean => BCRYPT.test(hash);

/** The highest cost of bcrypt that is verified: PocketBase and most libraries use 10. */
export const BCRYPT_COST_MAX = 10;
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|10)\$[./A-Za-z0-9]{53}$/;

/** Whatever stands behind so many bytes bcrypt does not look at. */
const BCRYPT_BYTES_MAX = 72;

/** What OWASP asks of argon2id at least: KiB of memory, passes, lanes. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** How many times Corbel's own cost a hash of argon2id may have: every sign-in pays the cost of its hash. */
const COST_FACTOR_MAX = 2;
const ARGON2_MEMORY_MAX = COST_FACTOR_MAX * COST.memoryCost;
const ARGON2_WORK_MAX = ARGON2_MEMORY_MAX * COST.timeCost;
const ARGON2_LANES_MAX = 4;
const ARGON2 =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,6}),p=(\d)\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;

function isArgon2(hash: string): boolean {
  const [memory, passes, lanes] = (ARGON2.exec(hash) ?? []).slice(1).map(Number);
  if (memory === undefined || passes === undefined || lanes === undefined) return false;
  return passes > 0 && lanes > 0 && lanes <= ARGON2_LANES_MAX && memory >= 8 * lanes &&
    memory <= ARGON2_MEMORY_MAX && memory * passes <= ARGON2_WORK_MAX;
}

/**
 * Whether passwords can be verified with a hash. Imports refuse all other hashes: one of argon2id may
 * need gigabytes and minutes, and all sign-ins would wait for it.
 */
export const isUsableHash = (hash: string): boolean => isArgon2(hash) || isBcrypt(hash);

/** What {@linkcode isUsableHash} asks of a hash, in words. */
export const USABLE_HASH_RULE =
  `must be of argon2id with at most ${ARGON2_MEMORY_MAX} KiB of memory and ${COST_FACTOR_MAX} times ` +
  `the work of m=${COST.memoryCost},t=${COST.timeCost}, or of bcrypt with a cost from 4 to ` +
  BCRYPT_COST_MAX;

/** @param atOnce Each hash takes a core, and 19 MiB. */
export function createPasswords(
  atOnce: number,
  load: () => Promise<Argon2> = loadArgon2,
): Passwords {
  const turn = pLimit(atOnce);
  let nobodys: Promise<string> | undefined;

  const hash = (password: string) =>
    turn(async () => {
      const { hash } = await load();
      return await hash(canonical(password), COST);
    });

  return {
    hash,
    async verify(stored, password) {
      const nobody = await (nobodys ??= hash("")); // Whoever is the first: both take the same time.
      const isUsable = stored !== null && isUsableHash(stored);
      const known = isUsable ? stored : nobody;
      if (isBcrypt(known)) return await turn(() => matchesBcrypt(known, password));
      const matches = await turn(async () => {
        const { verify } = await load();
        return await verify(known, canonical(password));
      });
      return isUsable && matches;
    },
  };
}

/**
 * As it was typed: nobody has brought it into normal form before it was hashed. A text of which
 * bcrypt reads only the beginning, as those with U+0000 by some of its libraries, is proved by no
 * hash, because all of it would become the password.
 */
async function matchesBcrypt(stored: string, password: string): Promise<boolean> {
  const { verify } = await loadBcrypt();
  const isRead = !password.includes("\0") && !exceedsBytes(password, BCRYPT_BYTES_MAX);
  const matches = await verify(isRead ? password : "", stored);
  return isRead && matches;
}

/**
 * Keyboards write the same letter in more than one way. What is longer than any password counts as
 * none: bringing a text into normal form is quadratic in its marks.
 */
const canonical = (password: string): string =>
  password.length > 2 * PASSWORD_LENGTH_MAX ? "" : password.normalize("NFC");

const refuse = (message: string) => new Problem("INVALID_PASSWORD", { message });

/**
 * Refuses a password that is too short, too long, or among those that everybody tries first.
 * Throws `INVALID_PASSWORD`.
 */
export async function checkNewPassword(
  password: string,
  email: string | null,
  lengthMin: number = PASSWORD_LENGTH_MIN,
): Promise<void> {
  // A text of megabytes is not taken apart.
  const length = password.length > 2 * PASSWORD_LENGTH_MAX ? Infinity : [...password].length;
  if (length < lengthMin || length > PASSWORD_LENGTH_MAX) {
    throw refuse(`The password must have ${lengthMin} to ${PASSWORD_LENGTH_MAX} characters.`);
  }
  const problem = textProblem(password);
  if (problem !== null) throw refuse(`The password ${problem}.`);
  const { isCommonPassword } = await import("./common_passwords.ts");
  const plain = password.toLowerCase();
  const own = email?.toLowerCase();
  if (plain === own || plain === own?.split("@")[0] || isCommonPassword(plain)) {
    throw refuse("This password is among those that are guessed first: choose another one.");
  }
}
