import { networkOf, readForwardedAddress, readIpAddress } from "../ip_addresses.ts";
import type { ProblemCode } from "../problems.ts";
import type { Id } from "../store/port.ts";
import type { Recipient } from "./deliveries.ts";
import { type Address, isDashboardPath, readAddress } from "./path.ts";

/** What a request says of who sends it. */
export interface Credentials {
  /** The `x-api-key` header. */
  readonly apiKey: string | null;
  /** The `Authorization` header. */
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

/** Unique among processes: where this one began, and a count. */
const newRequestId = () => `${PROCESS_ID}-${(counter++).toString(36)}`;

/** The connection that a request came by. */
export interface Connection {
  /** The other end. */
  readonly remoteAddr: { readonly hostname: string };
  /** Settles when the answer is sent, or cannot be. */
  readonly completed?: Promise<void>;
  /** Closes the connection at once. */
  readonly abort?: () => void;
}

/**
 * One request on its way through: what came in, and what the log and the answer need to know. A
 * class, because an object literal with accessors costs as much as the rest of a short answer.
 */
export class RequestState implements Address, Credentials {
  readonly id: string = newRequestId();
  readonly startedAt: number = performance.now();
  readonly raw: Request;
  readonly path: string;
  readonly query: string;
  readonly malformed: boolean;
  readonly apiKey: string | null;
  readonly origin: string | null;
  /** The origin whose pages may read the answer; null where there is none, or it may not. */
  readonly reader: string | null;
  operationId: string | null = null;
  projectId: Id | null = null;
  callerKind: string | null = null;
  accountId: Id | null = null;
  /** Until when all requests of the project are kept; null for those that fail alone. */
  recordsUntil: string | null = null;
  problem: ProblemCode | null = null;
  rate: RateState | null = null;
  /** What whoever runs the application should know, though the request is answered as it is. */
  warning: string | null = null;
  readonly #connection: Connection;
  readonly #proxies: number;

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
    this.reader = isForeign ? null : origin;
    this.#connection = connection;
    this.#proxies = trustProxy;
  }

  /** Settles when the answer is sent; undefined where nobody listens. */
  get sent(): Promise<void> | undefined {
    return this.#connection.completed;
  }

  /** The connection that the answer is sent to; null where its end cannot be observed. */
  get recipient(): Recipient | null {
    const { completed: sent, abort = () => {} } = this.#connection;
    return sent === undefined ? null : { caller: this.caller, sent, abort };
  }

  /** Whose share of the memory for answers its answer takes: anybody has a publishable key. */
  get caller(): string {
    return this.callerKind === "publishable" ? `${this.projectId} ${this.network}` : this.share;
  }

  /** Many callers are never asked for it. */
  get authorization(): string | null {
    return this.raw.headers.get("authorization");
  }

  /** Address of the client. */
  get client(): string {
    const sender = this.#sender();
    return readIpAddress(sender) ?? sender;
  }

  /** What counts as one client, for all that is limited or locked. */
  get network(): string {
    return networkOf(this.#sender());
  }

  /** Whose share the request counts towards; the project is known behind the guard. */
  get share(): string {
    return this.projectId ?? this.network;
  }

  /** The other end of the connection, be it a proxy. */
  get peer(): string {
    return this.#connection.remoteAddr.hostname;
  }

  /** The address that the proxies tell of, else the peer's. */
  #sender(): string {
    const entries = this.#proxies === 0 ? null : this.raw.headers.get("x-forwarded-for");
    const forwarded = entries === null ? null : forwardedAddress(entries, this.#proxies);
    return forwarded ?? this.peer;
  }
}

/** Each proxy adds whom it heard from at the right; what lies further left anyone can write. */
function forwardedAddress(entries: string, proxies: number): string | null {
  let end = entries.length;
  for (let passed = 1; passed < proxies; passed++) {
    end = entries.lastIndexOf(",", end - 1);
    if (end <= 0) return null;
  }
  return readForwardedAddress(entries.slice(entries.lastIndexOf(",", end - 1) + 1, end));
}
