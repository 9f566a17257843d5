import { sign, unsign } from "../crypto/signed.ts";
import type { Cookies } from "../http/cookies.ts";
import { KNOWN_DEVICE_SECONDS } from "../limits.ts";
import type { Id } from "../store/port.ts";

/** Known browsers have their own attempt limit, so wrong passwords from elsewhere do not count. */
export interface KnownDevices {
  /** Returns the device's id if the `Cookie` header shows that it was signed in to the account. */
  read(header: string | null, accountId: Id): Id | null;
  write(accountId: Id, deviceId: Id): readonly [string, string];
}

const COOKIE = "corbel_device";
/** Characters of an id. */
const ID_LENGTH = 24;

/** @param keys The first key signs. All keys are accepted when reading. */
export const createKnownDevices = (cookies: Cookies, keys: readonly string[]): KnownDevices => ({
  read(header, accountId) {
    // The signature prevents forged devices.
    const value = unsign(keys, COOKIE, cookies.read(header, COOKIE) ?? "");
    return value?.startsWith(accountId) ? value.slice(ID_LENGTH) : null;
  },
  write: (accountId, deviceId) =>
    cookies.write(COOKIE, sign(keys[0]!, COOKIE, accountId + deviceId), {
      sameSite: "Lax",
      maxAge: KNOWN_DEVICE_SECONDS,
    }),
});
