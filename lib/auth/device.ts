import { DEVICE_NAME_LENGTH_MAX } from "../limits.ts";
import type { Device } from "./sessions.ts";

/** What a session keeps of the request that opened it. @param address Of the client. */
export const deviceOf = (userAgent: string | null, address: string): Device => ({
  userAgent: userAgent?.slice(0, DEVICE_NAME_LENGTH_MAX) || null,
  address: truncated(address),
});

/** For what has no device: a command, a script. */
export const NO_DEVICE: Device = { userAgent: null, address: null };

const IPV4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i;

/** The network: the first three bytes of IPv4, the first six of IPv6. */
function truncated(address: string): string | null {
  const ipv4 = IPV4.exec(address)?.[1];
  if (ipv4 !== undefined) return URL.parse(`http://${ipv4}.0`)?.hostname ?? null;
  // Whoever parses URLs knows every way to write an address; a zone is none of ours.
  const host = URL.parse(`http://[${address.replace(/%.*$/, "")}]`)?.hostname;
  return host === undefined ? null : networkOf(host.slice(1, -1));
}

const GROUPS = 8;
const GROUPS_KEPT = 3;

function networkOf(ipv6: string): string {
  const [head = "", tail] = ipv6.split("::", 2);
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : GROUPS - before.length - after.length;
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, GROUPS_KEPT);
  return new URL(`http://[${groups.join(":")}::]`).hostname.slice(1, -1);
}
