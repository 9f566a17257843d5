/**
 * The egress guard. Each connection is checked by IP address in the step that makes it, so that DNS
 * cannot change in between. `fetch` has no such hook, so requests use `node:http` and these agents.
 */

import dns from "node:dns";
import http from "node:http";
import https from "node:https";
import net, { isIP, type LookupFunction } from "node:net";
import tls from "node:tls";
import ipaddr from "ipaddr";

/** Agents that connect to public addresses only. Their users must not follow redirects. */
export interface EgressAgents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

export interface Egress extends Disposable {
  readonly agents: EgressAgents;
  /** Admits all names, because their addresses are checked when a connection is made. */
  admits(hostname: string): boolean;
  /** Opens a checked connection for protocols other than http. Throws {@linkcode EgressFailed}. */
  connect(target: ConnectionTarget): Promise<net.Socket>;
}

export interface ConnectionTarget {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Time limit for the connection in milliseconds. */
  readonly withinMs: number;
}

/** A request without an answer. The message gives the reason, without IP addresses. */
export class EgressFailed extends Error {
  override readonly name: string = "EgressFailed";
}

/** Unknown and private names have one message, so that projects cannot explore the network. */
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
  /** Whether an address may be used; {@linkcode isPublic} by default. */
  readonly admits?: (address: string) => boolean;
  /** The resolver; the system's by default. */
  readonly lookup?: LookupFunction;
  /** Maximum number of connections to one host. Further requests wait. */
  readonly socketsMax?: number;
}

/** Milliseconds after which a connection that is not established is given up. */
const CONNECT_MS = 10_000;

/**
 * Makes an agent start TLS only on an established connection, because Deno 2.9 never frees a TLS
 * socket whose connection has failed.
 */
export function connectingFirst(agent: https.Agent): https.Agent {
  agent.createConnection = (options, callback) => {
    const { host, port, lookup } = options as net.TcpNetConnectOpts;
    const socket = net.connect({ host, port, lookup });
    const fail = (error: Error) => callback?.(error, undefined!);
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new EgressFailed("no connection in time")));
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", fail);
      callback?.(null, tls.connect({ ...options as tls.ConnectionOptions, socket }));
    });
    return undefined!; // The callback receives the socket.
  };
  return agent;
}

/** Makes https agents trust Deno's certificates, without needing every `--allow-sys` permission. */
export const TRUSTED_BY_DENO = "";

/** Connections to one host, which all projects with this endpoint share. */
const SOCKETS_MAX = 64;
const IDLE_SOCKETS_MAX = 4;

/** Returns a guard whose connections are reused, always with the address that was checked. */
export function createEgress(
  { admits = isPublic, lookup = dns.lookup, socketsMax = SOCKETS_MAX }: EgressOptions = {},
): Egress {
  const checkedLookup = guardedLookup(lookup, admits);
  const options = {
    keepAlive: true,
    maxSockets: socketsMax,
    maxFreeSockets: IDLE_SOCKETS_MAX,
    lookup: checkedLookup,
  };
  const agents = {
    httpAgent: guardAgent(new http.Agent(options), admits),
    httpsAgent: guardAgent(
      connectingFirst(new https.Agent({ ...options, ca: TRUSTED_BY_DENO })),
      admits,
    ),
  };
  return {
    agents,
    admits(hostname) {
      const host = hostname.replace(/^\[(.*)\]$/, "$1");
      return isIP(host) === 0 || admits(host);
    },
    async connect(target) {
      if (isIP(target.host) !== 0 && !admits(target.host)) throw new EgressRefused(target.host);
      return await openConnection(target, checkedLookup);
    },
    [Symbol.dispose]() {
      agents.httpAgent.destroy();
      agents.httpsAgent.destroy();
    },
  };
}

/** Opens an unchecked connection to a host of the operator. Throws {@linkcode EgressFailed}. */
export function openConnection(
  { host, port, withinMs }: ConnectionTarget,
  lookup: LookupFunction = dns.lookup,
): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  const socket = net.connect({ host, port, lookup });
  const late = () => socket.destroy(new EgressFailed(`no connection within ${withinMs} ms`));
  const timer = setTimeout(late, withinMs);
  // The system's messages contain addresses.
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

/** Whether an address is public: not local, private, or embedding or tunneling such an address. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.range() === "unicast";
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().range() === "unicast";
  // Other IPv6 ranges are unassigned or embed IPv4 addresses.
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === "unicast";
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Shortest time of a refusal, so that a local name is not refused faster than an unknown one. */
const REFUSAL_MS_MIN = 200;

/** Refuses a name if any of its addresses is refused, because the agent may use each of them. */
function guardedLookup(
  lookup: LookupFunction,
  admits: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    const askedAt = performance.now();
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = error ? [] : found as dns.LookupAddress[]; // All were asked for.
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => admits(address))) {
        const refused = new EgressRefused(hostname);
        const left = Math.max(REFUSAL_MS_MIN - (performance.now() - askedAt), 0);
        setTimeout(() => callback(refused, []), left);
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Checks literal addresses when a connection is made, because they are never looked up. */
function guardAgent<A extends http.Agent>(agent: A, admits: (address: string) => boolean): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const host = options.host ?? "localhost";
    if (isIP(host) === 0 || admits(host)) return connect(options, callback);
    // The callback, because a thrown error would not reach the request.
    queueMicrotask(() => callback?.(new EgressRefused(host), undefined!));
    return undefined!; // Node's own agents also return undefined if the callback receives an error.
  };
  return agent;
}
