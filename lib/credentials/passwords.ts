import pLimit from "p-limit";
import { Problem } from "../problems.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../limits.ts";
import { exceedsBytes } from "../store/json_text.ts";
import { textProblem } from "../text/input_text.ts";

/** Hashes and verifies passwords in other threads than the one that serves requests. */
export interface Passwords {
  /** Returns an argon2id hash with its parameters and a random salt. */
  hash(password: string): Promise<string>;
  /**
   * Takes the time of a mismatch for null, if there is no account. A bcrypt hash takes the time of
   * its cost. A hash that is not {@linkcode isUsableHash} matches no password.
   */
  verify(hash: string | null, password: string): Promise<boolean>;
}

type Argon2 = Pick<typeof import("@node-rs/argon2"), "hash" | "verify">;

/** Loads the native module lazily, because many processes never need it. */
const loadArgon2 = (): Promise<Argon2> => import("@node-rs/argon2");

const loadBcrypt = () => import("@node-rs/bcrypt");

/** Whether the hash of an imported user is bcrypt. The next sign-in replaces it by argon2id. */
export const isBcrypt = (hash: string): boolean => BCRYPT.test(hash);

/** Maximum cost of bcrypt hashes. PocketBase and most libraries use 10. */
export const BCRYPT_COST_MAX = 10;
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|10)\$[./A-Za-z0-9]{53}$/;

/** Number of bytes after which bcrypt ignores the rest of a password. */
const BCRYPT_BYTES_MAX = 72;

/** Minimum cost that OWASP recommends for argon2id: KiB of memory, passes, lanes. */
const ARGON2_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Maximum factor between the cost of an imported argon2id hash and Corbel's own. */
const COST_FACTOR_MAX = 2;
const ARGON2_MEMORY_MAX = COST_FACTOR_MAX * ARGON2_COST.memoryCost;
const ARGON2_WORK_MAX = ARGON2_MEMORY_MAX * ARGON2_COST.timeCost;
const ARGON2_LANES_MAX = 4;
const ARGON2 =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,6}),p=(\d)\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;

function isArgon2(hash: string): boolean {
  const [memory, passes, lanes] = (ARGON2.exec(hash) ?? []).slice(1).map(Number);
  if (memory === undefined || passes === undefined || lanes === undefined) return false;
  return passes > 0 && lanes > 0 && lanes <= ARGON2_LANES_MAX && memory >= 8 * lanes &&
    memory <= ARGON2_MEMORY_MAX && memory * passes <= ARGON2_WORK_MAX;
}

/** Imports refuse other hashes: an argon2id hash may need gigabytes and minutes. */
export const isUsableHash = (hash: string): boolean => isArgon2(hash) || isBcrypt(hash);

/** The rule of {@linkcode isUsableHash}, for messages. */
export const USABLE_HASH_RULE =
  `must be of argon2id with at most ${ARGON2_MEMORY_MAX} KiB of memory and ` +
  `${COST_FACTOR_MAX} times the work of m=${ARGON2_COST.memoryCost},t=${ARGON2_COST.timeCost}, ` +
  `or of bcrypt with a cost from 4 to ${BCRYPT_COST_MAX}`;

/** @param atOnce Maximum number of concurrent hashes. Each one takes a core and 19 MiB. */
export function createPasswords(
  atOnce: number,
  load: () => Promise<Argon2> = loadArgon2,
): Passwords {
  const limit = pLimit(atOnce);
  let dummyHash: Promise<string> | undefined;

  const hash = (password: string) =>
    limit(async () => {
      const { hash } = await load();
      return await hash(normalizePassword(password), ARGON2_COST);
    });

  return {
    hash,
    async verify(stored, password) {
      // Created by the first call in each case, so that the time does not reveal an account.
      const dummy = await (dummyHash ??= hash(""));
      const isUsable = stored !== null && isUsableHash(stored);
      const usedHash = isUsable ? stored : dummy;
      if (isBcrypt(usedHash)) return await limit(() => matchesBcrypt(usedHash, password));
      const matches = await limit(async () => {
        const { verify } = await load();
        return await verify(usedHash, normalizePassword(password));
      });
      return isUsable && matches;
    },
  };
}

/**
 * Does not normalize the password, as the hash was made without that. A text that bcrypt would read
 * only in part (too long, U+0000) never matches: all of it would become the new password.
 */
async function matchesBcrypt(stored: string, password: string): Promise<boolean> {
  const { verify } = await loadBcrypt();
  const isReadCompletely = !password.includes("\0") && !exceedsBytes(password, BCRYPT_BYTES_MAX);
  const matches = await verify(isReadCompletely ? password : "", stored);
  return isReadCompletely && matches;
}

/** Makes a too long text empty, because normalization is quadratic in combining marks. */
const normalizePassword = (password: string): string =>
  password.length > 2 * PASSWORD_LENGTH_MAX ? "" : password.normalize("NFC");

const invalidPassword = (message: string) => new Problem("INVALID_PASSWORD", { message });

/** Throws `INVALID_PASSWORD` if a new password is too short, too long or easy to guess. */
export async function checkNewPassword(
  password: string,
  email: string | null,
  lengthMin: number = PASSWORD_LENGTH_MIN,
): Promise<void> {
  // A text of megabytes is not split into characters.
  const length = password.length > 2 * PASSWORD_LENGTH_MAX ? Infinity : [...password].length;
  if (length < lengthMin || length > PASSWORD_LENGTH_MAX) {
    throw invalidPassword(
      `The password must have ${lengthMin} to ${PASSWORD_LENGTH_MAX} characters.`,
    );
  }
  const problem = textProblem(password);
  if (problem !== null) throw invalidPassword(`The password ${problem}.`);
  const { isCommonPassword } = await import("./common_passwords.ts");
  const plain = password.toLowerCase();
  const address = email?.toLowerCase();
  if (plain === address || plain === address?.split("@")[0] || isCommonPassword(plain)) {
    throw invalidPassword(
      "This password is among those that are guessed first: choose another one.",
    );
  }
}
