import type { Credentials } from "../auth/authenticate.ts";
import type { ProblemCode } from "../problems.ts";
import type { Id } from "../store/port.ts";
import { type Address, isDashboardPath, readAddress } from "./path.ts";

/** The rate limit of a request, for the answer's headers. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** One request on its way through: what came in, and what the log and the answer need to know. */
export interface RequestState extends Address, Credentials {
  readonly id: string;
  readonly startedAt: number;
  readonly raw: Request;
  readonly origin: string | null;
  /** The origin whose pages may read the answer; null where there is none, or it may not. */
  readonly reader: string | null;
  /** Address of the client. */
  readonly client: string;
  operationId: string | null;
  projectId: Id | null;
  callerKind: string | null;
  problem: ProblemCode | null;
  rate: RateState | null;
}

const PROCESS_ID = crypto.getRandomValues(new Uint8Array(6)).toHex();
let counter = 0;

/** Unique among processes: where this one began, and a count. */
const newRequestId = () => `${PROCESS_ID}-${(counter++).toString(36)}`;

/** The connection that a request came by. */
export interface Connection {
  /** The other end. */
  readonly remoteAddr: { readonly hostname: string };
}

export function openRequest(
  raw: Request,
  connection: Connection,
  { trustProxy, publicUrl }: { readonly trustProxy: number; readonly publicUrl: string },
): RequestState {
  const { headers } = raw;
  const { path, query, malformed } = readAddress(raw.url);
  const origin = headers.get("origin");
  const isForeign = origin !== null && origin !== publicUrl && isDashboardPath(path);
  return {
    id: newRequestId(),
    startedAt: performance.now(),
    raw,
    path,
    query,
    malformed,
    apiKey: headers.get("x-api-key"),
    get authorization() {
      return headers.get("authorization"); // Many callers are never asked for it.
    },
    origin,
    reader: isForeign ? null : origin,
    get client() {
      const forwarded = trustProxy === 0 ? null : forwardedFor(headers, trustProxy);
      return forwarded ?? connection.remoteAddr.hostname;
    },
    operationId: null,
    projectId: null,
    callerKind: null,
    problem: null,
    rate: null,
  };
}

/** Each proxy adds whom it heard from at the right; what lies further left anyone can write. */
function forwardedFor(headers: Headers, proxies: number): string | null {
  const entries = headers.get("x-forwarded-for")?.split(",") ?? [];
  return entries.at(-proxies)?.trim() || null;
}
