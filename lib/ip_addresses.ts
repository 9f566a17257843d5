/** Addresses of clients: how they are written, and what of them counts as one client. */

import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr";

/** Of an IPv6 address with an IPv4 one in it, a zone, brackets and a port; what is longer is none. */
const LENGTH_MAX = 100;

const GROUPS = 8;

/**
 * An address as it is kept and compared: IPv6 in its short form and without a zone, and where it
 * stands for an IPv4 address, that one. Null for what is no address.
 */
export function readIpAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  return parse(text)?.toString() ?? null;
}

/** The same for an entry of `X-Forwarded-For`, which may have a port: `1.2.3.4:5`, `[::1]:5`. */
export function readForwardedAddress(entry: string): string | null {
  const text = entry.trim();
  if (text.length > LENGTH_MAX) return null;
  const [, bracketed, ipv4] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return readIpAddress(bracketed ?? ipv4 ?? text);
}

/**
 * What whoever sends from an address has to themselves: of IPv4 the address, of IPv6 the first eight
 * bytes, behind which there are more addresses than can be counted. What is no address stays.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const parsed = parse(address);
  if (parsed === null) return address;
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : firstGroups(parsed, 4);
}

/** The neighbourhood: the first three bytes of IPv4, the first six of IPv6; null for no address. */
export function placeOf(address: string): string | null {
  const parsed = parse(address);
  if (parsed === null) return null;
  if (parsed instanceof ipaddr.IPv6) return firstGroups(parsed, 3);
  return new ipaddr.IPv4([...parsed.octets.slice(0, 3), 0]).toString();
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.length > LENGTH_MAX) return null;
  const zone = text.indexOf("%");
  const bare = zone === -1 ? text : text.slice(0, zone);
  return isIP(bare) === 0 ? null : ipaddr.process(bare);
}

function firstGroups({ parts }: ipaddr.IPv6, kept: number): string {
  const zeros = Array<number>(GROUPS - kept).fill(0);
  return new ipaddr.IPv6([...parts.slice(0, kept), ...zeros]).toString();
}
