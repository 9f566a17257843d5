import { networkOf, readForwardedAddress, readIpAddress } from "../ip_addresses.ts";
import type { ProblemCode } from "../problems.ts";
import type { Id } from "../store/port.ts";
import type { Recipient } from "./response_streams.ts";
import { type Address, isDashboardPath, readAddress } from "./path.ts";

export interface Credentials {
  readonly apiKey: string | null;
  readonly authorization: string | null;
}

/** The rate limit of a request, for the answer's headers. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

const PROCESS_ID = crypto.getRandomValues(new Uint8Array(6)).toHex();
let counter = 0;

/** Returns an id that is unique among all processes: a random process id and a counter. */
const newRequestId = () => `${PROCESS_ID}-${(counter++).toString(36)}`;

export interface Connection {
  readonly remoteAddr: { readonly hostname: string };
  /** Settles when the answer was sent or could not be sent. */
  readonly completed?: Promise<void>;
  readonly abort?: () => void;
}

/** A class, because an object literal with accessors costs as much as a short answer. */
export class RequestState implements Address, Credentials {
  readonly id: string = newRequestId();
  readonly startedAt: number = performance.now();
  readonly raw: Request;
  readonly path: string;
  readonly query: string;
  readonly malformed: boolean;
  readonly apiKey: string | null;
  readonly origin: string | null;
  /** The origin of the request if its pages may read the answer, else null. */
  readonly allowedOrigin: string | null;
  operationId: string | null = null;
  projectId: Id | null = null;
  callerKind: string | null = null;
  accountId: Id | null = null;
  /** Time until which all requests of the project are logged; null to log only failed ones. */
  recordsUntil: string | null = null;
  problem: ProblemCode | null = null;
  rate: RateState | null = null;
  /** A hint for the application's developer, sent in a header of the normal answer. */
  warning: string | null = null;
  readonly #connection: Connection;
  readonly #trustedProxies: number;

  constructor(
    raw: Request,
    connection: Connection,
    { trustProxy, publicUrl }: { readonly trustProxy: number; readonly publicUrl: string },
  ) {
    const { headers } = raw;
    const { path, query, malformed } = readAddress(raw.url);
    const origin = headers.get("origin");
    const isForeign = origin !== null && origin !== publicUrl && isDashboardPath(path);
    this.raw = raw;
    this.path = path;
    this.query = query;
    this.malformed = malformed;
    this.apiKey = headers.get("x-api-key");
    this.origin = origin;
    this.allowedOrigin = isForeign ? null : origin;
    this.#connection = connection;
    this.#trustedProxies = trustProxy;
  }

  /** Settles when the answer was sent; undefined if the connection cannot be observed. */
  get sent(): Promise<void> | undefined {
    return this.#connection.completed;
  }

  /** The connection to which the answer is sent; null if its end cannot be observed. */
  get recipient(): Recipient | null {
    const { completed: sent, abort = () => {} } = this.#connection;
    return sent === undefined ? null : { holder: this.budgetHolder, sent, abort };
  }

  /** The holder for the memory of the answer: with a publishable key, the project and network. */
  get budgetHolder(): string {
    return this.callerKind === "publishable"
      ? `${this.projectId} ${this.network}`
      : this.shareHolder;
  }

  /** The `Authorization` header, read lazily because many operations do not need it. */
  get authorization(): string | null {
    return this.raw.headers.get("authorization");
  }

  get client(): string {
    const sender = this.#sender();
    return readIpAddress(sender) ?? sender;
  }

  /** The network of the client, which counts as one client for limits and locks. */
  get network(): string {
    return networkOf(this.#sender());
  }

  /** The project, which is known after the guard, or the network, for limits of a share. */
  get shareHolder(): string {
    return this.projectId ?? this.network;
  }

  /** Address of the other end of the connection, which may be a proxy. */
  get peer(): string {
    return this.#connection.remoteAddr.hostname;
  }

  /** Returns the address that trusted proxies forward, or else the peer's. */
  #sender(): string {
    const entries = this.#trustedProxies === 0 ? null : this.raw.headers.get("x-forwarded-for");
    const forwarded = entries === null ? null : forwardedAddress(entries, this.#trustedProxies);
    return forwarded ?? this.peer;
  }
}

/** Each proxy appends its peer at the right. Clients can forge entries further left. */
function forwardedAddress(entries: string, proxies: number): string | null {
  let end = entries.length;
  for (let passed = 1; passed < proxies; passed++) {
    end = entries.lastIndexOf(",", end - 1);
    if (end <= 0) return null;
  }
  return readForwardedAddress(entries.slice(entries.lastIndexOf(",", end - 1) + 1, end));
}
