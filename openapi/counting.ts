import { RateLimited, type RateLimiter } from "@/lib/http/rate_limit.ts";
import type { RequestState } from "@/lib/http/request.ts";
import type { ApiKeyPrincipal } from "@/lib/projects/api_keys.ts";

/** Counts what comes with a publishable key, and no other. Throws `RATE_LIMITED`. */
export function countRequest(
  { rateLimiter }: { readonly rateLimiter: RateLimiter },
  holder: ApiKeyPrincipal,
  request: RequestState,
): void {
  count(rateLimiter, holder, request);
}

/** As {@linkcode countRequest}, beside it, for sign-ins and refreshes. */
export function countSignIn(
  { signInLimiter }: { readonly signInLimiter: RateLimiter },
  holder: ApiKeyPrincipal,
  request: RequestState,
): void {
  count(signInLimiter, holder, request, "sign-in ");
}

/** @param kind Keeps apart what several limiters count, where they share their counts. */
function count(
  limiter: RateLimiter,
  { kind: keyKind, projectId }: ApiKeyPrincipal,
  request: RequestState,
  kind = "",
): void {
  if (keyKind !== "secret") countAt(limiter, `${kind}${projectId} ${request.network}`, request);
}

/** Throws `RATE_LIMITED`. */
export function countAt(limiter: RateLimiter, key: string, request: RequestState): void {
  try {
    request.rate = limiter.count(key);
  } catch (error) {
    if (error instanceof RateLimited) request.rate = error.state;
    throw error;
  }
}
