import { DEVICE_NAME_LENGTH_MAX } from "../limits.ts";
import type { Device } from "./sessions.ts";

/** What a session keeps of the request that opened it. @param address Of the client. */
export const deviceOf = (userAgent: string | null, address: string): Device => ({
  userAgent: userAgent?.slice(0, DEVICE_NAME_LENGTH_MAX) || null,
  address: truncated(address),
});

/** For what has no device: a command, a script. */
export const NO_DEVICE: Device = { userAgent: null, address: null };

const IPV4 = /^(?:::ffff:)?((\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3})$/i;

/** The network: the first three bytes of IPv4, the first six of IPv6. */
function truncated(address: string): string | null {
  const [, , ipv4] = IPV4.exec(address) ?? [];
  if (ipv4 !== undefined) return URL.parse(`http://${ipv4}.0`)?.hostname ?? null;
  return ipv6Network(address, 3);
}

/**
 * What whoever sends from an address has to himself: of IPv4 the address, of IPv6 the first eight
 * bytes, behind which there are more addresses than can be counted.
 */
export const networkOf = (address: string): string =>
  IPV4.exec(address)?.[1] ?? ipv6Network(address, 4) ?? address;

const GROUPS = 8;

/** The first `kept` groups of two bytes; null for what is no address. */
function ipv6Network(address: string, kept: number): string | null {
  // Whoever parses URLs knows every way to write an address; a zone is none of ours.
  const host = URL.parse(`http://[${address.replace(/%.*$/, "")}]`)?.hostname;
  if (host === undefined) return null;
  const [head = "", tail] = host.slice(1, -1).split("::", 2);
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : GROUPS - before.length - after.length;
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, kept);
  return new URL(`http://[${groups.join(":")}::]`).hostname.slice(1, -1);
}
