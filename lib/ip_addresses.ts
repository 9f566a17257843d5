/** Parses IP addresses of clients and groups them by network. */

import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr";

/** Maximum number of characters of an address with a zone, brackets and a port. */
const LENGTH_MAX = 100;

const GROUPS = 8;

/** Returns IPv6 in short form without zone, IPv4 if it is mapped, or null for other texts. */
export function readIpAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  return parse(text)?.toString() ?? null;
}

/** Parses an entry of `X-Forwarded-For`, which may have a port: `1.2.3.4:5`, `[::1]:5`. */
export function readForwardedAddress(entry: string): string | null {
  const text = entry.trim();
  if (text.length > LENGTH_MAX) return null;
  const [, bracketed, ipv4] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return readIpAddress(bracketed ?? ipv4 ?? text);
}

/** Returns an IPv4 address, or 8 bytes of an IPv6 one, as one client may use all behind them. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const parsed = parse(address);
  if (parsed === null) return address;
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : firstGroups(parsed, 4);
}

/** Returns the first three bytes of an IPv4 or six of an IPv6 address; null for other texts. */
export function subnetOf(address: string): string | null {
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
