import { subnetOf } from "../ip_addresses.ts";
import { DEVICE_NAME_LENGTH_MAX } from "../limits.ts";
import type { Device } from "./sessions.ts";

export const deviceOf = (userAgent: string | null, address: string): Device => ({
  userAgent: userAgent?.slice(0, DEVICE_NAME_LENGTH_MAX) || null,
  address: subnetOf(address),
});

/** The device of commands and scripts. */
export const NO_DEVICE: Device = { userAgent: null, address: null };
