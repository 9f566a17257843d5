import { signed, unsigned } from "../crypto/signed.ts";
import type { Cookies } from "../http/cookies.ts";
import { KNOWN_DEVICE_SECONDS } from "../limits.ts";
import type { Id } from "../store/port.ts";

/**
 * Browsers that were signed in to an account before. They bring no rights along: only tries of their
 * own, so that wrong passwords from elsewhere never lock them out.
 */
export interface KnownDevices {
  /** The device's id, if a `Cookie` header says that it was signed in to this account. */
  read(header: string | null, accountId: Id): Id | null;
  /** A `Set-Cookie` header. */
  write(accountId: Id, deviceId: Id): readonly [string, string];
}

const COOKIE = "corbel_device";
const ID_LENGTH = 24;

/** @param keys The key to sign with first; all are tried when reading. */
export const createKnownDevices = (cookies: Cookies, keys: readonly string[]): KnownDevices => ({
  read(header, accountId) {
    // Signed, so that nobody makes devices up.
    const value = unsigned(keys, COOKIE, cookies.read(header, COOKIE) ?? "");
    return value?.startsWith(accountId) ? value.slice(ID_LENGTH) : null;
  },
  write: (accountId, deviceId) =>
    cookies.write(COOKIE, signed(keys[0]!, COOKIE, accountId + deviceId), {
      sameSite: "Lax",
      maxAge: KNOWN_DEVICE_SECONDS,
    }),
});
