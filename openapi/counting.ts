import { RateLimited, type RateLimiter } from "@/lib/http/rate_limit.ts";
import type { RequestState } from "@/lib/http/request.ts";
import type { ApiKeyPrincipal } from "@/lib/projects/api_keys.ts";

/** Counts a request with a publishable key; other keys are not limited. Throws `RATE_LIMITED`. */
export function countRequest(
  { rateLimiter }: { readonly rateLimiter: RateLimiter },
  holder: ApiKeyPrincipal,
  request: RequestState,
): void {
  count(rateLimiter, holder, request);
}

/** Counts a sign-in or a refresh, besides {@linkcode countRequest}. Throws `RATE_LIMITED`. */
export function countSignIn(
  { signInLimiter }: { readonly signInLimiter: RateLimiter },
  holder: ApiKeyPrincipal,
  request: RequestState,
): void {
  count(signInLimiter, holder, request, "sign-in ");
}

/** @param kind Prefix that separates the counts of limiters that share a store. */
function count(
  limiter: RateLimiter,
  { kind: keyKind, projectId }: ApiKeyPrincipal,
  request: RequestState,
  kind = "",
): void {
  if (keyKind !== "secret") countAt(limiter, `${kind}${projectId} ${request.network}`, request);
}

/** Counts a request under a key and notes the limiter's state. Throws `RATE_LIMITED`. */
export function countAt(limiter: RateLimiter, key: string, request: RequestState): void {
  try {
    request.rate = limiter.count(key);
  } catch (error) {
    if (error instanceof RateLimited) request.rate = error.state;
    throw error;
  }
}
