/**
 * The one way out to addresses that a project gave: every connection is judged by the address that
 * it is made to, in the same step that makes it, so that nothing can change in between. `fetch`
 * knows no such step: what is asked through here goes by `node:http` with these agents.
 */

import dns from "node:dns";
import http from "node:http";
import https from "node:https";
import net, { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr";

/** Agents that connect to public addresses only. Redirects are not theirs: no client here follows. */
export interface EgressAgents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

export interface Egress extends Disposable {
  readonly agents: EgressAgents;
  /**
   * Whether connections to a host, as `URL.hostname` spells it, can be allowed at all. Of a name
   * only its addresses tell, and only when it is connected to.
   */
  admits(hostname: string): boolean;
  /**
   * A connection for what is not http, judged as those of the agents are. Throws
   * {@linkcode EgressFailed}.
   */
  connect(place: ConnectionPlace): Promise<net.Socket>;
}

/** Where a connection leads. */
export interface ConnectionPlace {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** In how many milliseconds it must be there. */
  readonly withinMs: number;
}

/** A request that got no answer; the message tells why and names no address. */
export class EgressFailed extends Error {
  override readonly name: string = "EgressFailed";
}

/**
 * A connection that was not made. One message for names that nobody knows and for those of a private
 * network: otherwise whoever may give addresses could find out which names there are inside.
 */
export class EgressRefused extends EgressFailed {
  override readonly name = "EgressRefused";
  readonly code = "EBLOCKED";

  constructor(host: string) {
    super(
      `"${host}" is unknown or not a public address. Private ones are used only with ` +
        "ALLOW_PRIVATE_ENDPOINTS=true",
    );
  }
}

export interface EgressOptions {
  /** Judges an address; {@linkcode isPublic} if left out. */
  readonly admits?: (address: string) => boolean;
  /** The system's resolver, if left out. */
  readonly lookup?: LookupFunction;
  /** Connections to one host at once: who wants another one waits for it. */
  readonly socketsMax?: number;
}

/**
 * The `ca` of agents for https, which trust whom Deno trusts then. Without any they ask for what only
 * a process with every `--allow-sys` may know, and fail; of a list they trust nobody else.
 */
export const TRUSTED_BY_DENO = "";

/** Of one host: projects with the same endpoint share them. */
const SOCKETS_MAX = 64;
const IDLE_SOCKETS_MAX = 4;

/** Connections are kept for the next request, and stay with the address that was judged. */
export function createEgress(
  { admits = isPublic, lookup = dns.lookup, socketsMax = SOCKETS_MAX }: EgressOptions = {},
): Egress {
  const judgedLookup = judged(lookup, admits);
  const options = {
    keepAlive: true,
    maxSockets: socketsMax,
    maxFreeSockets: IDLE_SOCKETS_MAX,
    lookup: judgedLookup,
  };
  const agents = {
    httpAgent: guarded(new http.Agent(options), admits),
    httpsAgent: guarded(new https.Agent({ ...options, ca: TRUSTED_BY_DENO }), admits),
  };
  return {
    agents,
    admits(hostname) {
      const host = hostname.replace(/^\[(.*)\]$/, "$1");
      return isIP(host) === 0 || admits(host);
    },
    async connect(place) {
      if (isIP(place.host) !== 0 && !admits(place.host)) throw new EgressRefused(place.host);
      return await openConnection(place, judgedLookup);
    },
    [Symbol.dispose]() {
      agents.httpAgent.destroy();
      agents.httpsAgent.destroy();
    },
  };
}

/**
 * A connection that nobody judges, for places that the operator has named. Throws
 * {@linkcode EgressFailed}.
 */
export function openConnection(
  { host, port, withinMs }: ConnectionPlace,
  lookup: LookupFunction = dns.lookup,
): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  const socket = net.connect({ host, port, lookup });
  const late = () => socket.destroy(new EgressFailed(`no connection within ${withinMs} ms`));
  const timer = setTimeout(late, withinMs);
  // Messages of the system have addresses in them.
  const fail = (error: Error & { code?: string }) =>
    reject(
      error instanceof EgressFailed
        ? error
        : new EgressFailed(`cannot be reached (${error.code ?? error.name})`, { cause: error }),
    );
  socket.once("error", fail);
  socket.once("connect", () => {
    socket.off("error", fail);
    resolve(socket);
  });
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Whether an address belongs to the public internet: neither this machine nor a network near it,
 * nor a way to spell or to tunnel one of their addresses.
 */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.range() === "unicast";
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().range() === "unicast";
  // Nothing else is assigned, and what is embeds IPv4 addresses in ever new ways.
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === "unicast";
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** What is known at once, as names of this machine are, is refused as late as what nobody knows. */
const REFUSAL_MS = 200;

/** Refuses a name as soon as one of its addresses is refused: which is taken is not ours to say. */
function judged(lookup: LookupFunction, admits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    const askedAt = performance.now();
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = error ? [] : found as dns.LookupAddress[]; // All were asked for.
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => admits(address))) {
        const refused = new EgressRefused(hostname);
        const left = Math.max(REFUSAL_MS - (performance.now() - askedAt), 0);
        setTimeout(() => callback(refused, []), left);
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** An address that is written out is never looked up: it is judged where the connection is made. */
function guarded<A extends http.Agent>(agent: A, admits: (address: string) => boolean): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const host = options.host ?? "localhost";
    if (isIP(host) === 0 || admits(host)) return connect(options, callback);
    // Thrown, it would reach nobody who waits for the request.
    queueMicrotask(() => callback?.(new EgressRefused(host), undefined!));
    return undefined!; // As node's own agents do where the callback tells of a failure.
  };
  return agent;
}
