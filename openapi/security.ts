import { type AuthServices, callerOf, holderOf } from "@/lib/auth/authenticate.ts";
import type { KeyHolder } from "@/lib/auth/api_keys.ts";
import type { Caller } from "@/lib/auth/principals.ts";
import { RateLimited, type RateLimiter } from "@/lib/http/rate_limit.ts";
import type { RequestState } from "@/lib/http/request.ts";
import { Problem, type ProblemCode } from "@/lib/problems.ts";
import { after, type Soon } from "@/lib/soon.ts";

export interface GuardServices extends AuthServices {
  readonly config: { readonly publicUrl: string };
  readonly rateLimiter: RateLimiter;
}

/**
 * A kind of caller: what the document says of it and the guard that enforces it, in one constant,
 * so that the two cannot drift. `P` is what the guard finds out.
 */
export interface Security<P> {
  readonly requirement: readonly Readonly<Record<string, readonly string[]>>[];
  /** What the guard may refuse for. */
  readonly problems: readonly ProblemCode[];
  guard(services: GuardServices, request: RequestState): Soon<P>;
}

/** No credentials are looked at. */
export const anyone: Security<null> = {
  requirement: [],
  problems: [],
  guard: () => null,
};

/** Either key of a project; a bearer token beside a publishable one says for which user. */
export const projectKey: Security<Caller> = {
  requirement: [{ apiKey: [] }, { apiKey: [], accessToken: [] }],
  problems: ["API_KEY_INVALID", "ACCESS_TOKEN_INVALID", "ORIGIN_NOT_ALLOWED", "RATE_LIMITED"],
  guard: (services, request) =>
    after(holderOf(services, request), (holder) => {
      request.projectId = holder.projectId;
      request.callerKind = holder.kind;
      if (holder.kind === "publishable") {
        countRequest(services.rateLimiter, holder, request);
        checkOrigin(services, holder, request.origin);
      }
      return callerOf(services, holder, request);
    }),
};

/** How the document names the credentials. */
export const SECURITY_SCHEMES = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "A project's publishable key (`pk_live_…`, may be public) or secret key " +
      "(`sk_live_…`, for servers only).",
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token of a signed-in user.",
  },
} as const;

function countRequest(
  rateLimiter: RateLimiter,
  { projectId }: KeyHolder,
  request: RequestState,
): void {
  try {
    request.rate = rateLimiter.count(`${projectId} ${request.client}`);
  } catch (error) {
    if (error instanceof RateLimited) request.rate = error.state;
    throw error;
  }
}

/** A project that lists origins lets browsers of other sites do nothing with its public key. */
function checkOrigin(
  { config }: GuardServices,
  { allowedOrigins, siteUrl }: KeyHolder,
  origin: string | null,
): void {
  if (origin === null || allowedOrigins.length === 0) return;
  if (origin === siteUrl || origin === config.publicUrl || allowedOrigins.includes(origin)) return;
  throw new Problem("ORIGIN_NOT_ALLOWED");
}
