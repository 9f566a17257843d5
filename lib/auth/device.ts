import { placeOf } from "../ip_addresses.ts";
import { DEVICE_NAME_LENGTH_MAX } from "../limits.ts";
import type { Device } from "./sessions.ts";

/** What a session keeps of the request that opened it. @param address Of the client. */
export const deviceOf = (userAgent: string | null, address: string): Device => ({
  userAgent: userAgent?.slice(0, DEVICE_NAME_LENGTH_MAX) || null,
  address: placeOf(address),
});

/** For what has no device: a command, a script. */
export const NO_DEVICE: Device = { userAgent: null, address: null };
